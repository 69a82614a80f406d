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
      case .value, .boolean, .optional, .text, .child, .formatted, .absent, .long, .named, .namedInBlobs,
        .namedUntyped:
        append(string: bytes)
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
