import KindredAssociations
import KindredSQLSyntax

/// A type that stands for the records of a table: that is all it needs to declare associations and to build requests.
///
///     struct Author: TableRecord {
///       static let books = hasMany(Book.self)
///     }
public protocol TableRecord {
  /// The name of the table; that of the type with its first word in lower case, unless told.
  static var databaseTableName: String { get }

  /// What requests select unless they say otherwise; all columns, unless told.
  ///
  /// A type of its own must be given where it is declared: `static let databaseSelection: [any SQLSelectable]`. With
  /// another, Swift takes it for something else.
  static var databaseSelection: [any SQLSelectable] { get }
}

extension TableRecord {
  /// The name of the type: `player` of `Player`, `postalAddress` of `PostalAddress`, `httpRequest` of `HTTPRequest`,
  /// `toefl` of `TOEFL`.
  public static var databaseTableName: String { defaultTableName(of: String(describing: Self.self)) }

  /// All columns.
  public static var databaseSelection: [any SQLSelectable] { [AllColumns()] }

  /// How many columns the default selection has, by the schema.
  ///
  /// - Throws: `DatabaseError`, `AssociationError`.
  public static func numberOfSelectedColumns(_ db: Database) throws -> Int {
    let plan = try QueryInterfaceRequest<Self>(blueprint: RequestBlueprint(Self.self)).plan(db)
    return plan.nodes.first?.layout.columns.count ?? 0
  }

  /// The default selection as SQL, for the program's own statements: `"player".*`.
  ///
  /// An expression that depends on the schema, such as an aggregate of an association, can't be written without a
  /// database: a statement with such a selection throws when it is prepared.
  ///
  /// - Parameter alias: The name of the table in the statement, where it has another.
  public static func selectionSQL(alias: String? = nil) -> String {
    let name = alias ?? databaseTableName
    return databaseSelection.map { $0.sqlSelection.sql(of: name) }.joined(separator: ", ")
  }
}

extension SQLSelection {
  /// The selection as text in a statement that calls the record's table `name`.
  fileprivate func sql(of name: String) -> String {
    switch item {
    case .all, .allOf: return "\(SQL.quoted(name)).*"
    case .literal(let literal, _): return literal.sqlExpression.sql(of: name)
    case .expression(let expression, let key):
      return expression.sql(of: name) + (key.map { " AS \(SQL.quoted($0))" } ?? "")
    }
  }
}

extension SQLExpression {
  /// The expression as text in a statement that calls the record's table `name`, its values written out.
  fileprivate func sql(of name: String) -> String {
    if let columnName { return "\(SQL.quoted(name)).\(SQL.quoted(columnName))" }
    guard let known = withoutSchema else {
      // SQLite says that there is no such column, and with it why.
      return SQL.quoted("the selection of \(name), which needs a database to be written")
    }
    let table = Table(name: name, kind: .view, columns: [], primaryKey: [])
    let model = Model(rowsOf: Schema(tables: [table]))
    var node = RequestNode()
    node.fields = [.expression(NamedExpression(name: nil, expression: known))]
    let request = KindredAssociations.FetchRequest(path: RequestPath(resource: name), root: node)
    let columns = (try? Planner(model: model).selection(of: request)) ?? []
    return columns.map { column in
      column.replacingBindings { binding, _ in
        if case .value(let value) = binding { SQL(literal: value) } else { nil }
      }.rendered().text
    }.joined(separator: ", ")
  }
}

/// The name of a table for the name of a type: the capitals that it begins with in lower case, but the last of them
/// where it begins a word.
func defaultTableName(of type: String) -> String {
  let capitals = type.prefix { $0.isUppercase }
  let rest = type[capitals.endIndex...]
  guard capitals.count > 1, rest.first?.isLowercase == true, let last = capitals.last else {
    return capitals.lowercased() + rest
  }
  return capitals.dropLast().lowercased() + String(last) + rest
}
