import KindredModel
import KindredPlanning

/// Programs that write rows without loss (`profile=rows`): each record is an array of its members by position.
///
/// The storage class of a value decides how it is written, never the declared type of its column, so that a client
/// reads the values that the database holds. Names aren't written: the client knows them, since it names its fields.
struct RowPrograms {
  private var text: [UInt8] = []
  private var instructions: [ExecutablePlan.Instruction] = []
  /// The bytes before the next value: brackets and commas.
  private var pending = ""

  /// - Parameter ending: The text after each root record, in place of an array around all of them.
  static func make(
    _ plan: Plan, endingRecordsBy ending: String?
  ) -> (programs: [ExecutablePlan.Program], text: [UInt8]) {
    var writer = RowPrograms()
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
      pending += ending
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
    case .value(let column, _):
      append(.exact, column)
    case .object(let members):
      pending += "["
      for (number, member) in members.enumerated() {
        if number > 0 { pending += "," }
        // A level that the recursion omits is written as null, without what is before it.
        if member.isRepetition { flush() }
        write(member.shape)
      }
      pending += "]"
      flush()
    case .optional(let column, let shape):
      let number = instructions.count
      append(.optional, column, missing: "null")
      write(shape)
      flush()
      instructions[number].end = Int32(instructions.count)
    case .child(let node):
      append(.child, node, missing: "null")
    }
  }

  private mutating func append(
    _ operation: ExecutablePlan.Operation, _ operand: Int, missing: String = ""
  ) {
    instructions.append(
      ExecutablePlan.Instruction(
        operation, operand, prefix: text.put(pending.utf8), missing: text.put(missing.utf8)))
    pending = ""
  }

  private mutating func flush() {
    if !pending.isEmpty { append(.text, 0) }
  }
}
