/// Checks whether bytes match the JSON grammar (RFC 8259).
///
/// Foundation's parser also rejects numbers beyond the range of a double and unpaired surrogates, which answers may
/// contain: infinities are written as `9e999`, and stored JSON documents are not changed.
struct JSONGrammar {
  private let bytes: [UInt8]
  private var index = 0

  private init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  static func isText(_ bytes: some Collection<UInt8>) -> Bool {
    guard String(validating: bytes, as: UTF8.self) != nil else { return false }
    var grammar = JSONGrammar(Array(bytes))
    guard grammar.takesValue() else { return false }
    grammar.skipSpace()
    return grammar.index == grammar.bytes.count
  }

  private var byte: UInt8? { index < bytes.count ? bytes[index] : nil }

  private mutating func take(_ expected: Unicode.Scalar) -> Bool {
    guard byte == UInt8(ascii: expected) else { return false }
    index += 1
    return true
  }

  private mutating func skipSpace() {
    while let byte, [0x20, 0x09, 0x0A, 0x0D].contains(byte) { index += 1 }
  }

  private mutating func takesValue() -> Bool {
    skipSpace()
    defer { skipSpace() }
    switch byte.map(Unicode.Scalar.init) {
    case "{":
      return takesList(until: "}") { grammar in
        grammar.skipSpace()
        guard grammar.takesString() else { return false }
        grammar.skipSpace()
        return grammar.take(":") && grammar.takesValue()
      }
    case "[": return takesList(until: "]") { $0.takesValue() }
    case "\"": return takesString()
    case "t": return takesWord("true")
    case "f": return takesWord("false")
    case "n": return takesWord("null")
    default: return takesNumber()
    }
  }

  private mutating func takesList(until end: Unicode.Scalar, _ takesElement: (inout Self) -> Bool) -> Bool {
    index += 1
    skipSpace()
    if take(end) { return true }
    repeat {
      guard takesElement(&self) else { return false }
    } while take(",")
    return take(end)
  }

  private mutating func takesWord(_ word: StaticString) -> Bool {
    let text = Array(word.description.utf8)
    guard bytes[index...].starts(with: text) else { return false }
    index += text.count
    return true
  }

  private mutating func takesNumber() -> Bool {
    _ = take("-")
    guard take("0") || takesDigits() else { return false }
    if take("."), !takesDigits() { return false }
    guard take("e") || take("E") else { return true }
    _ = take("+") || take("-")
    return takesDigits()
  }

  private mutating func takesDigits() -> Bool {
    let start = index
    while let byte, (0x30...0x39).contains(byte) { index += 1 }
    return index > start
  }

  private mutating func takesString() -> Bool {
    guard take("\"") else { return false }
    while let byte {
      index += 1
      switch Unicode.Scalar(byte) {
      case "\"": return true
      case "\\":
        guard let escaped = self.byte else { return false }
        index += 1
        if escaped == UInt8(ascii: "u") {
          let digits = bytes[index...].prefix(4)
          guard digits.count == 4, digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }) else {
            return false
          }
          index += 4
        } else if !"\"\\/bfnrt".utf8.contains(escaped) {
          return false
        }
      case "\u{0}"..."\u{1F}": return false
      default: break
      }
    }
    return false
  }
}
