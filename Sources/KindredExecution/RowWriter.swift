import CKindredSQLite
import KindredOutput

extension OutputBuffer {
  /// Appends a column of the current row as JSON (docs/requests.md).
  ///
  /// - Returns: False for a long value, which is written in slices instead (see ``LongValue``).
  @inline(__always)
  mutating func append(
    column: Int32, of statement: OpaquePointer, as operation: ExecutablePlan.Operation
  ) -> Bool {
    // SQLite calls this value unprotected, because other threads might use the connection; but a connection has
    // only one holder.
    let value = sqlite3_column_value(statement, column)
    let type = sqlite3_value_type(value)
    switch type {
    case SQLITE_INTEGER:
      append(integer: sqlite3_value_int64(value), isBoolean: operation == .boolean)
    case SQLITE_TEXT:
      let bytes = Self.text(value)
      guard bytes.count <= LongValue.length else { return false }
      switch operation {
      case .json: append(json: bytes)
      case .exact: append(exactText: bytes)
      default: append(string: bytes)
      }
    default:
      return append(other: value, of: type, as: operation)
    }
    return true
  }

  /// Appends a value that is neither an integer nor a text.
  ///
  /// Not inlined, so that the loop over rows stays small enough for the compiler to inline the rest.
  @inline(never)
  private mutating func append(
    other value: OpaquePointer?, of type: Int32, as operation: ExecutablePlan.Operation
  ) -> Bool {
    switch type {
    case SQLITE_FLOAT:
      append(sqlite3_value_double(value))
    case SQLITE_BLOB:
      let bytes = Self.blob(value)
      guard bytes.count <= LongValue.length else { return false }
      if operation == .exact { append(exactBlob: bytes) } else { append(base64: bytes) }
    default:
      append("null")
    }
    return true
  }

  /// Appends a column that holds valid JSON unchanged; false if it does not, and then nothing is written.
  mutating func append(validJSONIn column: Int32, of statement: OpaquePointer) -> Bool {
    let value = sqlite3_column_value(statement, column)
    return sqlite3_value_type(value) == SQLITE_TEXT && append(validJSON: Self.text(value))
  }

  /// Appends a column in one of the other formats.
  @inline(never)
  mutating func append(
    column: Int32, of statement: OpaquePointer, inFormatOf operation: ExecutablePlan.Operation
  ) {
    let value = sqlite3_column_value(statement, column)
    switch operation {
    case .csvPart where sqlite3_value_type(value) == SQLITE_TEXT && append(csvStringIn: Self.text(value)):
      break
    case .csvValue, .csvBoolean, .csvPart: append(csv: value, isBoolean: operation == .csvBoolean)
    case .htmlValue, .htmlBoolean: append(html: value, isBoolean: operation == .htmlBoolean)
    case .htmlText: if sqlite3_value_type(value) != SQLITE_NULL { append(html: value, isBoolean: false) }
    case .htmlCell, .htmlBooleanCell: append(cell: value, isBoolean: operation == .htmlBooleanCell)
    case .htmlCount: append(count: sqlite3_value_int64(value))
    case .segment, .key: append(segment: value)
    // These write JSON, or no value.
    case .value, .boolean, .json, .exact, .optional, .text, .child, .absent, .long: break
    }
  }

  private mutating func append(csv value: OpaquePointer?, isBoolean: Bool) {
    switch sqlite3_value_type(value) {
    case SQLITE_INTEGER: append(integer: sqlite3_value_int64(value), isBoolean: isBoolean)
    case SQLITE_FLOAT: append(sqlite3_value_double(value))
    case SQLITE_TEXT: append(csv: Self.text(value))
    case SQLITE_BLOB:
      let blob = Self.blob(value)
      if blob.isEmpty { append("\"\"") } else { append(bareBase64: blob) }
    default: break
    }
  }

  private mutating func append(html value: OpaquePointer?, isBoolean: Bool) {
    switch sqlite3_value_type(value) {
    case SQLITE_INTEGER: append(integer: sqlite3_value_int64(value), isBoolean: isBoolean)
    case SQLITE_FLOAT: append(sqlite3_value_double(value))
    case SQLITE_TEXT: append(beginningOfHTML: Self.text(value))
    case SQLITE_BLOB:
      let blob = Self.blob(value)
      append(beginningOfBase64: blob, of: blob.count)
    default: append("<i>null</i>")
    }
  }

  /// Appends the end of a start tag and the value.
  private mutating func append(cell value: OpaquePointer?, isBoolean: Bool) {
    switch sqlite3_value_type(value) {
    case SQLITE_INTEGER:
      append(endOfStartTag: isBoolean && (0...1).contains(sqlite3_value_int64(value)) ? .boolean : .number)
    case SQLITE_FLOAT: append(endOfStartTag: .number)
    case SQLITE_TEXT: append(endOfStartTag: .text)
    case SQLITE_BLOB: append(endOfStartTag: .bytes)
    default: append(endOfStartTag: .null)
    }
    append(html: value, isBoolean: isBoolean)
    if Self.isLong(value) { append(length: Int(sqlite3_value_bytes(value))) }
  }

  /// Whether a page shows only the beginning of a value.
  static func isLong(_ value: OpaquePointer?) -> Bool {
    switch sqlite3_value_type(value) {
    case SQLITE_TEXT: sqlite3_value_bytes(value) > shownText
    case SQLITE_BLOB: sqlite3_value_bytes(value) > shownBytes
    default: false
    }
  }

  private mutating func append(count: Int64) {
    let most = Int64(HTMLLayout.countLimit)
    append(min(count, most - 1))
    if count >= most { append("+") }
  }

  /// Returns whether a value can't be a segment of a URL, because it is empty or resolved by clients (RFC 3986
  /// §5.2.4).
  static func isDotSegment(_ column: Int32, of statement: OpaquePointer) -> Bool {
    guard sqlite3_column_type(statement, column) == SQLITE_TEXT else { return false }
    let bytes = text(sqlite3_column_value(statement, column))
    return bytes.count <= 2 && bytes.allSatisfy { $0 == UInt8(ascii: ".") }
  }

  /// Appends a value as a segment of a URL's path, with blobs in base64 as keys are parsed.
  private mutating func append(segment value: OpaquePointer?) {
    switch sqlite3_value_type(value) {
    case SQLITE_INTEGER: append(sqlite3_value_int64(value))
    case SQLITE_FLOAT: append(sqlite3_value_double(value))
    case SQLITE_TEXT: append(segment: Self.text(value))
    case SQLITE_BLOB:
      var digits = OutputBuffer(capacity: 64)
      digits.append(bareBase64: Self.blob(value))
      append(segment: digits.bytes)
    default: break
    }
  }

  @inline(__always)
  private mutating func append(integer value: Int64, isBoolean: Bool) {
    if isBoolean, value == 0 || value == 1 {
      append(value == 0 ? "false" : "true")
    } else {
      append(value)
    }
  }

  @inline(__always)
  static func text(_ value: OpaquePointer?) -> UnsafeRawBufferPointer {
    // The text must be requested first, because the length may otherwise be that of another encoding.
    let text = sqlite3_value_text(value)
    return UnsafeRawBufferPointer(start: text, count: text == nil ? 0 : Int(sqlite3_value_bytes(value)))
  }

  static func blob(_ value: OpaquePointer?) -> UnsafeRawBufferPointer {
    let blob = sqlite3_value_blob(value)
    return UnsafeRawBufferPointer(start: blob, count: blob == nil ? 0 : Int(sqlite3_value_bytes(value)))
  }
}
