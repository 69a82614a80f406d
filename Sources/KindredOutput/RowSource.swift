/// The rows of a plan's nodes, as a ``ResultWriter`` reads them.
///
/// It is only used as a type parameter, so that the loop over the rows is specialised for each database.
public protocol RowSource: ~Copyable {
  /// Where the rows of a node below one record are being read.
  associatedtype Position
  /// Why reading can't continue: something has to be read or prepared first, or there is an error.
  associatedtype Obstacle

  /// Advances the innermost frame to its next row.
  ///
  /// After an obstacle, it is called again.
  ///
  /// - Parameters:
  ///   - frames: All frames, the innermost last.
  ///   - count: The number of frames.
  mutating func advance(
    _ frames: UnsafeMutablePointer<ResultFrame<Position>>, _ count: Int
  ) -> RowAdvance<Obstacle>

  /// Opens the rows of a node below the current row of the innermost frame.
  ///
  /// After an obstacle, it is called again.
  mutating func open(
    _ node: Int32, below frames: UnsafeMutablePointer<ResultFrame<Position>>, _ count: Int
  ) -> RowOpening<Position, Obstacle>

  /// Ends reading the rows of a node.
  func close(_ node: Int32, at position: Position)

  // MARK: Values of the current row

  /// Returns whether a value is NULL.
  func isNull(_ column: Int32, at position: Position) -> Bool

  /// Appends a value as JSON.
  ///
  /// Every source has its own way, since it is the way of most values.
  ///
  /// - Returns: False for a long value, which has to be written in slices.
  func append(
    _ column: Int32, at position: Position, as operation: ExecutablePlan.Operation,
    to output: inout OutputBuffer
  ) -> Bool

  /// Calls `body` with a value, which is written in slices or in another format.
  ///
  /// - Parameter range: The bytes that are needed if it is a BLOB.
  func withValue<Result>(
    _ column: Int32, at position: Position, bytes range: Range<Int>, _ body: (RowValue) -> Result
  ) -> Result
}

/// The rows of a node that are being written.
public struct ResultFrame<Position> {
  /// Where they are being read.
  public var position: Position
  /// The index of the node; -1 for a record of the path.
  public let node: Int32
  /// The next instruction of the row.
  @usableFromInline var instruction: Int32 = 0
  /// How much of a long value has been written, whose instruction is the previous one.
  @usableFromInline var written = WrittenLength()
  /// The number of rows begun.
  public var rows = 0
  /// Whether a row is being written; otherwise the next one is to be read.
  @usableFromInline var isInRow = false

  @inlinable
  init(position: Position, node: Int32) {
    self.position = position
    self.node = node
  }
}

/// The result of advancing to the next row.
public enum RowAdvance<Obstacle> {
  /// There is a row.
  case row
  /// There is a row, which is not part of the result.
  case skipped
  /// There are no more rows.
  case end
  /// Reading can't continue.
  case obstacle(Obstacle)
}

/// The result of opening the rows of a node.
public enum RowOpening<Position, Obstacle> {
  /// The first row is next.
  case opened(Position)
  /// The member is omitted, as by the last level of a recursion.
  case omitted
  /// Reading can't continue.
  case obstacle(Obstacle)
}
