import CKindredSQLite

extension OutputBuffer {
  /// A column of the current row, as JSON (§6 of the contract).
  @inline(__always)
  func append(column: Int32, of statement: OpaquePointer, as operation: ExecutablePlan.Operation) {
    switch sqlite3_column_type(statement, column) {
    case SQLITE_INTEGER:
      let value = sqlite3_column_int64(statement, column)
      if operation == .boolean, value == 0 || value == 1 {
        append(value == 0 ? "false" : "true")
      } else {
        append(value)
      }
    case SQLITE_FLOAT:
      append(sqlite3_column_double(statement, column))
    case SQLITE_TEXT:
      // The text first: asked before, the length could be that of another encoding.
      let text = sqlite3_column_text(statement, column)
      let bytes = UnsafeRawBufferPointer(
        start: text, count: text == nil ? 0 : Int(sqlite3_column_bytes(statement, column)))
      if operation == .json { append(json: bytes) } else { append(string: bytes) }
    case SQLITE_BLOB:
      let blob = sqlite3_column_blob(statement, column)
      append(
        base64: UnsafeRawBufferPointer(
          start: blob, count: blob == nil ? 0 : Int(sqlite3_column_bytes(statement, column))))
    default:
      append("null")
    }
  }
}
