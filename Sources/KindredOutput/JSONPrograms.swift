import KindredAssociations

/// Programs that write JSON (RFC 8259): those of the plan as they are.
enum JSONPrograms {
  /// - Parameter ending: what ends each record of the root instead of the array around them.
  static func make(
    _ plan: Plan, endingRecordsBy ending: String? = nil
  ) -> (programs: [ExecutablePlan.Program], text: [UInt8]) {
    var text: [UInt8] = []
    let programs = plan.nodes.enumerated().map { number, node in
      var program = ExecutablePlan.Program()
      program.instructions = node.program.map { instruction($0, &text) }
      if number == 0, let ending {
        program.instructions.append(
          ExecutablePlan.Instruction(operation: .text, operand: 0, prefix: text.put(ending.utf8)))
      } else if node.isToMany {
        program.frame = ExecutablePlan.Frame(
          opening: text.put("[".utf8), separator: text.put(",".utf8), closing: text.put("]".utf8))
      } else {
        program.frame.missing = text.put("null".utf8)
      }
      return program
    }
    return (programs, text)
  }

  private static func instruction(
    _ instruction: Plan.Instruction, _ text: inout [UInt8]
  ) -> ExecutablePlan.Instruction {
    switch instruction {
    case .value(let prefix, let column, let format):
      let operation: ExecutablePlan.Operation =
        switch format {
        case .plain: .value
        case .boolean: .boolean
        case .json: .json
        }
      return ExecutablePlan.Instruction(
        operation: operation, operand: Int32(column), prefix: text.put(prefix))
    case .optional(let prefix, let column, let end):
      return ExecutablePlan.Instruction(
        operation: .optional, operand: Int32(column), end: Int32(end), prefix: text.put(prefix),
        missing: text.put("null".utf8))
    case .text(let bytes):
      return ExecutablePlan.Instruction(operation: .text, operand: 0, prefix: text.put(bytes))
    case .child(let prefix, let node):
      return ExecutablePlan.Instruction(operation: .child, operand: Int32(node), prefix: text.put(prefix))
    }
  }
}
