import CKindredSQLite
import KindredSQLSyntax

/// The storage classes of SQLite (<https://www.sqlite.org/datatype3.html>); the raw values are SQLite's.
public enum StorageClass: Int32, Sendable {
  case integer = 1
  case real, text, blob, null
}

/// Columns count from 0. Where there is no row or no such column, SQLite gives NULL.
extension Statement {
  /// How many columns a row has: 0 for a statement that gives none.
  public var columnCount: Int32 { sqlite3_column_count(handle) }

  /// The name of a column, as in `AS`.
  public func columnName(_ column: Int32) -> String {
    sqlite3_column_name(handle, column).map { String(cString: $0) } ?? ""
  }

  /// The names of all columns.
  public var columnNames: [String] { (0..<columnCount).map(columnName) }

  /// The type that the table's column is declared with; of an expression, none.
  public func columnDeclaredType(_ column: Int32) -> String? {
    sqlite3_column_decltype(handle, column).map { String(cString: $0) }
  }

  /// The storage class of the value.
  ///
  /// To be asked before the value is read, which may convert it.
  public func columnType(_ column: Int32) -> StorageClass {
    StorageClass(rawValue: sqlite3_column_type(handle, column)) ?? .null
  }

  /// The value as an integer; other classes are converted as `CAST` does.
  public func int64(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }

  /// The value as a real; other classes are converted as `CAST` does.
  public func double(_ column: Int32) -> Double { sqlite3_column_double(handle, column) }

  /// The bytes of a text or a blob, valid until the next call of `step` or `reset`.
  ///
  /// Text is UTF-8 if who wrote it kept to that; numbers are written in digits.
  public func bytes(_ column: Int32) -> UnsafeRawBufferPointer {
    // Of a text, sqlite3_column_blob gives the encoding of the file, which can be UTF-16.
    sqlite3_column_type(handle, column) == SQLITE_BLOB
      ? counted(sqlite3_column_blob(handle, column), column) : textBytes(column)
  }

  private func textBytes(_ column: Int32) -> UnsafeRawBufferPointer {
    counted(UnsafeRawPointer(sqlite3_column_text(handle, column)), column)
  }

  /// The length is only right after a conversion: first the address, then the count.
  private func counted(_ start: UnsafeRawPointer?, _ column: Int32) -> UnsafeRawBufferPointer {
    guard let start else { return UnsafeRawBufferPointer(start: nil, count: 0) }
    return UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column)))
  }

  /// The value as text, with U+FFFD in place of what is not UTF-8; `nil` for NULL.
  public func text(_ column: Int32) -> String? {
    columnType(column) == .null ? nil : String(decoding: bytes(column), as: UTF8.self)
  }

  /// The value.
  ///
  /// Text that is not UTF-8 comes with U+FFFD.
  public func value(_ column: Int32) -> SQLValue {
    switch columnType(column) {
    case .null: .null
    case .integer: .integer(int64(column))
    case .real: .real(double(column))
    case .text: .text(String(decoding: textBytes(column), as: UTF8.self))
    case .blob: .blob(Array(bytes(column)))
    }
  }

  /// All values of the row.
  public var row: [SQLValue] { values(columnCount) }

  /// The values of the first columns of the row.
  public func values(_ count: Int32) -> [SQLValue] {
    [SQLValue](unsafeUninitializedCapacity: Int(count)) { buffer, initialized in
      for index in 0..<Int(count) {
        buffer.initializeElement(at: index, to: value(Int32(truncatingIfNeeded: index)))
      }
      initialized = Int(count)
    }
  }
}
