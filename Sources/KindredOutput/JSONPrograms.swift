import KindredPlanning

/// Programs that write JSON (RFC 8259): instructions for the values, and the constant bytes between them.
struct JSONPrograms {
  /// How records are written.
  enum Records {
    /// As objects.
    case objects
    /// Without loss (`profile=rows`), as arrays of their members by position.
    ///
    /// The storage class of a value decides how it is written, never the declared type of its column, so that a client
    /// reads the values that the database holds. Names aren't written: the client knows them, since it names its
    /// fields.
    case arrays
  }

  private let records: Records
  private var text: [UInt8] = []
  private var instructions: [ExecutablePlan.Instruction] = []
  /// The bytes before the next value: brackets, commas, names.
  private var pending: [UInt8] = []

  private init(_ records: Records) { self.records = records }

  /// - Parameter ending: The text after each root record, in place of an array around all of them.
  static func make(
    _ plan: Plan, _ records: Records = .objects, endingRecordsBy ending: String? = nil
  ) -> (programs: [ExecutablePlan.Program], text: [UInt8]) {
    var writer = JSONPrograms(records)
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
      append(operation(format), column)
    case .object(let members):
      pending += (records == .objects ? "{" : "[").utf8
      for (number, member) in members.enumerated() { write(member, isFirst: number == 0) }
      pending += (records == .objects ? "}" : "]").utf8
      // Flush, so that a skipped optional or an omitted level can't take the closing bracket with it.
      flush()
    case .optional(let column, let shape):
      let number = instructions.count
      append(.optional, column, missing: "null")
      write(shape)
      flush()
      instructions[number].end = Int32(instructions.count)
    case .child(let node):
      append(.child, node, missing: records == .objects ? "" : "null")
    }
  }

  private func operation(_ format: Plan.ValueFormat) -> ExecutablePlan.Operation {
    guard records == .objects else { return .exact }
    return switch format {
    case .plain: .value
    case .boolean: .boolean
    case .json, .part: .json
    }
  }

  private mutating func write(_ member: RecordShape.Member, isFirst: Bool) {
    // The last level of a recursion omits the member of an object together with its prefix; in an array it is null.
    if member.isRepetition, records == .objects { flush() }
    if !isFirst { pending.append(UInt8(ascii: ",")) }
    if member.isRepetition, records == .arrays { flush() }
    if records == .objects {
      pending.append(quoted: member.name)
      pending.append(UInt8(ascii: ":"))
    }
    write(member.shape)
  }

  private mutating func append(
    _ operation: ExecutablePlan.Operation, _ operand: Int, missing: String = ""
  ) {
    instructions.append(
      ExecutablePlan.Instruction(
        operation, operand, prefix: text.put(pending), missing: text.put(missing.utf8)))
    pending = []
  }

  private mutating func flush() {
    if !pending.isEmpty { append(.text, 0) }
  }
}
