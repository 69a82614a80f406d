import KindredOutput
import KindredSystem

/// Writes values as JSON (docs/postgresql-values.md) from PostgreSQL's text format.
extension OutputBuffer {
  @inline(__always)
  mutating func append(_ place: Place) {
    guard !place.isNull else { return append("null") }
    let bytes = place.bytes
    switch place.kind {
    case .integer: append(raw: bytes)
    case .text: append(string: bytes)
    case .boolean: append(boolean: bytes)
    case .real, .numeric: append(number: bytes, place.kind)
    case .json: append(json: bytes)
    case .bytes: Hexadecimal.bytes(of: bytes).withUnsafeBytes { append(base64: $0) }
    case .timestamp, .timestampWithTimeZone:
      append("\"")
      append(moment: bytes, place.kind)
      append("\"")
    }
  }

  /// Appends a value without loss: a BLOB told from a text, and JSON as its text.
  mutating func append(exact place: Place) {
    switch place.kind {
    case .json where !place.isNull:
      var document = OutputBuffer(capacity: place.bytes.count + 16)
      document.append(json: place.bytes)
      append(string: document.bytes)
    case .bytes where !place.isNull:
      Hexadecimal.bytes(of: place.bytes).withUnsafeBytes { append(exactBlob: $0) }
    default: append(place)
    }
  }

  private mutating func append(boolean bytes: UnsafeRawBufferPointer) {
    append(bytes.first == UInt8(ascii: "t") ? "true" : "false")
  }

  /// Appends a number.
  ///
  /// JSON has neither infinities, which become overflowing numbers, nor NaN, which becomes null as in SQLite.
  fileprivate mutating func append(number bytes: UnsafeRawBufferPointer, _ kind: ColumnKind) {
    switch bytes.last {
    case UInt8(ascii: "N"): append("null")
    case UInt8(ascii: "y"): append(bytes.first == UInt8(ascii: "-") ? "-9e999" : "9e999")
    default:
      guard kind == .real, !Self.isDecimal(bytes), let start = bytes.baseAddress else {
        return append(raw: bytes)
      }
      // libpq adds a zero byte after each value.
      append(strtod(start.assumingMemoryBound(to: CChar.self), nil))
    }
  }

  /// Returns whether a number has a fraction and no exponent; PostgreSQL's shortest text of it is then that of JSON.
  private static func isDecimal(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var hasPoint = false
    for byte in bytes {
      if byte == UInt8(ascii: ".") { hasPoint = true }
      if byte == UInt8(ascii: "e") { return false }
    }
    return hasPoint
  }

  /// Appends a timestamp in ISO 8601; values that are not one, such as `infinity` and years BC, are written
  /// unchanged.
  fileprivate mutating func append(moment bytes: UnsafeRawBufferPointer, _ kind: ColumnKind) {
    guard let space = bytes.firstIndex(of: UInt8(ascii: " ")), bytes.last != UInt8(ascii: "C") else {
      return append(raw: bytes)
    }
    append(raw: UnsafeRawBufferPointer(rebasing: bytes[..<space]))
    append(UInt8(ascii: "T"))
    append(raw: UnsafeRawBufferPointer(rebasing: bytes[(space + 1)...]))
    if kind == .timestampWithTimeZone, bytes.count > 3, bytes[bytes.count - 3] == UInt8(ascii: "+") {
      append(":00")
    }
  }

}

extension Place {
  /// Calls `body` with the value.
  ///
  /// - Parameter range: The bytes that are needed if it is a BLOB.
  func withValue<Result>(bytes range: Range<Int>, _ body: (RowValue) -> Result) -> Result {
    guard !isNull else { return body(.null) }
    switch kind {
    case .integer: return body(.digits(bytes))
    case .text: return body(.text(bytes))
    case .json: return body(.json(bytes))
    case .boolean: return body(.boolean(bytes.first == UInt8(ascii: "t")))
    case .bytes:
      // `\x`, then two digits for each byte; the first two bytes of the text are skipped, whatever they are.
      let count = max(0, bytes.count - 2) / 2
      let range = range.clamped(to: 0..<count)
      guard count > 0 else { return body(.bytes(UnsafeRawBufferPointer(start: nil, count: 0), of: 0)) }
      let digits = UnsafeRawBufferPointer(
        rebasing: bytes[(2 * range.lowerBound)..<(2 * range.upperBound + 2)])
      return Hexadecimal.bytes(of: digits).withUnsafeBytes { body(.bytes($0, of: count)) }
    // In JSON, NaN is null; elsewhere it could be mistaken for NULL then.
    case .real where bytes.last == UInt8(ascii: "N"), .numeric where bytes.last == UInt8(ascii: "N"):
      return body(.digits(bytes))
    case .real, .numeric:
      var digits = OutputBuffer(capacity: 64)
      digits.append(number: bytes, kind)
      return body(.digits(digits.bytes))
    case .timestamp, .timestampWithTimeZone:
      var text = OutputBuffer(capacity: 64)
      text.append(moment: bytes, kind)
      return body(.text(text.bytes))
    }
  }
}

/// Converts between bytes and PostgreSQL's hexadecimal format
/// (<https://www.postgresql.org/docs/current/datatype-binary.html>).
enum Hexadecimal {
  /// Returns the bytes of a text that consists of two digits for each byte, after `\x`.
  static func bytes(of text: UnsafeRawBufferPointer) -> [UInt8] {
    let digits = text.dropFirst(2)
    var bytes: [UInt8] = []
    bytes.reserveCapacity(digits.count / 2)
    var index = digits.startIndex
    while index + 1 < digits.endIndex {
      bytes.append(value(text[index]) << 4 | value(text[index + 1]))
      index += 2
    }
    return bytes
  }

  private static func value(_ digit: UInt8) -> UInt8 {
    // Without a check of overflow: a function can change `bytea_output`, and then these aren't digits.
    digit <= UInt8(ascii: "9") ? digit &- UInt8(ascii: "0") : (digit | 0x20) &- UInt8(ascii: "a") &+ 10
  }

  /// Returns the text of bytes.
  static func text(_ bytes: [UInt8]) -> [UInt8] {
    let digits = Array("0123456789abcdef".utf8)
    return [UInt8(ascii: "\\"), UInt8(ascii: "x")]
      + bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
  }
}
