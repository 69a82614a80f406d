import CKindredSQLite

extension OutputBuffer {
  /// A column of the current row, as JSON (§6 of the contract).
  @inline(__always)
  mutating func append(column: Int32, of statement: OpaquePointer, as operation: ExecutablePlan.Operation) {
    // The value is asked for once. SQLite calls it unprotected: other threads might use the connection, but a connection
    // has one holder.
    let value = sqlite3_column_value(statement, column)
    switch sqlite3_value_type(value) {
    case SQLITE_INTEGER:
      let integer = sqlite3_value_int64(value)
      if operation == .boolean, integer == 0 || integer == 1 {
        append(integer == 0 ? "false" : "true")
      } else {
        append(integer)
      }
    case SQLITE_FLOAT:
      append(sqlite3_value_double(value))
    case SQLITE_TEXT:
      // The text first: asked before, the length could be that of another encoding.
      let text = sqlite3_value_text(value)
      let bytes = UnsafeRawBufferPointer(
        start: text, count: text == nil ? 0 : Int(sqlite3_value_bytes(value)))
      if operation == .json { append(json: bytes) } else { append(string: bytes) }
    case SQLITE_BLOB:
      let blob = sqlite3_value_blob(value)
      append(
        base64: UnsafeRawBufferPointer(
          start: blob, count: blob == nil ? 0 : Int(sqlite3_value_bytes(value))))
    default:
      append("null")
    }
  }
}
