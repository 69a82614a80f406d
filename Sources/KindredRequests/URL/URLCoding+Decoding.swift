import KindredModel
import KindredHTTP

extension URLCoding {
  /// Returns the byte that an escape at a place encodes; nil if there is none.
  package static func escape(in bytes: [UInt8], at index: Int) -> UInt8? {
    guard bytes[index] == UInt8(ascii: "%"), index + 2 < bytes.count,
      let high = bytes[index + 1].hexadecimalValue, let low = bytes[index + 2].hexadecimalValue
    else { return nil }
    return high << 4 | low
  }

  /// Calls `body` for each run of escapes, which together may encode one character, with the bytes that they encode,
  /// and for each run of other bytes.
  package static func forEachRun(
    in bytes: [UInt8], _ body: (_ place: Range<Int>, _ escaped: [UInt8]?) throws -> Void
  ) rethrows {
    var index = 0
    while index < bytes.count {
      let start = index
      var escaped: [UInt8] = []
      while index < bytes.count, let byte = escape(in: bytes, at: index) {
        escaped.append(byte)
        index += 3
      }
      if escaped.isEmpty {
        repeat { index += 1 } while index < bytes.count && escape(in: bytes, at: index) == nil
      }
      try body(start..<index, escaped.isEmpty ? nil : escaped)
    }
  }

  /// Decodes a part of a URL.
  ///
  /// - Parameter plusIsSpace: Whether `+` is a space, as in queries (`application/x-www-form-urlencoded`).
  /// - Throws: `RequestError` for an incomplete escape or malformed UTF-8.
  package static func decode(_ part: Substring, plusIsSpace: Bool = false, parameter: String? = nil) throws
    -> String
  {
    if part.consists(of: { $0 != UInt8(ascii: "%") && $0 != UInt8(ascii: "+") && $0 < 0x80 }) {
      return String(part)
    }
    let input = Array(part.utf8)
    var bytes: [UInt8] = []
    // The text decoded so far gives the position in characters.
    func refuse(_ message: String) -> RequestError {
      let position = String(decoding: bytes, as: UTF8.self).unicodeScalars.count
      return RequestError(.invalidEncoding, message, at: Origin(parameter: parameter, position: position))
    }
    bytes.reserveCapacity(input.count)
    try forEachRun(in: input) { place, escaped in
      guard let escaped else {
        for byte in input[place] {
          guard byte != UInt8(ascii: "%") else {
            throw refuse("`%` must be followed by two hexadecimal digits; write `%25` for the character `%`")
          }
          bytes.append(plusIsSpace && byte == UInt8(ascii: "+") ? 0x20 : byte)
        }
        return
      }
      bytes += escaped
    }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      bytes.removeSubrange(validLength(of: bytes)...)
      throw refuse("the percent-encoded bytes are not UTF-8")
    }
    return text
  }

  /// Returns a part of a URL in readable form: visible characters without a meaning in URLs aren't escaped.
  package static func readable(_ part: some StringProtocol) -> String {
    let input = Array(part.utf8)
    var output: [UInt8] = []
    forEachRun(in: input) { place, escaped in
      guard let escaped, let text = String(validating: escaped, as: UTF8.self) else {
        output += input[place]
        return
      }
      for scalar in text.unicodeScalars {
        output += (isReadable(scalar) ? String(scalar) : encode(String(scalar)) { _ in false }).utf8
      }
    }
    return String(decoding: output, as: UTF8.self)
  }

  /// Returns whether a character is visible and has no meaning in a URL.
  private static func isReadable(_ scalar: Unicode.Scalar) -> Bool {
    if scalar == " " { return true }
    if "%&+#/?,=;".unicodeScalars.contains(scalar) { return false }
    switch scalar.properties.generalCategory {
    case .control, .format, .surrogate, .privateUse, .unassigned, .spaceSeparator, .lineSeparator,
      .paragraphSeparator:
      return false
    default:
      return true
    }
  }

  /// Returns the length of the longest valid UTF-8 prefix.
  static func validLength(of bytes: [UInt8]) -> Int {
    var decoder = UTF8()
    var iterator = bytes.makeIterator()
    var length = 0
    while case .scalarValue(let scalar) = decoder.decode(&iterator) { length += UTF8.width(scalar) }
    return length
  }

  // MARK: The readable form

  /// Encodes the characters that would end or change a segment of a path.
  ///
  /// - Parameter isKey: Whether commas and `=` are separators, so that they must be encoded too.
  package static func readableSegment(_ name: String, isKey: Bool = false) -> String {
    encode(name, isKey ? "%/?#,=" : "%/?#")
  }

  /// Encodes the characters that would end or change the name of a parameter.
  package static func readableParameter(_ name: String) -> String { encode(name, "%&+#=") }

  /// Encodes the characters that would end or change the value of a parameter.
  package static func readableValue(_ text: String) -> String { encode(text, "%&+#") }

  /// Encodes certain characters and control characters.
  private static func encode(_ text: String, _ encoded: String) -> String {
    encode(text) { $0 >= 0x20 && $0 != 0x7F && !encoded.utf8.contains($0) }
  }

  // MARK: Any part

  /// Encodes everything that a URL can't contain, leaving existing escapes as they are.
  package static func encodeUnsafe(_ text: String) -> String {
    if text[...].consists(of: isSafe) { return text }
    return encode(text, keeping: isSafe)
  }

  /// Calls `body` with a text in which everything is encoded that a URL can't contain; existing escapes stay as they are.
  package static func withUnsafeEncoded(_ text: Substring, _ body: (UnsafeBufferPointer<UInt8>) -> Void) {
    var text = text.consists(of: isSafe) ? text : Substring(encodeUnsafe(String(text)))
    text.withUTF8(body)
  }

  /// Returns whether a URL can contain a byte: if it is unreserved or in ``!$&'()*:@/?,;=+%``.
  ///
  /// One bit per character: an array would be an object that all threads share.
  private static func isSafe(_ byte: UInt8) -> Bool {
    let bits: UInt64 = byte < 64 ? 0xafff_fff2_0000_0000 : byte < 128 ? 0x47ff_fffe_87ff_ffff : 0
    return bits >> UInt64(byte & 63) & 1 == 1
  }
}

extension Substring {
  /// Returns whether all bytes of the text are of a kind.
  ///
  /// A search in `utf8` itself would go from index to index.
  func consists(of isOfKind: (UInt8) -> Bool) -> Bool {
    var text = self
    return text.withUTF8 { $0.allSatisfy(isOfKind) }
  }
}
