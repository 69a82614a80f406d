/// Instructions in the making, and the text that goes before the next of them.
struct HTMLProgram {
  private(set) var instructions: [ExecutablePlan.Instruction] = []
  private var pending = ""

  /// Adds markup as it is.
  mutating func markup(_ text: String) { pending += text }

  /// Adds text, escaped.
  mutating func text(_ text: String) { pending += text.escapedForHTML }

  mutating func append(
    _ operation: ExecutablePlan.Operation, _ operand: Int, missing: String = "", _ text: inout [UInt8]
  ) {
    instructions.append(
      ExecutablePlan.Instruction(
        operation: operation, operand: Int32(operand), prefix: text.put(pending.utf8),
        missing: text.put(missing.utf8)))
    pending = ""
  }

  /// Ends the instruction of this number, which leads past what follows it.
  mutating func end(_ number: Int) { instructions[number].end = Int32(instructions.count) }

  mutating func flush(_ text: inout [UInt8]) {
    if !pending.isEmpty { append(.text, 0, &text) }
  }
}
