/// Builds a program: the instructions so far, and the text that precedes the next one.
struct HTMLProgram {
  private(set) var instructions: [ExecutablePlan.Instruction] = []
  private var pending = ""

  /// Adds markup verbatim.
  mutating func markup(_ text: String) { pending += text }

  /// Adds text, escaped.
  mutating func text(_ text: String) { pending += text.escapedForHTML }

  mutating func append(
    _ operation: ExecutablePlan.Operation, _ operand: Int, missing: String = "", _ text: inout [UInt8]
  ) {
    instructions.append(
      ExecutablePlan.Instruction(
        operation, operand, prefix: text.put(pending.utf8), missing: text.put(missing.utf8)))
    pending = ""
  }

  mutating func append(
    _ form: ValueForm, _ column: Int, missing: String = "", _ text: inout [UInt8]
  ) {
    instructions.append(
      ExecutablePlan.Instruction(
        form, column, prefix: text.put(pending.utf8), missing: text.put(missing.utf8)))
    pending = ""
  }

  /// Sets the jump target of an instruction to the end of what has been added so far.
  mutating func end(_ number: Int) { instructions[number].end = Int32(instructions.count) }

  mutating func flush(_ text: inout [UInt8]) {
    if !pending.isEmpty { append(.text, 0, &text) }
  }
}
