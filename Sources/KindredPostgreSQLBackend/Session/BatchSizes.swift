/// The number of records that are read from a cursor at once, with everything below them.
public struct BatchSizes: Sendable {
  /// The number for the first batch, after which it adapts to the size of the records.
  public var first: Int
  /// The maximum number.
  public var largest: Int
  /// The maximum number of records of one association that are held at once.
  public var level: Int

  /// Creates the sizes.
  public init(first: Int = 64, largest: Int = 1000, level: Int = 10_000) {
    self.first = max(1, first)
    self.largest = max(1, largest)
    self.level = max(1, level)
  }
}
