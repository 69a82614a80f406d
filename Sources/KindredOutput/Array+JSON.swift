extension [UInt8] {
  /// Appends a JSON string (RFC 8259 §7), of a document that isn't made of records.
  package mutating func append(quoted text: String) {
    append(UInt8(ascii: "\""))
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): self += [UInt8(ascii: "\\"), byte]
      case 0..<0x20: self += "\\u00\(byte < 16 ? "0" : "")\(String(byte, radix: 16))".utf8
      default: append(byte)
      }
    }
    append(UInt8(ascii: "\""))
  }
}
