import CKindredSQLite

extension OutputBuffer {
  /// A column of the current row, as JSON (§6 of the contract).
  @inline(__always)
  func append(column: Int32, of statement: OpaquePointer, as operation: ExecutablePlan.Operation) {
    switch sqlite3_column_type(statement, column) {
    case SQLITE_INTEGER:
      append(integer: sqlite3_column_int64(statement, column), isBoolean: operation == .boolean)
    case SQLITE_FLOAT:
      append(sqlite3_column_double(statement, column))
    case SQLITE_TEXT:
      let bytes = Self.text(column, of: statement)
      if operation == .json { append(json: bytes) } else { append(string: bytes) }
    case SQLITE_BLOB:
      append(base64: Self.blob(column, of: statement))
    default:
      append("null")
    }
  }

  /// The same as a field of CSV; says whether anything was written.
  func append(csvColumn column: Int32, of statement: OpaquePointer, isBoolean: Bool) -> Bool {
    let start = count
    switch sqlite3_column_type(statement, column) {
    case SQLITE_INTEGER: append(integer: sqlite3_column_int64(statement, column), isBoolean: isBoolean)
    case SQLITE_FLOAT: append(sqlite3_column_double(statement, column))
    case SQLITE_TEXT: append(csv: Self.text(column, of: statement))
    case SQLITE_BLOB: append(bareBase64: Self.blob(column, of: statement))
    default: break
    }
    return count > start
  }

  /// The same as text of HTML.
  func append(htmlColumn column: Int32, of statement: OpaquePointer, isBoolean: Bool) {
    switch sqlite3_column_type(statement, column) {
    case SQLITE_INTEGER: append(integer: sqlite3_column_int64(statement, column), isBoolean: isBoolean)
    case SQLITE_FLOAT: append(sqlite3_column_double(statement, column))
    case SQLITE_TEXT: append(html: Self.text(column, of: statement))
    case SQLITE_BLOB: append(bareBase64: Self.blob(column, of: statement))
    default: append("<i>null</i>")
    }
  }

  /// The same as a segment of a URL's path: blobs in base64, as keys are read.
  func append(segmentColumn column: Int32, of statement: OpaquePointer) {
    switch sqlite3_column_type(statement, column) {
    case SQLITE_INTEGER: append(sqlite3_column_int64(statement, column))
    case SQLITE_FLOAT: append(sqlite3_column_double(statement, column))
    case SQLITE_TEXT: append(segment: Self.text(column, of: statement))
    case SQLITE_BLOB:
      let digits = OutputBuffer(capacity: 64)
      digits.append(bareBase64: Self.blob(column, of: statement))
      append(segment: digits.bytes)
    default: break
    }
  }

  @inline(__always)
  private func append(integer value: Int64, isBoolean: Bool) {
    if isBoolean, value == 0 || value == 1 {
      append(value == 0 ? "false" : "true")
    } else {
      append(value)
    }
  }

  @inline(__always)
  private static func text(_ column: Int32, of statement: OpaquePointer) -> UnsafeRawBufferPointer {
    // The text first: asked before, the length could be that of another encoding.
    let text = sqlite3_column_text(statement, column)
    return UnsafeRawBufferPointer(
      start: text, count: text == nil ? 0 : Int(sqlite3_column_bytes(statement, column)))
  }

  private static func blob(_ column: Int32, of statement: OpaquePointer) -> UnsafeRawBufferPointer {
    let blob = sqlite3_column_blob(statement, column)
    return UnsafeRawBufferPointer(
      start: blob, count: blob == nil ? 0 : Int(sqlite3_column_bytes(statement, column)))
  }
}
