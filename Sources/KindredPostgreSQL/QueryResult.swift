import CKindredPostgreSQL

/// The rows that a statement returned, in libpq's memory.
public final class QueryResult {
  private let result: OpaquePointer
  /// The number of rows.
  public let rowCount: Int
  /// The number of columns in each row.
  public let columnCount: Int

  init(_ result: OpaquePointer) {
    self.result = result
    rowCount = Int(kindred_pq_rows(result))
    columnCount = Int(kindred_pq_columns(result))
  }

  deinit { kindred_pq_clear(result) }

  /// Returns the OID of a column's type; for a domain, that of its base type.
  public func type(of column: Int) -> UInt32 { kindred_pq_type(result, Int32(column)) }

  /// Returns the name of a column.
  public func name(of column: Int) -> String {
    kindred_pq_name(result, Int32(column)).map { String(cString: $0) } ?? ""
  }

  /// Returns whether a value is NULL.
  @inline(__always)
  public func isNull(_ row: Int, _ column: Int) -> Bool {
    kindred_pq_is_null(result, Int32(row), Int32(column))
  }

  /// Returns the text of a value, empty for NULL, which is valid as long as this object exists.
  ///
  /// A zero byte follows the text.
  @inline(__always)
  public func bytes(_ row: Int, _ column: Int) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(
      start: kindred_pq_value(result, Int32(row), Int32(column)),
      count: Int(kindred_pq_length(result, Int32(row), Int32(column))))
  }

  /// Returns the bytes of a value, which are valid as long as this object exists; nil for NULL.
  @inline(__always)
  public func value(_ row: Int, _ column: Int) -> UnsafeRawBufferPointer? {
    let bytes = bytes(row, column)
    return bytes.isEmpty && isNull(row, column) ? nil : bytes
  }

  /// Returns the text of a value; nil for NULL.
  public func text(_ row: Int, _ column: Int) -> String? {
    isNull(row, column) ? nil : String(decoding: bytes(row, column), as: UTF8.self)
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

  /// Returns whether a value is true.
  public func isTrue(_ row: Int, _ column: Int) -> Bool { bytes(row, column).first == UInt8(ascii: "t") }

  /// The name of the command that ran, with the number of rows for some: `COMMIT`, `UPDATE 3`.
  public var command: String { kindred_pq_command(result).map { String(cString: $0) } ?? "" }

  /// The number of rows that the statement has changed.
  public var affectedRows: Int {
    kindred_pq_affected(result).flatMap { Int(String(cString: $0)) } ?? 0
  }
}
