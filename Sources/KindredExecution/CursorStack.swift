import CKindredSQLite
import KindredAssociations
import KindredOutput

/// The nested cursors that are being read, the innermost on top, and the loop that writes their rows.
///
/// An explicit stack instead of recursion lets reading pause after any row until the client has taken what was
/// written. The loop neither allocates nor counts references: its state is plain structs in memory of its own, and
/// a statement is SQLite's pointer.
struct CursorStack: ~Copyable {
  /// A cursor that is being read.
  struct Frame {
    var statement: OpaquePointer
    /// The index of the node; -1 for a statement of the path.
    var node: Int32
    /// The next instruction of the row.
    var instruction: Int32 = 0
    /// The number of bytes written of a long value, whose instruction is the previous one; 0 if none has been
    /// begun.
    var written = 0
    var rows = 0
    /// The number of rows that the offset of a recursive node has skipped.
    var skipped = 0
    /// Whether a row is being written; otherwise the next one is to be read.
    var isInRow = false
    /// The level of a recursive node, from 1; 0 for other nodes.
    var recursionLevel: Int32 = 0
  }

  /// The range of records that a node returns.
  struct Page {
    var limit = Int.max
    var offset = 0
  }

  /// The reason why the loop has stopped.
  enum Pause {
    /// A part of the result is complete.
    case full
    /// The whole result has been written.
    case finished
    /// The statement of this node is needed for the first time, and has to be prepared and pushed.
    case unprepared(node: Int32, recursionLevel: Int32)
    /// The page's last record has been written, and its statement is on top.
    case lastRecord
    /// SQLite returned this error code.
    case failed(Int32)
  }

  var output = OutputBuffer(.take())
  /// Whether records follow the last one of the page.
  private(set) var hasMore = false
  private(set) var isFinished = false
  /// The number of frames.
  private(set) var count = 0

  private let plan: ExecutablePlan
  private let nodes: UnsafeMutablePointer<ExecutablePlan.Node>
  private let nodeCount: Int
  private let instructions: UnsafeMutablePointer<ExecutablePlan.Instruction>
  private let ancestors: UnsafeMutablePointer<ExecutablePlan.Ancestor>
  private let text: UnsafeMutablePointer<UInt8>
  private let limit: Int
  private var frames: UnsafeMutablePointer<Frame>
  private var capacity: Int
  /// The statements prepared so far, by level of recursion and node.
  private let slots: UnsafeMutablePointer<OpaquePointer?>
  private let slotCount: Int
  /// The page of each node, if any is recursive.
  private var pages: [Page] = []
  /// The state of each merge-joined node.
  let mergeStates: UnsafeMutablePointer<MergeState>

  /// - Parameter limit: The maximum number of the root's rows; one more is read to find out whether more follow.
  init(_ plan: ExecutablePlan, limit: Int?) {
    self.plan = plan
    nodes = plan.nodes
    nodeCount = plan.nodeCount
    instructions = plan.instructions
    ancestors = plan.ancestors
    text = plan.text
    self.limit = limit ?? .max
    capacity = plan.plan.path.count + 16
    frames = .allocate(capacity: capacity)
    slotCount = nodeCount * (plan.recursionLevels + 1)
    slots = .allocate(capacity: slotCount)
    slots.initialize(repeating: nil, count: slotCount)
    mergeStates = .allocate(capacity: nodeCount)
    mergeStates.initialize(repeating: .notStarted, count: nodeCount)
  }

  deinit {
    frames.deallocate()
    slots.deallocate()
    mergeStates.deallocate()
    output.memory.giveBack()
  }

  /// Sets the page of a recursive node, which does not count records that are their own ancestors.
  mutating func setPage(_ page: Page, of node: Int) {
    if pages.isEmpty { pages = Array(repeating: Page(), count: nodeCount) }
    pages[node] = page
  }

  // MARK: Frames

  /// Returns the statement of a frame; the outermost has index 0.
  func statement(_ index: Int) -> OpaquePointer { frames[index].statement }

  mutating func removeAll() {
    count = 0
    isFinished = true
  }

  mutating func push(_ statement: OpaquePointer, node: Int32, recursionLevel: Int32 = 0) {
    if count == capacity {
      let larger = UnsafeMutablePointer<Frame>.allocate(capacity: capacity * 2)
      larger.update(from: frames, count: count)
      frames.deallocate()
      frames = larger
      capacity *= 2
    }
    (frames + count).initialize(to: Frame(statement: statement, node: node, recursionLevel: recursionLevel))
    count += 1
  }

