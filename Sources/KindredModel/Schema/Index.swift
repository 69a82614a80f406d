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

  /// Creates an index over these columns, by default with their own collations, and in no order.
  public init(
    columns: [String?], collations: [String?]? = nil, isUnique: Bool = false, orders: [Order]? = nil
  ) {
    self.columns = columns
    self.collations = collations ?? columns.map { _ in nil }
    self.isUnique = isUnique
    self.orders = orders
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
