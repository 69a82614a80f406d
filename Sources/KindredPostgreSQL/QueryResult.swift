import CKindredPostgreSQL

/// The rows that a statement returned, in libpq's memory.
public final class QueryResult {
  private let result: OpaquePointer
  /// The number of rows.
  public let rowCount: Int
  /// The number of columns in each row.
  public let columnCount: Int
  /// The warning that came with a COMMIT, which then may not have all of its effect; nil without one.
  public internal(set) var warning: String?

  init(_ result: OpaquePointer) {
    self.result = result
    rowCount = Int(kindred_pq_rows(result))
    columnCount = Int(kindred_pq_columns(result))
  }

  deinit { kindred_pq_clear(result) }

  /// Returns the OID of a column's type; for a domain, that of its base type.
  public func type(of column: Int) -> UInt32 { kindred_pq_type(result, Int32(column)) }

  /// Returns the OID of the table and the number of the column that a column shows; zeros for an expression.
  public func origin(of column: Int) -> (table: UInt32, column: Int32) {
    (kindred_pq_table(result, Int32(column)), kindred_pq_table_column(result, Int32(column)))
  }

  /// Returns the name of a column.
  public func name(of column: Int) -> String {
    kindred_pq_name(result, Int32(column)).map { String(cString: $0) } ?? ""
  }

  /// Returns whether a value is NULL.
  @inline(__always)
  public func isNull(_ row: Int, _ column: Int) -> Bool { value(row, column) == nil }

  /// Returns the text of a value, empty for NULL, which is valid as long as this object exists.
  ///
  /// A zero byte follows the text.
  @inline(__always)
  public func bytes(_ row: Int, _ column: Int) -> UnsafeRawBufferPointer {
    value(row, column) ?? UnsafeRawBufferPointer(start: nil, count: 0)
  }

  /// Returns the bytes of a value, which are valid as long as this object exists; nil for NULL.
  @inline(__always)
  public func value(_ row: Int, _ column: Int) -> UnsafeRawBufferPointer? {
    // libpq checks the range.
    let text = kindred_pq_value(result, Int32(truncatingIfNeeded: row), Int32(truncatingIfNeeded: column))
    return text.length < 0 ? nil : UnsafeRawBufferPointer(start: text.bytes, count: Int(text.length))
  }

  /// Returns the text of a value; nil for NULL.
  public func text(_ row: Int, _ column: Int) -> String? {
    value(row, column).map { String(decoding: $0, as: UTF8.self) }
  }

  /// Returns the value of an integer; nil for NULL.
  public func integer(_ row: Int, _ column: Int) -> Int64? {
    guard let text = value(row, column) else { return nil }
    var number: Int64 = 0
    // Up to 18 digits can't overflow.
    for byte in text {
      let digit = Int64(byte) - Int64(UInt8(ascii: "0"))
      guard (0...9).contains(digit), text.count <= 18 else {
        return Int64(String(decoding: text, as: UTF8.self))
      }
      number = number * 10 + digit
    }
    return text.isEmpty ? nil : number
  }

  /// Replaces a value by an integer; the bytes that it had stay valid.
  ///
  /// - Throws: `PostgreSQLError` if there is no memory.
  public func set(_ row: Int, _ column: Int, to number: Int) throws(PostgreSQLError) {
    var text = String(number)
    let isSet = text.withUTF8 { bytes in
      bytes.withMemoryRebound(to: CChar.self) { bytes in
        kindred_pq_set_value(result, Int32(row), Int32(column), bytes.baseAddress, Int32(bytes.count))
      }
    }
    guard isSet else {
      throw PostgreSQLError(.outOfMemory, "there is not enough memory for a result")
    }
  }

  /// Returns whether a value is true.
  public func isTrue(_ row: Int, _ column: Int) -> Bool { bytes(row, column).first == UInt8(ascii: "t") }

  /// The name of the command that ran, with the number of rows for some: `COMMIT`, `UPDATE 3`.
  public var command: String { kindred_pq_command(result).map { String(cString: $0) } ?? "" }

  /// The number of rows that the statement has changed.
  public var affectedRows: Int {
    kindred_pq_affected(result).flatMap { Int(String(cString: $0)) } ?? 0
  }
}
