import CKindredSQLite
import KindredSQLSyntax

/// SQLite's storage classes (<https://www.sqlite.org/datatype3.html>); the raw values are SQLite's.
public enum StorageClass: Int32, Sendable {
  case integer = 1
  case real, text, blob, null
}

/// Columns count from 0. Without a row, or without such a column, SQLite returns NULL.
extension Statement {
  /// The number of columns; 0 for a statement that returns no rows.
  public var columnCount: Int32 { sqlite3_column_count(handle) }

  /// Returns the name of a column, such as `AS` gives it.
  public func columnName(_ column: Int32) -> String {
    sqlite3_column_name(handle, column).map { String(cString: $0) } ?? ""
  }

  /// The names of all columns.
  public var columnNames: [String] { (0..<columnCount).map(columnName) }

  /// Returns the declared type of a table's column; `nil` for an expression.
  public func columnDeclaredType(_ column: Int32) -> String? {
    sqlite3_column_decltype(handle, column).map { String(cString: $0) }
  }

  /// Returns the table's column that a column shows; nil for an expression, and where SQLite was built without the names.
  public func columnOrigin(_ column: Int32) -> (table: String, column: String)? {
    guard let table = kindred_origin_table(handle, column), let name = kindred_origin_column(handle, column)
    else { return nil }
    return (String(cString: table), String(cString: name))
  }

  /// Returns the storage class of the value.
  ///
  /// Call it before the value is read, which may convert it.
  public func columnType(_ column: Int32) -> StorageClass {
    StorageClass(rawValue: sqlite3_column_type(handle, column)) ?? .null
  }

  /// Returns the value as an integer; other classes are converted as by `CAST`.
  public func int64(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }

  /// Returns the value as a real; other classes are converted as by `CAST`.
  public func double(_ column: Int32) -> Double { sqlite3_column_double(handle, column) }

  /// Returns the bytes of a text or a blob, which are valid until the next call of `step` or `reset`.
  ///
  /// Text is UTF-8, unless its writer stored other bytes; numbers are converted to digits.
  public func bytes(_ column: Int32) -> UnsafeRawBufferPointer {
    // For a text, sqlite3_column_blob returns the encoding of the file, which may be UTF-16.
    sqlite3_column_type(handle, column) == SQLITE_BLOB
      ? counted(sqlite3_column_blob(handle, column), column) : textBytes(column)
  }

  private func textBytes(_ column: Int32) -> UnsafeRawBufferPointer {
    counted(UnsafeRawPointer(sqlite3_column_text(handle, column)), column)
  }

  /// Returns a buffer at an address that was requested before the length, which is only correct after the
  /// conversion.
  private func counted(_ start: UnsafeRawPointer?, _ column: Int32) -> UnsafeRawBufferPointer {
    guard let start else { return UnsafeRawBufferPointer(start: nil, count: 0) }
    return UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column)))
  }

  /// Returns the value as text, with U+FFFD in place of invalid UTF-8; `nil` for NULL.
  public func text(_ column: Int32) -> String? {
    columnType(column) == .null ? nil : String(decoding: bytes(column), as: UTF8.self)
  }

  /// Returns the value of a column.
  ///
  /// Invalid UTF-8 in a text is replaced by U+FFFD.
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

  /// Returns the values of the first columns of the row.
  public func values(_ count: Int32) -> [SQLValue] {
    [SQLValue](unsafeUninitializedCapacity: Int(count)) { buffer, initialized in
      for index in 0..<Int(count) {
        buffer.initializeElement(at: index, to: value(Int32(truncatingIfNeeded: index)))
      }
      initialized = Int(count)
    }
  }
}
