/// An index that can find records by equality.
public struct Index: Sendable, Hashable {
  /// The names of its columns in index order; nil for an expression.
  public let columns: [String?]
  /// The collation of each column in the index; nil for the column's own.
  public let collations: [String?]
  /// Whether no two records have equal values in all of its columns, NULLs aside.
  public let isUnique: Bool
  /// The order of each column's values; nil if the index has none.
  public let orders: [Order]?
  /// The tests that the records meet which are in the index; empty if all are.
  public let tests: [NullTest]

  /// Creates an index over these columns, by default of all records, with the columns' own collations, and in no order.
  public init(
    columns: [String?], collations: [String?]? = nil, isUnique: Bool = false, orders: [Order]? = nil,
    tests: [NullTest] = []
  ) {
    self.columns = columns
    self.collations = collations ?? columns.map { _ in nil }
    self.isUnique = isUnique
    self.orders = orders
    self.tests = tests
  }

  /// The condition that a column is NULL, or that it isn't.
  public struct NullTest: Sendable, Hashable {
    /// The name of the column.
    public let column: String
    /// Whether it must be NULL.
    public let isNull: Bool

    /// Creates the condition that a column is NULL, or that it isn't.
    public init(_ column: String, isNull: Bool) { (self.column, self.isNull) = (column, isNull) }
  }

  /// The order of values.
  public struct Order: Sendable, Hashable {
    /// Whether the greatest values come first.
    public let isDescending: Bool
    /// Whether NULLs come before all values.
    public let nullsComeFirst: Bool

    /// Creates an order.
    public init(isDescending: Bool, nullsComeFirst: Bool) {
      (self.isDescending, self.nullsComeFirst) = (isDescending, nullsComeFirst)
    }

    /// The opposite order, in which an index is read backward.
    public var reversed: Order { Order(isDescending: !isDescending, nullsComeFirst: !nullsComeFirst) }
  }
}