  /// Stores a statement for its node, and pushes it.
  mutating func prepare(_ statement: OpaquePointer, node: Int32, recursionLevel: Int32) -> Int32 {
    slots[Int(recursionLevel) * nodeCount + Int(node)] = statement
    return start(statement, node, recursionLevel)
  }

  /// Binds a statement to the rows of its ancestors, and pushes it.
  @inline(__always)
  private mutating func start(_ statement: OpaquePointer, _ node: Int32, _ recursionLevel: Int32) -> Int32 {
    if mergeStates[Int(node)] == .notStarted {
      let code = bind(statement, node, below: count)
      guard code == SQLITE_OK else { return code }
    }
    push(statement, node: node, recursionLevel: recursionLevel)
    return SQLITE_OK
  }

  /// Binds a statement to the rows of the frames below an index of the stack.
  @inline(__always)
  func bind(_ statement: OpaquePointer, _ node: Int32, below place: Int) -> Int32 {
    var index = Int(nodes[Int(node)].firstAncestor)
    let end = Int(nodes[Int(node)].endAncestor)
    while index < end {
      // Values pass from one statement to the other without a copy in Swift.
      let above = frames[place - Int(ancestors[index].level)].statement
      let code = sqlite3_bind_value(
        statement, ancestors[index].parameter, sqlite3_column_value(above, ancestors[index].column))
      guard code == SQLITE_OK else { return code }
      index += 1
    }
    return SQLITE_OK
  }

  // MARK: The loop

  /// Begins the result when the root's statement is on top.
  mutating func begin() { output.append(nodes[0].frame.opening, of: text) }

  /// Writes rows until a part of the result is complete, or something else is needed.
  mutating func run() -> Pause {
    while !isFinished {
      if !frames[count - 1].isInRow {
        if let pause = nextRow() { return pause }
      } else if let pause = writeRow() {
        return pause
      }
      if output.isFull { return .full }
    }
    return .finished
  }

  /// Reads the next row of the cursor on top, or ends the cursor.
  @inline(__always)
  mutating func nextRow() -> Pause? {
    let frame = frames + (count - 1)
    let node = nodes + Int(frame.pointee.node)
    // A to-one association has at most one row.
    guard node.pointee.isToMany || frame.pointee.rows == 0,
      !node.pointee.isRecursive || frame.pointee.rows < pages[Int(frame.pointee.node)].limit
    else {
      end()
      return nil
    }
    let code =
      node.pointee.isMergeJoined
      ? nextMergedRow(frame, node, above: frames[count - 2].statement) : sqlite3_step(frame.pointee.statement)
    switch code {
    case SQLITE_ROW: break
    case SQLITE_DONE:
      end()
      return nil
    default: return .failed(code)
    }
    if node.pointee.isRecursive, isLeftOut(frame) { return nil }
    if frame.pointee.rows > 0 {
      if frame.pointee.node == 0, frame.pointee.rows >= limit {
        hasMore = true
        end()
        return nil
      }
      output.append(node.pointee.frame.separator, of: text)
    } else if limit == 0, frame.pointee.node == 0 {
      hasMore = true
      end()
      return nil
    }
    frame.pointee.rows += 1
    frame.pointee.instruction = node.pointee.firstInstruction
    frame.pointee.isInRow = true
    return nil
  }

  /// Returns whether the row of a recursive node is skipped, as its own ancestor or by the offset.
  @inline(never)
  private mutating func isLeftOut(_ frame: UnsafeMutablePointer<Frame>) -> Bool {
    if isOwnAncestor() { return true }
    guard frame.pointee.skipped < pages[Int(frame.pointee.node)].offset else { return false }
    frame.pointee.skipped += 1
    return true
  }

  /// Ends the cursor on top.
  private mutating func end() {
    let frame = frames[count - 1]
    let node = nodes + Int(frame.node)
    if !node.pointee.isMergeJoined { sqlite3_reset(frame.statement) }
    count -= 1
    if frame.node == 0 {
      isFinished = true
      output.append(node.pointee.frame.closing, of: text)
    } else if node.pointee.isToMany {
      output.append(node.pointee.frame.closing, of: text)
    } else if frame.rows == 0 {
      output.append(node.pointee.frame.missing, of: text)
    }
  }

