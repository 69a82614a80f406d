/// Scans the tokens and quoted strings of a field's value (RFC 9110 §5.6).
package struct FieldScanner {
  package var rest: ArraySlice<UInt8>

  package init(_ bytes: [UInt8]) { rest = bytes[...] }

  package var isAtEnd: Bool { rest.isEmpty }

  /// Consumes a character; returns whether it was there.
  package mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard rest.first == UInt8(ascii: character) else { return false }
    rest = rest.dropFirst()
    return true
  }

  package mutating func skipSpace() { rest = rest.drop { $0 == 0x20 || $0 == 0x09 } }

  /// Consumes a token; nil if none is there.
  package mutating func token() -> String? {
    let bytes = rest.prefix(while: \.isTokenCharacter)
    guard !bytes.isEmpty else { return nil }
    rest = rest[bytes.endIndex...]
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Consumes a quoted string, and returns it without its escapes; nil if none is there, or it isn't closed.
  package mutating func quotedString() -> String? {
    guard take("\"") else { return nil }
    var bytes: [UInt8] = []
    while let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: "\""): return String(decoding: bytes, as: UTF8.self)
      case UInt8(ascii: "\\"):
        guard let escaped = rest.popFirst() else { return nil }
        bytes.append(escaped)
      default: bytes.append(byte)
      }
    }
    return nil
  }
}
