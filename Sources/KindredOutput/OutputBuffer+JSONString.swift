extension OutputBuffer {
  /// Appends the text that a JSON string stands for to CSV; false for other JSON, of which nothing is appended.
  ///
  /// Quotes, backslashes and control characters alone are escaped in the string.
  package mutating func append(csvStringIn bytes: UnsafeRawBufferPointer) -> Bool {
    guard bytes.count > 1, bytes.first == UInt8(ascii: "\"") else { return false }
    var text: [UInt8] = []
    var rest = bytes[1..<(bytes.count - 1)]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "\\"), let letter = rest.popFirst() else {
        text.append(byte)
        continue
      }
      switch letter {
      case UInt8(ascii: "b"): text.append(0x08)
      case UInt8(ascii: "f"): text.append(0x0C)
      case UInt8(ascii: "n"): text.append(0x0A)
      case UInt8(ascii: "r"): text.append(0x0D)
      case UInt8(ascii: "t"): text.append(0x09)
      case UInt8(ascii: "u"):
        text.append(UInt8(String(decoding: rest.prefix(4), as: UTF8.self), radix: 16) ?? 0)
        rest = rest.dropFirst(4)
      default: text.append(letter)
      }
    }
    text.withUnsafeBytes { append(csv: $0) }
    return true
  }
}
