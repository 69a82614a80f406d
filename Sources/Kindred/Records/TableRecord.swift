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
  /// - Parameter alias: The name of the table in the statement, where it has another.
  public static func selectionSQL(alias: String? = nil) -> String {
    let table = quoted(alias ?? databaseTableName)
    return databaseSelection.map { selectable in
      switch selectable.sqlSelection.item {
      case .all, .allOf: "\(table).*"
      case .expression(let expression, let name):
        if let column = expression.columnName {
          "\(table).\(quoted(column))" + (name.map { " AS \(quoted($0))" } ?? "")
        } else {
          "\(table).*"
        }
      case .literal(let literal): literal.text ?? "\(table).*"
      }
    }.joined(separator: ", ")
  }

  private static func quoted(_ name: String) -> String { "\"\(name.replacing("\"", with: "\"\""))\"" }
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
