import KindredModel
import KindredOutput
import KindredSQLSyntax
import KindredSQLite

extension Statement {
  /// Returns the value of a column as a page cursor stores it, with exact bytes.
  func cursorValue(_ column: Int32) -> Cursor.Value {
    switch columnType(column) {
    case .null: .null
    case .integer: .integer(int64(column))
    case .real: .real(double(column).bitPattern)
    case .text: .text(Array(bytes(column)))
    case .blob: .blob(Array(bytes(column)))
    }
  }

  /// Binds a value of a page cursor.
  func bind(_ value: Cursor.Value, at parameter: Int32) throws {
    switch value {
    case .null: try bindNull(at: parameter)
    case .integer(let integer): try bind(integer, at: parameter)
    case .real(let bits): try bind(Double(bitPattern: bits), at: parameter)
    case .text(let bytes), .textBeginning(let bytes):
      try bytes.withUnsafeBytes { try bind(text: $0, at: parameter) }
    case .blob(let bytes), .blobBeginning(let bytes):
      try bytes.withUnsafeBytes { try bind(blob: $0, at: parameter) }
    }
  }
}

extension Parameters {
  /// Binds a value that does not depend on a row.
  func bind(_ binding: SQL.Binding, at parameter: Int32, to statement: Statement) throws {
    guard case .cursor(let number) = binding, let cursor else {
      return try statement.bind(try value(of: binding), at: parameter)
    }
    try statement.bind(cursor.value(number), at: parameter)
  }
}
