import KindredSQLiteDialect
import KindredModel
import KindredPlanning
import KindredSQLSyntax

/// A type that names a database table, which is enough to declare associations and to build requests.
///
///     struct Author: TableRecord {
///       static let books = hasMany(Book.self)
///     }
public protocol TableRecord {
  /// The name of the table; by default the name of the type with its first word in lower case.
  static var databaseTableName: String { get }

  /// The columns that requests select by default; all columns unless the type declares others.
  ///
  /// Declare it with exactly this type: `static let databaseSelection: [any SQLSelectable]`. Without the annotation
  /// Swift infers another type, and the property silently fails to satisfy the requirement.
  static var databaseSelection: [any SQLSelectable] { get }

  /// The columns that closures and key paths know.
  ///
  /// A record that declares `enum Columns` has these, checked by the compiler:
  ///
  ///     enum Columns {
  ///       static let title = Column(CodingKeys.title)
  ///     }
  ///
  /// Any other has a column for every word.
  associatedtype Columns = RecordColumns

  /// What closures and key paths receive.
  associatedtype DatabaseComponents = Columns.Type

  /// What closures and key paths receive.
  static var databaseComponents: DatabaseComponents { get }
}

extension TableRecord where DatabaseComponents == Columns.Type {
  /// The columns.
  public static var databaseComponents: DatabaseComponents { Columns.self }
}

extension TableRecord {
  /// The name of the type with its first word in lower case: `player` for `Player`, `postalAddress` for
  /// `PostalAddress`, `httpRequest` for `HTTPRequest`, `toefl` for `TOEFL`.
  public static var databaseTableName: String { DefaultTableNames.name(of: Self.self) }

  /// All columns of the table.
  public static var databaseSelection: [any SQLSelectable] { [.allColumns] }

  /// Returns the number of columns of the default selection, according to the schema.
  ///
  /// - Throws: `DatabaseError`, `AssociationError`.
  public static func numberOfSelectedColumns(_ db: Database) throws -> Int {
    let plan = try QueryInterfaceRequest<Self>(blueprint: RequestBlueprint(Self.self)).plan(db)
    return plan.nodes.first?.layout.columns.count ?? 0
  }

  /// Returns the default selection as SQL for use in other statements: `"player".*`.
  ///
  /// A selection that depends on the schema, such as `.allColumns(excluding:)` or an aggregate of an association, can't
  /// be written without a database. A statement with it throws when it is prepared; an SQL literal can have
  /// `\(columnsOf:)` instead.
  ///
  /// - Parameter alias: The alias of the table in the statement; by default the name of the table.
  public static func selectionSQL(alias: String? = nil) -> String {
    let name = alias ?? databaseTableName
    return databaseSelection.map(\.sqlSelection).map { selection in
      do {
        return try selection.sql(of: name, star: "\(SQLText.quoted(name)).*")
      } catch {
        // The statement then fails with "no such column", and the name of the column states the reason.
        return SQLText.quoted("\((error as? DatabaseError)?.text ?? "\(error)")")
      }
    }.joined(separator: ", ")
  }
}

extension SQLSelection {
  /// Returns the selection as SQL with literal values, for a statement in which the record's table is called `name`.
  ///
  /// - Parameters:
  ///   - name: The name of the table.
  ///   - star: How the statement selects all columns.
  ///   - db: The database, which has a table of that name, and by whose schema the selection is completed.
  /// - Throws: `DatabaseError` (misuse) for what depends on the schema, without a database; the error of the selection.
  func sql(of name: String, star: String, _ db: Database? = nil) throws -> String {
    var columns: [NamedExpression]
    var model = Model(rowsOf: Schema(tables: [TableSchema(named: name)]))
    switch (item, withoutSchema) {
    case (.all, _): return star
    case (_, let known?): columns = [known]
    case (_, nil):
      guard let db else {
        throw DatabaseError.misuse("the selection of \(name), which needs a database to be written")
      }
      let resolver = try BlueprintResolver(db, RequestBlueprint(tableName: name, defaultSelection: []))
      (columns, model) = (try resolver.columns(self), resolver.model)
    }
    return try columns.map { column in
      let columnName = SQLExpression(column.expression.kind).columnName
      let sql =
        try columnName.map { "\(SQLText.quoted(name)).\(SQLText.quoted($0))" }
        ?? model.sql(of: [column.expression], in: name).map(\.textWithValues).joined(separator: ", ")
      guard let key = column.name, key != columnName else { return sql }
      return "\(sql) AS \(SQLText.quoted(key))"
    }.joined(separator: ", ")
  }

  /// The expression that is selected; nil if there are several, or it depends on the schema.
  private var withoutSchema: NamedExpression? {
    switch item {
    case .all, .allExcept, .allOf, .deferred: nil
    case .literal(let literal, _):
      literal.sqlExpression.withoutSchema.map { NamedExpression(name: nil, expression: $0) }
    case .expression(let expression, let name):
      expression.withoutSchema.map { NamedExpression(name: name, expression: $0) }
    }
  }
}

extension TableSchema {
  /// Creates a table of which only the name is known.
  fileprivate init(named name: String) {
    self.init(name: name, kind: .view, columns: [], primaryKey: [])
  }
}
