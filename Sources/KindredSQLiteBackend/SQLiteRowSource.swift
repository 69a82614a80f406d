import CKindredSQLite
import KindredPlanning
import KindredOutput

/// The rows of SQLite's cursors.
///
/// It neither allocates nor counts references while rows are read: a position is SQLite's pointer to a statement.
struct SQLiteRowSource: RowSource, ~Copyable {
  /// A cursor that is being read.
  struct Position: BitwiseCopyable {
    var statement: OpaquePointer
    /// The level of a recursive node, from 1; 0 for other nodes.
    var recursionLevel: Int32 = 0
    /// The number of rows that the offset of a recursive node has skipped.
    var skipped = 0
  }

  typealias Frame = ResultFrame<Position>

  /// The range of records that a node returns.
  struct Page {
    var limit = Int.max
    var offset = 0
  }

  /// The reason why reading can't continue.
  enum Obstacle {
    /// The statement of this node is needed for the first time, and must be prepared.
    case unprepared(node: Int32, recursionLevel: Int32)
    /// SQLite returned this error code.
    case failed(Int32)
  }

  let plan: ExecutablePlan
  private let nodes: UnsafeMutablePointer<ExecutablePlan.Node>
  private let nodeCount: Int
  private let ancestors: UnsafeMutablePointer<ExecutablePlan.Ancestor>
  /// The statements prepared so far, by level of recursion and node.
  private let slots: UnsafeMutablePointer<OpaquePointer?>
  /// The page of each node, if any is recursive.
  private var pages: [Page] = []
  /// The state of each merge-joined node.
  let mergeStates: UnsafeMutablePointer<MergeState>

  init(_ plan: ExecutablePlan) {
    self.plan = plan
    nodes = plan.nodes
    nodeCount = plan.nodeCount
    ancestors = plan.ancestors
    let slotCount = nodeCount * (plan.recursionLevels + 1)
    slots = .allocate(capacity: slotCount)
    slots.initialize(repeating: nil, count: slotCount)
    mergeStates = .allocate(capacity: nodeCount)
    mergeStates.initialize(repeating: .notStarted, count: nodeCount)
  }

  deinit {
    slots.deallocate()
    mergeStates.deallocate()
  }

  /// Sets the page of a recursive node, which does not count records that are their own ancestors.
  mutating func setPage(_ page: Page, of node: Int) {
    if pages.isEmpty { pages = Array(repeating: Page(), count: nodeCount) }
    pages[node] = page
  }

  // MARK: Cursors

  /// Stores the statement of a node.
  mutating func set(_ statement: OpaquePointer, of node: Int32, recursionLevel: Int32) {
    slots[Int(recursionLevel) * nodeCount + Int(node)] = statement
  }

  @inline(__always)
  mutating func open(
    _ node: Int32, below frames: UnsafeMutablePointer<Frame>, _ count: Int
  ) -> RowOpening<Position, Obstacle> {
    let above = frames + (count - 1)
    let level = recursionLevel(of: node, below: above)
    let parent = nodes + Int(above.pointee.node)
    if node == parent.pointee.repetition, level > parent.pointee.levels { return .omitted }
    guard let prepared = slots[Int(level) * nodeCount + Int(node)] else {
      return .obstacle(.unprepared(node: node, recursionLevel: level))
    }
    if mergeStates[Int(node)] == .notStarted {
      let code = bind(prepared, node, below: frames, count)
      guard code == SQLITE_OK else { return .obstacle(.failed(code)) }
    }
    return .opened(Position(statement: prepared, recursionLevel: level))
  }

  /// Binds a statement to the rows of the frames below an index of the stack.
  @inline(__always)
  func bind(
    _ statement: OpaquePointer, _ node: Int32, below frames: UnsafeMutablePointer<Frame>, _ count: Int
  ) -> Int32 {
    var index = Int(nodes[Int(node)].firstAncestor)
    let end = Int(nodes[Int(node)].endAncestor)
    while index < end {
      // Values pass from one statement to the other without a copy in Swift.
      let above = frames[count - Int(ancestors[index].level)].position.statement
      let code = sqlite3_bind_value(
        statement, ancestors[index].parameter, sqlite3_column_value(above, ancestors[index].column))
      guard code == SQLITE_OK else { return code }
      index += 1
    }
    return SQLITE_OK
  }

  @inline(__always)
  mutating func advance(_ frames: UnsafeMutablePointer<Frame>, _ count: Int) -> RowAdvance<Obstacle> {
    let frame = frames + (count - 1)
    let node = nodes + Int(frame.pointee.node)
    if node.pointee.isRecursive, frame.pointee.rows >= pages[Int(frame.pointee.node)].limit { return .end }
    let code =
      node.pointee.isMergeJoined
      ? nextMergedRow(frames, count, node) : sqlite3_step(frame.pointee.position.statement)
    switch code {
    case SQLITE_ROW: break
    case SQLITE_DONE: return .end
    default: return .obstacle(.failed(code))
    }
    return node.pointee.isRecursive && isLeftOut(frames, count) ? .skipped : .row
  }

