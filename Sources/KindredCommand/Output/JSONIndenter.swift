/// Indents JSON text part by part, so that each value has a separate line.
///
/// The text must not have spaces between its tokens, as is the case for Kindred's answers.
struct JSONIndenter {
  private var depth = 0
  private var isInString = false
  private var isEscaped = false
  /// Whether the previous byte opened an object or an array.
  private var isEmpty = false

  /// Returns the next part of the text, indented.
  mutating func indent(_ part: UnsafeRawBufferPointer) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(part.count * 2)
    for byte in part { append(byte, to: &bytes) }
    return bytes
  }

  private mutating func append(_ byte: UInt8, to bytes: inout [UInt8]) {
    if isInString {
      bytes.append(byte)
      (isEscaped, isInString) = (
        !isEscaped && byte == UInt8(ascii: "\\"), isEscaped || byte != UInt8(ascii: "\"")
      )
      return
    }
    let closes = byte == UInt8(ascii: "}") || byte == UInt8(ascii: "]")
    if closes {
      depth -= 1
      if !isEmpty { breakLine(&bytes) }
    } else if isEmpty {
      breakLine(&bytes)
    }
    isEmpty = false
    bytes.append(byte)
    switch byte {
    case UInt8(ascii: "{"), UInt8(ascii: "["):
      depth += 1
      isEmpty = true
    case UInt8(ascii: ","): breakLine(&bytes)
    case UInt8(ascii: ":"): bytes.append(UInt8(ascii: " "))
    case UInt8(ascii: "\""): isInString = true
    default: break
    }
  }

  private func breakLine(_ bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: "\n"))
    bytes += repeatElement(UInt8(ascii: " "), count: max(depth, 0) * 2)
  }
}
