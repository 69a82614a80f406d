/// Percent-encoding (RFC 3986 §2.1).
package enum URLCoding {
  /// Encodes everything except letters, digits and `-._~` (RFC 3986 §2.3).
  package static func encodeSegment(_ text: String) -> String {
    encode(text, keeping: \.isUnreservedInURL)
  }

  /// Encodes everything that would end or change the name of a parameter.
  package static func encodeParameter(_ text: String) -> String {
    encode(text) { $0.isUnreservedInURL || "!$'()*:@/?,;".utf8.contains($0) }
  }

  /// Encodes everything that would end or change the value of a parameter.
  package static func encodeQueryValue(_ text: String) -> String {
    encode(text) { $0.isUnreservedInURL || "!$'()*:@/?,;=".utf8.contains($0) }
  }

  /// Encodes every byte for which `isKept` returns false.
  package static func encode(_ text: String, keeping isKept: (UInt8) -> Bool) -> String {
    // Most texts stay as they are.
    if text.utf8.allSatisfy(isKept) { return text }
    var bytes: [UInt8] = []
    let digits = Array("0123456789ABCDEF".utf8)
    for byte in text.utf8 {
      if isKept(byte) {
        bytes.append(byte)
      } else {
        bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}

extension UInt8 {
  /// Whether no part of a URL encodes the byte (RFC 3986 §2.3).
  package var isUnreservedInURL: Bool {
    (0x30...0x39).contains(self) || (0x61...0x7A).contains(self | 0x20) || "-._~".utf8.contains(self)
  }
}

extension String {
  /// Whether the text can be a segment of a URL path: clients remove dot segments, and an empty segment is ambiguous.
  package var canBeSegment: Bool { !["", ".", ".."].contains(self) }
}
