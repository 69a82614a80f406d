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
    /// A child of the row at a place has to be read.
    case needsLevel(child: Int, below: Level, place: Int)
    /// More rows of a level have to be read, if there are any.
    case needsMore(of: Level)
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

  /// Continues the level that is being written with its next rows.
  mutating func go(on level: Level) {
    let range = level.range(of: 0)
    let top = frames.count - 1
    var frame = Frame(level: level, place: range.lowerBound, end: range.upperBound)
    frame.rows = frames[top].rows
    frames[top] = frame
  }

  /// Ends the result.
  mutating func finish() { output.append(nodes[0].frame.closing, of: text) }

  /// Frees the rows and the memory of the output; afterwards nothing more can be written.
  mutating func close() {
    frames = []
    _ = output.takePart()
  }

  /// Writes rows until a part is complete.
  mutating func run() -> Pause {
    while !frames.isEmpty {
      let pause = frames[frames.count - 1].isInRow ? writeRow() : nextRow()
      if let pause { return pause }
      if output.isFull { return .full }
    }
    return .needsRows
  }

  /// Begins the next row of the frame on top, or ends the frame.
  private mutating func nextRow() -> Pause? {
    let top = frames.count - 1
    if frames[top].place == frames[top].end, frames[top].level.rest != nil {
      return .needsMore(of: frames[top].level)
    }
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
      return nil
    }
    if frames[top].rows > 0 { output.append(node.pointee.frame.separator, of: text) }
    frames[top].rows += 1
    frames[top].instruction = node.pointee.firstInstruction
    frames[top].isInRow = true
    return nil
  }

  /// Writes the row of the frame on top, up to its end, to a child's frame, or until a part is complete: a row can repeat
  /// a long value under any number of names.
  private mutating func writeRow() -> Pause? {
    let top = frames.count - 1
    let level = frames[top].level
    let node = nodes + level.node
    let row = level.row(at: frames[top].place)
    let end = node.pointee.endInstruction
    var index = frames[top].instruction
    while index < end {
      guard !output.isFull else {
        frames[top].instruction = index
        return nil
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
        guard let found = child.level(at: frames[top].place) else {
          frames[top].instruction = index - 1
          return .needsLevel(child: number, below: level, place: frames[top].place)
        }
        output.append(instruction.pointee.prefix, of: text)
        output.append(nodes[number].frame.opening, of: text)
        frames[top].instruction = index
        let range = found.level.range(of: found.ordinal)
        frames.append(Frame(level: found.level, place: range.lowerBound, end: range.upperBound))
        return nil
      }
    }
    frames[top].isInRow = false
    frames[top].place += 1
    return nil
  }
}