  /// Writes the row of the cursor on top, up to its end or to a child's cursor.
  @inline(__always)
  private mutating func writeRow() -> Pause? {
    let frame = frames + (count - 1)
    let node = nodes + Int(frame.pointee.node)
    let statement = frame.pointee.statement
    let end = node.pointee.endInstruction
    var index = frame.pointee.instruction
    if frame.pointee.written > 0, !writeLong(instructions + Int(index - 1), of: frame) { return .full }
    while index < end {
      // Checked for each instruction: a row can repeat a value under any number of names.
      if output.isFull {
        frame.pointee.instruction = index
        return .full
      }
      let instruction = instructions + Int(index)
      index += 1
      if instruction.pointee.operation != .child { output.append(instruction.pointee.prefix, of: text) }
      switch instruction.pointee.operation {
      case .value, .boolean, .json:
        let operation = instruction.pointee.operation
        if !output.append(column: instruction.pointee.operand, of: statement, as: operation),
          !writeLong(instruction, of: frame)
        {
          frame.pointee.instruction = index
          return .full
        }
      case .text:
        break
      case .optional:
        if sqlite3_column_type(statement, instruction.pointee.operand) == SQLITE_NULL {
          output.append(instruction.pointee.missing, of: text)
          index = instruction.pointee.end
        }
      case .absent:
        if sqlite3_column_type(statement, instruction.pointee.operand) != SQLITE_NULL {
          index = instruction.pointee.end
        }
      case .long:
        if !OutputBuffer.isLong(sqlite3_column_value(statement, instruction.pointee.operand)) {
          index = instruction.pointee.end
        }
      case .key, .csvValue, .csvBoolean, .htmlValue, .htmlBoolean, .htmlText, .htmlCell, .htmlBooleanCell,
        .htmlCount, .segment:
        if !writeLong(instruction, of: frame) {
          frame.pointee.instruction = index
          return .full
        }
      case .child:
        let child = instruction.pointee.operand
        let level = recursionLevel(of: child, below: frame)
        if child == node.pointee.repetition, level > node.pointee.levels { continue }
        output.append(instruction.pointee.prefix, of: text)
        output.append(nodes[Int(child)].frame.opening, of: text)
        frame.pointee.instruction = index
        guard let prepared = slots[Int(level) * nodeCount + Int(child)] else {
          return .unprepared(node: child, recursionLevel: level)
        }
        let code = start(prepared, child, level)
        return code == SQLITE_OK ? nil : .failed(code)
      }
    }
    frame.pointee.isInRow = false
    return frame.pointee.node == 0 && frame.pointee.rows == limit ? .lastRecord : nil
  }

  /// Writes a long value, or a value in a format other than JSON; false if a part of the result is complete before
  /// its end.
  ///
  /// Not inlined, so that the loop over JSON values stays small.
  @inline(never)
  private mutating func writeLong(
    _ instruction: UnsafeMutablePointer<ExecutablePlan.Instruction>, of frame: UnsafeMutablePointer<Frame>
  ) -> Bool {
    let (column, operation) = (instruction.pointee.operand, instruction.pointee.operation)
    let statement = frame.pointee.statement
    let isBegun = frame.pointee.written > 0
    if operation == .key, !isBegun, OutputBuffer.isDotSegment(column, of: statement) {
      output.append(instruction.pointee.missing, of: text)
    }
    if operation == .json, !isBegun, output.append(validJSONIn: column, of: statement) { return true }
    guard let value = LongValue(column, of: statement, as: operation) else {
      output.append(column: column, of: statement, inFormatOf: operation)
      return true
    }
    if !isBegun { output.append(value.opening) }
    guard let written = value.write(from: frame.pointee.written, to: &output) else {
      output.append(value.closing)
      frame.pointee.written = 0
      return true
    }
    frame.pointee.written = written
    return false
  }

  // MARK: Recursion

  @inline(__always)
  private func recursionLevel(of child: Int32, below frame: UnsafeMutablePointer<Frame>) -> Int32 {
    guard nodes[Int(child)].isRecursive else { return 0 }
    return nodes[Int(frame.pointee.node)].repetition == child ? frame.pointee.recursionLevel + 1 : 1
  }

  /// Returns whether the record on top is identical to one of its ancestors.
  @inline(never)
  private func isOwnAncestor() -> Bool {
    let top = count - 1
    guard let recursion = plan.statements[Int(frames[top].node)].recursion else { return false }
    var index = top
    while let above = plan.statements[Int(frames[index].node)].recursion {
      let matches = zip(recursion.identity, above.baseIdentity).allSatisfy { own, other in
        ColumnComparison.isSame(frames[top].statement, Int32(own), frames[index - 1].statement, Int32(other))
      }
      if matches { return true }
      if frames[index].recursionLevel == 1 { return false }
      index -= 1
    }
    return false
  }
}
