import CKindredPostgreSQL

/// The rows that a statement gave, in the memory of libpq.
public final class QueryResult {
  private let result: OpaquePointer
  /// How many rows there are.
  public let rowCount: Int
  /// How many columns each row has.
  public let columnCount: Int

  init(_ result: OpaquePointer) {
    self.result = result
    rowCount = Int(kindred_pq_rows(result))
    columnCount = Int(kindred_pq_columns(result))
  }

  deinit { kindred_pq_clear(result) }

  /// The OID of the type of a column; that of its base type where it is a domain.
  public func type(of column: Int) -> UInt32 { kindred_pq_type(result, Int32(column)) }

  /// The name of a column.
  public func name(of column: Int) -> String {
    kindred_pq_name(result, Int32(column)).map { String(cString: $0) } ?? ""
  }

  /// Whether there is no value.
  @inline(__always)
  public func isNull(_ row: Int, _ column: Int) -> Bool {
    kindred_pq_is_null(result, Int32(row), Int32(column))
  }

  /// The text of a value, empty for NULL; valid as long as this object is.
  ///
  /// A zero byte follows it.
  @inline(__always)
  public func bytes(_ row: Int, _ column: Int) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(
      start: kindred_pq_value(result, Int32(row), Int32(column)),
      count: Int(kindred_pq_length(result, Int32(row), Int32(column))))
  }

  /// The text of a value; nil for NULL.
  public func text(_ row: Int, _ column: Int) -> String? {
    isNull(row, column) ? nil : String(decoding: bytes(row, column), as: UTF8.self)
  }

  /// The value of a number without decimals; nil for NULL.
  public func integer(_ row: Int, _ column: Int) -> Int64? {
    isNull(row, column) ? nil : Int64(String(decoding: bytes(row, column), as: UTF8.self))
  }

  /// Whether a value is true.
  public func isTrue(_ row: Int, _ column: Int) -> Bool { bytes(row, column).first == UInt8(ascii: "t") }

  /// How many rows a change has changed.
  public var affectedRows: Int {
    kindred_pq_affected(result).flatMap { Int(String(cString: $0)) } ?? 0
  }
}
