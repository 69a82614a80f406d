/// Base64 (RFC 4648 §4), and its alphabet for URLs (§5).
package enum Base64 {
  /// Decodes a text in either alphabet, with or without padding; returns nil if it is invalid.
  package static func decode(_ text: String) -> [UInt8]? {
    var bytes: [UInt8] = []
    var buffer: UInt32 = 0
    var bits = 0
    let digits = text.utf8.reversed().drop { $0 == UInt8(ascii: "=") }.reversed()
    let padding = text.utf8.count - digits.count
    guard padding <= 2, digits.count % 4 != 1, padding == 0 || text.utf8.count % 4 == 0 else { return nil }
    for digit in digits {
      guard let value = value(of: digit) else { return nil }
      buffer = buffer << 6 | UInt32(value)
      bits += 6
      if bits >= 8 {
        bits -= 8
        bytes.append(UInt8(truncatingIfNeeded: buffer >> UInt32(bits)))
      }
    }
    return bytes
  }

  /// Decodes base64url without padding (RFC 7515 §2); returns nil for other digits, padding, or nonzero unused bits.
  package static func decodeStrictly(_ text: Substring.UTF8View) -> [UInt8]? {
    guard text.allSatisfy({ $0 != UInt8(ascii: "+") && $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "=") }),
      let bytes = decode(String(Substring(text))), encodeForURL(bytes).utf8.elementsEqual(text)
    else { return nil }
    return bytes
  }

  /// Encodes bytes as base64url without padding.
  package static func encodeForURL(_ bytes: [UInt8]) -> String {
    let digits = alphabetForURLs.utf8Start
    return String(unsafeUninitializedCapacity: (bytes.count * 4 + 2) / 3) { text in
      var length = 0
      var buffer: UInt32 = 0
      var bits: UInt32 = 0
      for byte in bytes {
        buffer = buffer << 8 | UInt32(byte)
        bits += 8
        while bits >= 6 {
          bits -= 6
          text[length] = digits[Int(buffer >> bits & 63)]
          length += 1
        }
      }
      if bits > 0 {
        text[length] = digits[Int(buffer << (6 - bits) & 63)]
        length += 1
      }
      return length
    }
  }

  private static let alphabetForURLs: StaticString =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"

  private static func value(of digit: UInt8) -> UInt8? {
    switch digit {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): digit - UInt8(ascii: "A")
    case UInt8(ascii: "a")...UInt8(ascii: "z"): digit - UInt8(ascii: "a") + 26
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0") + 52
    case UInt8(ascii: "+"), UInt8(ascii: "-"): 62
    case UInt8(ascii: "/"), UInt8(ascii: "_"): 63
    default: nil
    }
  }
}
