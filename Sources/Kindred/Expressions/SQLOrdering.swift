import KindredModel

/// A term of an order: an expression with its direction and its placement of NULLs.
public struct SQLOrdering: SQLOrderingTerm {
  let expression: SQLExpression
  var isDescending = false
  var nulls: SortTerm.Nulls?

  /// The term itself.
  public var sqlOrdering: SQLOrdering { self }

  /// The term as SQL.
  var rawParts: [SQLExpression.RawPart] {
    let nulls = nulls.map { $0 == .first ? " NULLS FIRST" : " NULLS LAST" }
    let words = (isDescending ? " DESC" : "") + (nulls ?? "")
    return [.expression(expression)] + (words.isEmpty ? [] : [.text(words)])
  }

  /// Returns the term in the opposite direction.
  public func reversed() -> SQLOrdering {
    SQLOrdering(
      expression: expression, isDescending: !isDescending,
      nulls: nulls.map { $0 == .first ? .last : .first })
  }
}

/// The columns that a request selects for a term of its selection.
public struct SQLSelection: SQLSelectable {
  /// The kind of a selection.
  enum Item: Sendable {
    /// All columns of the record.
    case all
    /// All columns of the record except those with these names.
    case allExcept([String])
    /// All columns of another record of the request except those with these names.
    case allOf(TableAliasBase, except: [String])
    case expression(SQLExpression, name: String?)
    /// SQL that selects any number of columns, from the record that the alias stands for if there is one.
    case literal(SQLLiteral, of: TableAliasBase?)
    /// What a closure returns when the request runs.
    case deferred(@Sendable (any ExpressionContext) throws -> [any SQLSelectable])
  }

  let item: Item

  init(_ item: Item) {
    self.item = item
  }

  /// The selection itself.
  public var sqlSelection: SQLSelection { self }
}

/// All columns of a table: `SELECT *`.
public struct AllColumns: SQLSelectable {
  /// All columns.
  public init() {}

  /// All columns.
  public var sqlSelection: SQLSelection { SQLSelection(.all) }
}

extension SQLSelectable where Self == AllColumns {
  /// All columns of the record.
  public static var allColumns: AllColumns { AllColumns() }
}

extension SQLSelectable where Self == SQLSelection {
  /// All columns of the record except some.
  public static func allColumns(excluding names: some Collection<String>) -> SQLSelection {
    SQLSelection(.allExcept(Array(names)))
  }

  /// All columns of the record except some.
  public static func allColumns(
    excluding columns: some Collection<any ColumnExpression>
  ) -> SQLSelection { SQLSelection(.allExcept(columns.map(\.name))) }
}

extension SQLSelectable where Self == Column {
  /// The rowid.
  public static var rowID: Column { .rowID }
}

extension SQLSelectable where Self == SQLExpression {
  /// The number of rows of a group: `COUNT(*)`.
  public static var countAll: SQLExpression { .call("count", []) }
}
