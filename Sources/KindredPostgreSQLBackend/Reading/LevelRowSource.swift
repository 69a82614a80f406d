import KindredOutput

/// The rows of levels, which are read when they are needed.
struct LevelRowSource: RowSource {
  /// The current place of a level.
  struct Position {
    /// Nil if the rows have been freed.
    var level: Level?
    var place: Int
    let end: Int

    /// The places below a record of the parent level, before the first one.
    init(_ level: Level, of ordinal: Int) {
      let range = level.range(of: ordinal)
      self.level = level
      place = range.lowerBound - 1
      end = range.upperBound
    }

    /// Returns a value of the current row, which is valid as long as the position holds its level.
    @inline(__always)
    func value(_ column: Int32) -> Place? {
      level.map { $0.rows.place($0.row(at: place), Int(column)) }
    }
  }

  typealias Frame = ResultFrame<Position>

  /// The reason why reading can't continue.
  enum Obstacle {
    /// The root's next rows have to be read.
    case needsRows
    /// More rows of a level have to be read, if there are any.
    case needsMore(of: Level)
    /// A child of the row at a place has to be read.
    case needsLevel(child: Int, below: Level, place: Int)
  }

  /// Whether further rows of the root follow the ones read so far.
  var hasMoreRows = false

  @inline(__always)
  mutating func advance(_ frames: UnsafeMutablePointer<Frame>, _ count: Int) -> RowAdvance<Obstacle> {
    let frame = frames + (count - 1)
    let next = frame.pointee.position.place + 1
    if next < frame.pointee.position.end {
      frame.pointee.position.place = next
      return .row
    }
    if let level = frame.pointee.position.level, level.rest != nil { return .obstacle(.needsMore(of: level)) }
    return frame.pointee.node == 0 && hasMoreRows ? .obstacle(.needsRows) : .end
  }

  func open(
    _ node: Int32, below frames: UnsafeMutablePointer<Frame>, _ count: Int
  ) -> RowOpening<Position, Obstacle> {
    let above = frames + (count - 1)
    let place = above.pointee.position.place
    // The last level of a recursion has no child level.
    guard let level = above.pointee.position.level, let child = level.children[Int(node)] else {
      return .omitted
    }
    guard let found = child.level(at: place) else {
      return .obstacle(.needsLevel(child: Int(node), below: level, place: place))
    }
    return .opened(Position(found.level, of: found.ordinal))
  }

  func close(_ node: Int32, at position: Position) {}

  // MARK: Values

  func isNull(_ column: Int32, at position: Position) -> Bool { position.value(column)?.isNull ?? true }

  @inline(__always)
  func append(
    _ column: Int32, at position: Position, as operation: ExecutablePlan.Operation,
    to output: inout OutputBuffer
  ) -> Bool {
    guard let value = position.value(column) else { return true }
    if operation == .exact { output.append(exact: value) } else { output.append(value) }
    return true
  }

  func withValue<Result>(
    _ column: Int32, at position: Position, bytes range: Range<Int>, _ body: (RowValue) -> Result
  ) -> Result {
    guard let value = position.value(column) else { return body(.null) }
    return value.withValue(bytes: range, body)
  }
}

extension ResultWriter<LevelRowSource> {
  /// Continues the frame on top with the next rows of its node.
  mutating func goOn(with level: Level) {
    frames[count - 1].position = LevelRowSource.Position(level, of: 0)
  }

  /// Frees the rows of the frame on top, all of which have been written.
  mutating func freeRows() { frames[count - 1].position.level = nil }
}
