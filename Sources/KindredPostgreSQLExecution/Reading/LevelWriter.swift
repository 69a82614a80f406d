import KindredAssociations
import KindredOutput

/// Writes the root's rows with everything below them, part by part.
struct LevelWriter: ~Copyable {
  /// The reason why writing has paused.
  enum Pause {
    /// A part of the result is complete.
    case full
    /// All rows of the root have been written.
    case needsRows
  }

  private struct Frame {
    let level: Level
    var place: Int
    let end: Int
    var rows = 0
    var instruction: Int32 = 0
    var isInRow = false
  }

  private let plan: ExecutablePlan
  private let nodes: UnsafeMutablePointer<ExecutablePlan.Node>
  private let instructions: UnsafeMutablePointer<ExecutablePlan.Instruction>
  private let text: UnsafeMutablePointer<UInt8>
  private var frames: [Frame] = []
  /// The number of the root's rows that have been written.
  private var rootRows = 0
  var output = OutputBuffer(OutputMemory.take())

  init(_ plan: ExecutablePlan) {
    self.plan = plan
    nodes = plan.nodes
    instructions = plan.instructions
    text = plan.text
  }

  deinit { output.memory.giveBack() }

  /// Begins the result.
  mutating func begin() { output.append(nodes[0].frame.opening, of: text) }

  /// Adds rows of the root to be written.
  mutating func push(_ root: Level) {
    let range = root.range(of: 0)
    frames.append(Frame(level: root, place: range.lowerBound, end: range.upperBound, rows: rootRows))
  }

  /// Ends the result.
  mutating func finish() { output.append(nodes[0].frame.closing, of: text) }

  /// Transfers the part that was written last with its memory; afterwards nothing more can be written.
  mutating func takeOutput() -> ResultPart {
    let part = ResultPart(output.memory, count: output.count)
    output = OutputBuffer(OutputMemory(capacity: 0))
    frames = []
    return part
  }

  /// Writes rows until the part has `size` bytes.
  mutating func run(upTo size: Int) -> Pause {
    while !frames.isEmpty {
      if frames[frames.count - 1].isInRow { writeRow(upTo: size) } else { nextRow() }
      if output.count >= size { return .full }
    }
    return .needsRows
  }

  /// Begins the next row of the frame on top, or ends the frame.
  private mutating func nextRow() {
    let top = frames.count - 1
    let number = frames[top].level.node
    let node = nodes + number
    guard frames[top].place < frames[top].end, node.pointee.isToMany || frames[top].rows == 0 else {
      let frame = frames.removeLast()
      if number == 0 {
        rootRows = frame.rows
      } else if node.pointee.isToMany {
        output.append(node.pointee.frame.closing, of: text)
      } else if frame.rows == 0 {
        output.append(node.pointee.frame.missing, of: text)
      }
      return
    }
    if frames[top].rows > 0 { output.append(node.pointee.frame.separator, of: text) }
    frames[top].rows += 1
    frames[top].instruction = node.pointee.firstInstruction
    frames[top].isInRow = true
  }

  /// Writes the row of the frame on top, up to its end, to a child's frame, or until the part has `size` bytes: a row can
  /// repeat a long value under any number of names.
  private mutating func writeRow(upTo size: Int) {
    let top = frames.count - 1
    let level = frames[top].level
    let node = nodes + level.node
    let row = level.row(at: frames[top].place)
    let end = node.pointee.endInstruction
    var index = frames[top].instruction
    while index < end {
      guard output.count < size else {
        frames[top].instruction = index
        return
      }
      let instruction = instructions + Int(index)
      index += 1
      let place = Place(rows: level.rows, row: row, column: Int(instruction.pointee.operand))
      if instruction.pointee.operation != .child { output.append(instruction.pointee.prefix, of: text) }
      switch instruction.pointee.operation {
      case .value, .boolean, .json: output.append(place)
      case .text: break
      case .optional:
        if place.isNull {
          output.append(instruction.pointee.missing, of: text)
          index = instruction.pointee.end
        }
      case .absent:
        if !place.isNull { index = instruction.pointee.end }
      case .long:
        if !place.isLong { index = instruction.pointee.end }
      case .key:
        if place.isDotSegment { output.append(instruction.pointee.missing, of: text) }
        output.append(place, inFormatOf: .key)
      case .csvValue, .csvBoolean, .htmlValue, .htmlBoolean, .htmlText, .htmlCell, .htmlBooleanCell,
        .htmlCount,
        .segment:
        output.append(place, inFormatOf: instruction.pointee.operation)
      case .child:
        // The last level of a recursion has no child level.
        let number = Int(instruction.pointee.operand)
        guard let child = level.children[number] else { continue }
        output.append(instruction.pointee.prefix, of: text)
        output.append(nodes[number].frame.opening, of: text)
        frames[top].instruction = index
        let range = child.level.range(of: Int(child.ordinals[frames[top].place]))
        frames.append(Frame(level: child.level, place: range.lowerBound, end: range.upperBound))
        return
      }
    }
    frames[top].isInRow = false
    frames[top].place += 1
  }
}
