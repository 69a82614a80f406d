import KindredOutput

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Writes values as JSON (docs/postgresql.md) from PostgreSQL's text format.
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
    case .json where !place.isNull: place.withText { append(string: $0) }
    case .bytes where !place.isNull:
      Hexadecimal.bytes(of: place.bytes).withUnsafeBytes { append(exactBlob: $0) }
    default: append(place)
    }
  }

  @inline(__always)
  mutating func append(raw bytes: UnsafeRawBufferPointer) {
    guard let start = bytes.baseAddress else { return }
    append(start.assumingMemoryBound(to: UInt8.self), count: bytes.count)
  }

  private mutating func append(boolean bytes: UnsafeRawBufferPointer) {
    append(bytes.first == UInt8(ascii: "t") ? "true" : "false")
  }

  /// Appends a number.
  ///
  /// JSON has neither infinities, which become overflowing numbers, nor NaN, which becomes null as in SQLite.
  private mutating func append(number bytes: UnsafeRawBufferPointer, _ kind: ColumnKind) {
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
  private mutating func append(moment bytes: UnsafeRawBufferPointer, _ kind: ColumnKind) {
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

  // MARK: Other formats

  /// Appends a value that is not NULL as text without quotes.
  mutating func append(plain place: Place) {
    let bytes = place.bytes
    switch place.kind {
    case .integer, .text: append(raw: bytes)
    case .boolean: append(boolean: bytes)
    // Written as `null`, it could be mistaken for NULL.
    case .real where bytes.last == UInt8(ascii: "N"), .numeric where bytes.last == UInt8(ascii: "N"):
      append(raw: bytes)
    case .real, .numeric: append(number: bytes, place.kind)
    case .json: append(json: bytes)
    case .bytes: Hexadecimal.bytes(of: bytes).withUnsafeBytes { append(bareBase64: $0) }
    case .timestamp, .timestampWithTimeZone: append(moment: bytes, place.kind)
    }
  }

  /// Appends a value in a format other than JSON.
  mutating func append(_ place: Place, inFormatOf operation: ExecutablePlan.Operation) {
    switch operation {
    case .csvValue, .csvBoolean:
      // Unlike in JSON, NaN is not written like NULL.
      if !place.isNull { place.withText { append(csv: $0) } }
    case .csvPart:
      guard !place.isNull else { return }
      guard place.kind == .json, append(csvStringIn: place.bytes) else {
        return place.withText { append(csv: $0) }
      }
    case .htmlValue, .htmlBoolean:
      if place.isNull { append("<i>null</i>") } else { append(html: place) }
    case .htmlText:
      if !place.isNull { append(html: place) }
    case .htmlCell, .htmlBooleanCell: append(cell: place)
    case .htmlCount: append(count: place)
    case .segment, .key:
      if !place.isNull { place.withText { append(segment: $0) } }
    // These write JSON, or no value.
    case .value, .boolean, .json, .exact, .optional, .text, .child, .absent, .long: break
    }
  }

  /// Appends the end of a start tag and the value.
  private mutating func append(cell place: Place) {
    guard !place.isNull else {
      append(endOfStartTag: .null)
      append("<i>null</i>")
      return
    }
    switch place.kind {
    case .integer, .numeric, .real: append(endOfStartTag: .number)
    case .boolean: append(endOfStartTag: .boolean)
    case .text, .json, .timestamp, .timestampWithTimeZone: append(endOfStartTag: .text)
    case .bytes: append(endOfStartTag: .bytes)
    }
    append(html: place)
    if place.isLong { append(length: place.length) }
  }

  /// Appends a value that isn't NULL, or its beginning.
  private mutating func append(html place: Place) {
    guard place.kind == .bytes else { return place.withText { append(beginningOfHTML: $0) } }
    // `\x`, then two digits for each byte.
    let digits = UnsafeRawBufferPointer(rebasing: place.bytes.prefix(2 + 2 * Self.shownBytes))
    Hexadecimal.bytes(of: digits).withUnsafeBytes { append(beginningOfBase64: $0, of: place.length) }
  }

  private mutating func append(count place: Place) {
    let most = Int64(HTMLLayout.countLimit)
    let found = Int64(String(decoding: place.bytes, as: UTF8.self)) ?? 0
    append(min(found, most - 1))
    if found >= most { append("+") }
  }
}

extension Place {
  /// Calls `body` with the value as text.
  func withText(_ body: (UnsafeRawBufferPointer) -> Void) {
    if kind == .text || kind == .integer { return body(bytes) }
    var scratch = OutputBuffer(capacity: 64)
    scratch.append(plain: self)
    body(scratch.bytes)
  }

  /// The length of the value in bytes.
  var length: Int { kind == .bytes ? max(0, bytes.count - 2) / 2 : bytes.count }

  /// Whether a page shows only the beginning of the value.
  var isLong: Bool { !isNull && length > (kind == .bytes ? OutputBuffer.shownBytes : OutputBuffer.shownText) }

  /// Whether the value can't be a segment of a URL, because it is empty or resolved by clients (RFC 3986 §5.2.4).
  var isDotSegment: Bool {
    !isNull && kind == .text && bytes.count <= 2 && bytes.allSatisfy { $0 == UInt8(ascii: ".") }
  }
}

/// Converts between bytes and PostgreSQL's hexadecimal format
/// (<https://www.postgresql.org/docs/current/datatype-binary.html>).
enum Hexadecimal {
  /// Returns the bytes of a text that consists of `\x` and two digits for each byte.
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