  func close(_ node: Int32, at position: Position) {
    if !nodes[Int(node)].isMergeJoined { sqlite3_reset(position.statement) }
  }

  // MARK: Values

  @inline(__always)
  func isNull(_ column: Int32, at position: Position) -> Bool {
    sqlite3_column_type(position.statement, column) == SQLITE_NULL
  }

  @inline(__always)
  func append(
    _ column: Int32, at position: Position, as operation: ExecutablePlan.Operation,
    to output: inout OutputBuffer
  ) -> Bool {
    output.append(column: column, of: position.statement, as: operation)
  }

  @inline(__always)
  func withValue<Result>(
    _ column: Int32, at position: Position, bytes range: Range<Int>, _ body: (RowValue) -> Result
  ) -> Result {
    let value = sqlite3_column_value(position.statement, column)
    switch sqlite3_value_type(value) {
    case SQLITE_INTEGER: return body(.integer(sqlite3_value_int64(value)))
    case SQLITE_FLOAT: return body(.real(sqlite3_value_double(value)))
    case SQLITE_TEXT: return body(.text(OutputBuffer.text(value)))
    case SQLITE_BLOB:
      let bytes = OutputBuffer.blob(value)
      if let long = LongStoredValue(bytes) {
        let beginning = long.beginning
        return body(
          long.isText
            ? .beginning(beginning, of: long.count)
            : .bytes(
              UnsafeRawBufferPointer(rebasing: beginning[range.clamped(to: beginning.indices)]),
              of: long.count))
      }
      return body(
        .bytes(UnsafeRawBufferPointer(rebasing: bytes[range.clamped(to: bytes.indices)]), of: bytes.count))
    default: return body(.null)
    }
  }

  // MARK: Recursion

  @inline(__always)
  private func recursionLevel(of child: Int32, below frame: UnsafeMutablePointer<Frame>) -> Int32 {
    guard nodes[Int(child)].isRecursive else { return 0 }
    return nodes[Int(frame.pointee.node)].repetition == child ? frame.pointee.position.recursionLevel + 1 : 1
  }

  /// Returns whether the row of a recursive node is skipped, as its own ancestor or by the offset.
  @inline(never)
  private mutating func isLeftOut(_ frames: UnsafeMutablePointer<Frame>, _ count: Int) -> Bool {
    let frame = frames + (count - 1)
    if isOwnAncestor(frames, count) { return true }
    guard frame.pointee.position.skipped < pages[Int(frame.pointee.node)].offset else { return false }
    frame.pointee.position.skipped += 1
    return true
  }

  /// Returns whether the innermost record is identical to one of its ancestors.
  @inline(never)
  private func isOwnAncestor(_ frames: UnsafeMutablePointer<Frame>, _ count: Int) -> Bool {
    let top = count - 1
    guard let recursion = plan.statements[Int(frames[top].node)].recursion else { return false }
    var index = top
    while let above = plan.statements[Int(frames[index].node)].recursion {
      let matches = zip(recursion.identity, above.baseIdentity).allSatisfy { own, other in
        ColumnComparison.isSame(
          frames[top].position.statement, Int32(own), frames[index - 1].position.statement, Int32(other))
      }
      if matches { return true }
      if frames[index].position.recursionLevel == 1 { return false }
      index -= 1
    }
    return false
  }
}

/// Compares columns of the current rows of two statements byte by byte.
enum ColumnComparison {
  /// Returns whether both hold the same value in the same storage class.
  static func isSame(
    _ left: OpaquePointer, _ leftColumn: Int32, _ right: OpaquePointer, _ rightColumn: Int32
  ) -> Bool {
    let type = sqlite3_column_type(left, leftColumn)
    guard type == sqlite3_column_type(right, rightColumn) else { return false }
    switch type {
    case SQLITE_INTEGER:
      return sqlite3_column_int64(left, leftColumn) == sqlite3_column_int64(right, rightColumn)
    case SQLITE_FLOAT:
      return sqlite3_column_double(left, leftColumn) == sqlite3_column_double(right, rightColumn)
    case SQLITE_NULL: return true
    default:
      let leftBytes = sqlite3_column_blob(left, leftColumn)
      let rightBytes = sqlite3_column_blob(right, rightColumn)
      let count = sqlite3_column_bytes(left, leftColumn)
      guard count == sqlite3_column_bytes(right, rightColumn) else { return false }
      return UnsafeRawBufferPointer(start: leftBytes, count: leftBytes == nil ? 0 : Int(count))
        .elementsEqual(UnsafeRawBufferPointer(start: rightBytes, count: rightBytes == nil ? 0 : Int(count)))
    }
  }
}
