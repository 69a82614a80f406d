import KindredSystem

/// The character classes of RFC 9110 §5.5, §5.6 and RFC 3986, on bytes.
extension UInt8 {
  static let tab: UInt8 = 0x09
  static let lineFeed: UInt8 = 0x0A
  static let carriageReturn: UInt8 = 0x0D
  static let space: UInt8 = 0x20
  static let comma = UInt8(ascii: ",")
  static let colon = UInt8(ascii: ":")
  static let semicolon = UInt8(ascii: ";")
  static let slash = UInt8(ascii: "/")
  static let questionMark = UInt8(ascii: "?")

  /// `tchar` (RFC 9110 §5.6.2): letters, digits and ``!#$%&'*+-.^_`|~``.
  ///
  /// One bit per character, because every byte of every field name is tested.
  package var isTokenCharacter: Bool {
    let bits: UInt64 = self < 64 ? 0x03ff_6cfa_0000_0000 : self < 128 ? 0x57ff_ffff_c7ff_fffe : 0
    return bits >> UInt64(self & 63) & 1 == 1
  }

  /// `field-vchar`, SP or HTAB (RFC 9110 §5.5), which field values consist of.
  package var isFieldCharacter: Bool { self >= 0x20 ? self != 0x7F : self == .tab }

  /// SP or HTAB (RFC 9110 §5.6.3).
  var isWhitespace: Bool { self == .space || self == .tab }

  /// Whether a request target may contain the byte: any visible character except `#`, which starts a fragment in RFC
  /// 3986.
  ///
  /// This is more than the RFC's grammar, because people type `>`, `"` and `|` into curl.
  ///
  /// Non-ASCII bytes must be valid UTF-8, which the parser checks for the whole target.
  var isTargetCharacter: Bool { self > 0x20 && self != 0x7F && self != UInt8(ascii: "#") }

  /// Whether the byte may occur in `uri-host` (RFC 3986 §3.2.2) outside the brackets of an IP literal: `unreserved`,
  /// `sub-delims` and `%`.
  var isHostCharacter: Bool {
    switch self {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
      UInt8(ascii: "~"), UInt8(ascii: "%"), UInt8(ascii: "!"), UInt8(ascii: "$"), UInt8(ascii: "&"),
      UInt8(ascii: "'")...UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "="):
      true
    default:
      false
    }
  }

  /// The value of a decimal digit.
  var decimalValue: Int? {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) ? Int(self - UInt8(ascii: "0")) : nil
  }

  /// The value of a hexadecimal digit.
  package var hexadecimalValue: UInt8? {
    switch self {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
    default: nil
    }
  }

  /// The byte in lower case if it is an ASCII letter, else unchanged.
  package var lowercased: UInt8 {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self) ? self | 0x20 : self
  }
}

extension UnsafeRawBufferPointer {
  /// Whether all bytes are field characters; eight are tested at once.
  var isFieldValue: Bool {
    let size = MemoryLayout<UInt64>.size
    let ones: UInt64 = 0x0101_0101_0101_0101
    var position = 0
    while count - position >= size {
      let bytes = loadUnaligned(fromByteOffset: position, as: UInt64.self)
      // The highest bit of each byte that is below a space; that of each that is 0x7F.
      let low = (bytes &- ones &* UInt64(UInt8.space)) & ~bytes
      let different = bytes ^ (ones &* 0x7F)
      let deletions = (different &- ones) & ~different
      if (low | deletions) & (ones &* 0x80) != 0,
        !self[position..<(position + size)].allSatisfy(\.isFieldCharacter)
      {
        return false
      }
      position += size
    }
    return self[position...].allSatisfy(\.isFieldCharacter)
  }
}

extension Slice<UnsafeRawBufferPointer> {
  /// The slice without leading and trailing spaces and tabs (RFC 9110 §5.6.3, `OWS`).
  var trimmed: Self {
    var slice = self
    while let first = slice.first, first.isWhitespace { slice.removeFirst() }
    while let last = slice.last, last.isWhitespace { slice.removeLast() }
    return slice
  }

  /// Returns whether these bytes equal `lowercase`, ignoring ASCII case.
  func equalsIgnoringCase(_ lowercase: StaticString) -> Bool {
    count == lowercase.utf8CodeUnitCount
      && zip(self, UnsafeBufferPointer(start: lowercase.utf8Start, count: count))
        .allSatisfy { $0.lowercased == $1 }
  }

  /// The elements of a comma-separated list, without empty ones (RFC 9110 §5.6.1.2).
  var listElements: [Self] {
    split(separator: .comma).map(\.trimmed).filter { !$0.isEmpty }
  }
}

extension Substring {
  /// Returns whether the text contains an ASCII character.
  ///
  /// The search in `utf8` itself would go from index to index.
  package func contains(byte: UInt8) -> Bool {
    var text = self
    return text.withUTF8 { $0.contains(byte) }
  }

  /// Returns the rest of a text that begins with ASCII characters, or nil if it doesn't begin with them.
  ///
  /// `hasPrefix` would look for graphemes.
  package func dropping(_ prefix: StaticString) -> Substring? {
    let count = prefix.utf8CodeUnitCount
    var text = self
    let isThere = text.withUTF8 { text in
      guard let start = text.baseAddress, text.count >= count else { return false }
      return memcmp(start, prefix.utf8Start, count) == 0
    }
    guard isThere else { return nil }
    return Substring(utf8[utf8.index(utf8.startIndex, offsetBy: count)...])
  }
}

extension Collection<UInt8> {
  /// Returns whether these bytes equal those of `text`.
  @inlinable
  package func equals(_ text: StaticString) -> Bool {
    count == text.utf8CodeUnitCount
      && zip(self, UnsafeBufferPointer(start: text.utf8Start, count: count)).allSatisfy { $0 == $1 }
  }
}
