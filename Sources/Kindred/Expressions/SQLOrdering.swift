import KindredAssociations

/// A term of an order.
public struct SQLOrdering: SQLOrderingTerm {
  let expression: SQLExpression
  var isDescending = false
  var nulls: SortTerm.Nulls?

  init(expression: SQLExpression, isDescending: Bool = false, nulls: SortTerm.Nulls? = nil) {
    self.expression = expression
    self.isDescending = isDescending
    self.nulls = nulls
  }

  /// The term itself.
  public var sqlOrdering: SQLOrdering { self }

  /// The term with the first last.
  public func reversed() -> SQLOrdering {
    SQLOrdering(
      expression: expression, isDescending: !isDescending,
      nulls: nulls.map { $0 == .first ? .last : .first })
  }
}

/// What is selected.
public struct SQLSelection: SQLSelectable {
  /// What it is.
  enum Item: Sendable {
    /// All columns of the record.
    case all
    /// All columns of another record of the request.
    case allOf(TableAlias)
    case expression(SQLExpression, name: String?)
    /// SQL of the program, as many columns as it has: about another record where there is an alias.
    case literal(SQLLiteral, of: TableAlias?)
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
