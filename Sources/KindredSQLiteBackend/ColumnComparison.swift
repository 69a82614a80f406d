import CKindredSQLite

/// Compares columns of the current rows of two statements byte by byte.
enum ColumnComparison {
  /// Returns whether both hold the same value in the same storage class.
  static func isSame(
    _ left: OpaquePointer, _ leftColumn: Int32, _ right: OpaquePointer, _ rightColumn: Int32
  ) -> Bool {
    let type = sqlite3_column_type(left, leftColumn)
    guard type == sqlite3_column_type(right, rightColumn) else { return false }
    switch type {
    case SQLITE_INTEGER:
      return sqlite3_column_int64(left, leftColumn) == sqlite3_column_int64(right, rightColumn)
    case SQLITE_FLOAT:
      return sqlite3_column_double(left, leftColumn) == sqlite3_column_double(right, rightColumn)
    case SQLITE_NULL: return true
    default:
      let leftBytes = sqlite3_column_blob(left, leftColumn)
      let rightBytes = sqlite3_column_blob(right, rightColumn)
      let count = sqlite3_column_bytes(left, leftColumn)
      guard count == sqlite3_column_bytes(right, rightColumn) else { return false }
      return UnsafeRawBufferPointer(start: leftBytes, count: leftBytes == nil ? 0 : Int(count))
        .elementsEqual(UnsafeRawBufferPointer(start: rightBytes, count: rightBytes == nil ? 0 : Int(count)))
    }
  }
}
