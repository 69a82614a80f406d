/// Builds the programs of a plan, one after the other: their instructions, and the constant text between these.
struct ProgramBuilder {
  /// The text to which the instructions of all programs refer.
  private(set) var text: [UInt8] = []
  /// The instructions of the program so far.
  var instructions: [ExecutablePlan.Instruction] = []
  /// The text before the next instruction.
  var pending: [UInt8] = []

  mutating func put(_ text: String) -> ExecutablePlan.Text { self.text.put(text.utf8) }

  mutating func append(_ operation: ExecutablePlan.Operation, _ operand: Int, missing: String = "") {
    append(operation, ValueForm(ofLong: operation), operand, missing)
  }

  mutating func append(_ form: ValueForm, _ column: Int, missing: String = "") {
    append(.formatted, form, column, missing)
  }

  private mutating func append(
    _ operation: ExecutablePlan.Operation, _ form: ValueForm, _ operand: Int, _ missing: String
  ) {
    let prefix = text.put(pending)
    pending = []
    instructions.append(
      ExecutablePlan.Instruction(
        operation: operation, operand: Int32(operand), form: form, prefix: prefix, missing: put(missing)))
  }

  /// Adds an instruction that may skip those up to ``end(_:)``, and returns its number; the rows of a child do.
  mutating func begin(_ operation: ExecutablePlan.Operation, _ column: Int, missing: String = "") -> Int {
    append(operation, column, missing: missing)
    return instructions.count - 1
  }

  /// Sets the jump target of an instruction to the end of what has been added so far.
  mutating func end(_ number: Int) {
    flush()
    instructions[number].end = Int32(instructions.count)
  }

  mutating func flush() {
    if !pending.isEmpty { append(.text, 0) }
  }

  /// Ends the program with the text that is left.
  mutating func finish(_ frame: ExecutablePlan.Frame) -> ExecutablePlan.Program {
    flush()
    defer { instructions = [] }
    return ExecutablePlan.Program(instructions: instructions, frame: frame)
  }
}
