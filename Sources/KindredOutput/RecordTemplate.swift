import KindredAssociations

/// What a node's program shows, apart from how JSON writes it.
///
/// A plan's programs are written for the usual case: between two values stands the JSON that is always the same. What
/// writes another format reads the names and the nesting from it, once for each plan.
struct RecordTemplate {
  enum Element {
    case beginObject
    case endObject
    case member(String)
    case value(column: Int, Plan.ValueFormat)
    /// What follows, up to the end, is only there where the column is not NULL.
    case beginOptional(column: Int)
    case endOptional
    case child(node: Int)
  }

  private(set) var elements: [Element] = []

  init(_ program: [Plan.Instruction]) {
    var ends: [Int] = []
    for (index, instruction) in program.enumerated() {
      while ends.last == index {
        ends.removeLast()
        elements.append(.endOptional)
      }
      switch instruction {
      case .value(let prefix, let column, let format):
        scan(prefix)
        elements.append(.value(column: column, format))
      case .optional(let prefix, let column, let end):
        scan(prefix)
        elements.append(.beginOptional(column: column))
        ends.append(end)
      case .text(let text):
        scan(text)
      case .child(let prefix, let node):
        scan(prefix)
        elements.append(.child(node: node))
      }
    }
    elements += ends.map { _ in .endOptional }
  }

  private mutating func scan(_ text: [UInt8]) {
    var index = 0
    while index < text.count {
      let byte = text[index]
      index += 1
      switch byte {
      case UInt8(ascii: "{"): elements.append(.beginObject)
      case UInt8(ascii: "}"): elements.append(.endObject)
      case UInt8(ascii: "\""): elements.append(.member(Self.name(in: text, from: &index)))
      default: break
      }
    }
  }

  /// Reads a JSON string (RFC 8259 §7) up to its closing quote.
  private static func name(in text: [UInt8], from index: inout Int) -> String {
    var name: [UInt8] = []
    while index < text.count, text[index] != UInt8(ascii: "\"") {
      guard text[index] == UInt8(ascii: "\\"), index + 1 < text.count else {
        name.append(text[index])
        index += 1
        continue
      }
      if text[index + 1] == UInt8(ascii: "u"), index + 6 <= text.count {
        // Only control characters are written by their number.
        let digits = String(decoding: text[(index + 2)..<(index + 6)], as: UTF8.self)
        name.append(UInt8(digits, radix: 16) ?? 0)
        index += 6
      } else {
        name.append(text[index + 1])
        index += 2
      }
    }
    index += 1
    return String(decoding: name, as: UTF8.self)
  }
}
