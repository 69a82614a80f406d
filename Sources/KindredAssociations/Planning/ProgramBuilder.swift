/// Writes the program of a row: instructions, and between two of them the bytes that are always the same.
final class ProgramBuilder {
  private(set) var instructions: [Plan.Instruction] = []
  private var pending: [UInt8] = []
  private var names: [Set<String>] = []

  func beginObject() {
    pending.append(UInt8(ascii: "{"))
    names.append([])
  }

  func endObject() {
    pending.append(UInt8(ascii: "}"))
    names.removeLast()
    // What follows is skipped or not apart from this.
    flush()
  }

  /// Begins a member of the current object.
  ///
  /// - Throws: `RequestError` where it has a member of this name.
  func member(_ name: String, at origin: Origin) throws {
    guard let last = names.indices.last else { return }
    if !names[last].isEmpty { pending.append(UInt8(ascii: ",")) }
    guard names[last].insert(name).inserted else {
      throw RequestError(
        .duplicateName,
        "two members of one record would be named `\(name)`: give one another name, as in `other:\(name)`",
        at: origin, suggestions: ["\(name)2:\(name)"])
    }
    appendQuoted(name)
    pending.append(UInt8(ascii: ":"))
  }

  func value(_ column: Int, _ format: Plan.ValueFormat) {
    instructions.append(.value(prefix: takePending(), column: column, format: format))
  }

  func child(_ node: Int) {
    instructions.append(.child(prefix: takePending(), node: node))
  }

  /// A member that the last level of a recursion leaves out: nothing else may stand in its prefix.
  func repetition(_ name: String, _ node: Int, at origin: Origin) throws {
    flush()
    try member(name, at: origin)
    child(node)
  }

  /// What `body` writes, or `null` where the column is NULL.
  func optional(_ column: Int, _ body: () throws -> Void) rethrows {
    let number = instructions.count
    let prefix = takePending()
    instructions.append(.optional(prefix: prefix, column: column, end: 0))
    try body()
    flush()
    instructions[number] = .optional(prefix: prefix, column: column, end: instructions.count)
  }

  private func flush() {
    if !pending.isEmpty { instructions.append(.text(takePending())) }
  }

  private func takePending() -> [UInt8] {
    defer { pending = [] }
    return pending
  }

  /// A JSON string (RFC 8259 §7).
  private func appendQuoted(_ text: String) {
    pending.append(UInt8(ascii: "\""))
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): pending += [UInt8(ascii: "\\"), byte]
      case 0..<0x20: pending += "\\u00\(byte < 16 ? "0" : "")\(String(byte, radix: 16))".utf8
      default: pending.append(byte)
      }
    }
    pending.append(UInt8(ascii: "\""))
  }
}
