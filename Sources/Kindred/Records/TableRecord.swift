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
  /// An expression that depends on the schema, such as an aggregate of an association, can't be written without a
  /// database. A statement with such a selection throws when it is prepared.
  ///
  /// - Parameter alias: The alias of the table in the statement; by default the name of the table.
  public static func selectionSQL(alias: String? = nil) -> String {
    let name = alias ?? databaseTableName
    return databaseSelection.map { $0.sqlSelection.sql(of: name) }.joined(separator: ", ")
  }
}

extension SQLSelection {
  /// Returns the selection as SQL for a statement in which the record's table is called `name`.
  func sql(of name: String) -> String {
    switch item {
    case .all, .allExcept, .allOf, .deferred: return "\(SQLText.quoted(name)).*"
    case .literal(let literal, _): return literal.sqlExpression.sql(of: name)
    case .expression(let expression, let key):
      return expression.sql(of: name) + (key.map { " AS \(SQLText.quoted($0))" } ?? "")
    }
  }
}

extension SQLExpression {
  /// Returns the expression as SQL with literal values, for a statement in which the record's table is called
  /// `name`.
  fileprivate func sql(of name: String) -> String {
    if let columnName { return "\(SQLText.quoted(name)).\(SQLText.quoted(columnName))" }
    guard let known = withoutSchema else {
      // The statement then fails with "no such column", and the name of the column states the reason.
      return SQLText.quoted("the selection of \(name), which needs a database to be written")
    }
    let table = TableSchema(name: name, kind: .view, columns: [], primaryKey: [])
    let model = Model(rowsOf: Schema(tables: [table]))
    let columns = (try? model.sql(of: [known], in: name)) ?? []
    return columns.map(\.textWithValues).joined(separator: ", ")
  }
}
