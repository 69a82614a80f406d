import KindredModel
import KindredPlanning

/// Programs that write JSON (RFC 8259): instructions for the values, and the constant bytes between them.
struct JSONPrograms {
  private var text: [UInt8] = []
  private var instructions: [ExecutablePlan.Instruction] = []
  /// The bytes before the next value: braces, commas, names.
  private var pending: [UInt8] = []

  /// - Parameter ending: the text after each root record, in place of an array around all of them.
  static func make(
    _ plan: Plan, endingRecordsBy ending: String? = nil
  ) -> (programs: [ExecutablePlan.Program], text: [UInt8]) {
    var writer = JSONPrograms()
    let programs = plan.nodes.enumerated().map { number, node in
      writer.program(of: node, endingRecordsBy: number == 0 ? ending : nil)
    }
    return (programs, writer.text)
  }

  private mutating func program(
    of node: Plan.Node, endingRecordsBy ending: String?
  ) -> ExecutablePlan.Program {
    var program = ExecutablePlan.Program()
    instructions = []
    write(node.shape)
    if let ending {
      pending += ending.utf8
      flush()
    } else if node.isToMany {
      program.frame = ExecutablePlan.Frame(
        opening: text.put("[".utf8), separator: text.put(",".utf8), closing: text.put("]".utf8))
    } else {
      program.frame.missing = text.put("null".utf8)
    }
    program.instructions = instructions
    return program
  }

  private mutating func write(_ shape: RecordShape) {
    switch shape {
    case .value(let column, let format):
      let operation: ExecutablePlan.Operation =
        switch format {
        case .plain: .value
        case .boolean: .boolean
        case .json, .part: .json
        }
      append(operation, column)
    case .object(let members):
      pending.append(UInt8(ascii: "{"))
      for (number, member) in members.enumerated() { write(member, isFirst: number == 0) }
      pending.append(UInt8(ascii: "}"))
      // Flush, so that a skipped optional or an omitted level can't take the closing brace with it.
      flush()
    case .optional(let column, let shape):
      let number = instructions.count
      append(.optional, column)
      instructions[number].missing = text.put("null".utf8)
      write(shape)
      flush()
      instructions[number].end = Int32(instructions.count)
    case .child(let node):
      append(.child, node)
    }
  }

  private mutating func write(_ member: RecordShape.Member, isFirst: Bool) {
    // The last level of a recursion omits the member together with its prefix.
    if member.isRepetition { flush() }
    if !isFirst { pending.append(UInt8(ascii: ",")) }
    pending.append(quoted: member.name)
    pending.append(UInt8(ascii: ":"))
    write(member.shape)
  }

  private mutating func append(_ operation: ExecutablePlan.Operation, _ operand: Int) {
    instructions.append(
      ExecutablePlan.Instruction(operation, operand, prefix: text.put(pending)))
    pending = []
  }

  private mutating func flush() {
    if !pending.isEmpty { append(.text, 0) }
  }
}
