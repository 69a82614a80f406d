import KindredBackend
import KindredPostgreSQL
import KindredSQLSyntax

/// The rows of a statement with the kinds of their columns.
final class Rows {
  let result: QueryResult
  /// The kind of each column.
  let kinds: UnsafeMutablePointer<ColumnKind>

  init(_ result: QueryResult) {
    self.result = result
    kinds = .allocate(capacity: max(1, result.columnCount))
    for column in 0..<result.columnCount {
      (kinds + column).initialize(to: ColumnKind(oid: result.type(of: column)))
    }
  }

  deinit { kinds.deallocate() }

  var count: Int { result.rowCount }

  /// The number of bytes of all values.
  var size: Int {
    var size = 0
    for row in 0..<count {
      for column in 0..<result.columnCount { size += result.bytes(row, column).count }
    }
    return size
  }

  /// Returns a value, which is valid as long as this object exists.
  @inline(__always)
  func place(_ row: Int, _ column: Int) -> Place {
    let value = result.value(row, column)
    return Place(start: value?.baseAddress, count: value.map { Int32($0.count) } ?? -1, kind: kinds[column])
  }

  /// Calls `body` with a value.
  func withPlace<Result>(_ row: Int, _ column: Int, _ body: (Place) -> Result) -> Result {
    withExtendedLifetime(self) { body(place(row, column)) }
  }

  /// Returns the bytes of a value; nil for NULL.
  func value(_ row: Int, _ column: Int) -> [UInt8]? { result.value(row, column).map { Array($0) } }

  /// Returns whether two values are equal and not NULL.
  func hasSame(_ row: Int, _ column: Int, as other: Rows, _ otherRow: Int, _ otherColumn: Int) -> Bool {
    guard let value = result.value(row, column), let other = other.result.value(otherRow, otherColumn) else {
      return false
    }
    return value.hasSameBytes(as: other)
  }
}

/// A value of a row, which is valid as long as the row's result exists.
struct Place {
  let start: UnsafeRawPointer?
  /// The number of bytes of its text; -1 for NULL.
  let count: Int32
  let kind: ColumnKind

  @inline(__always)
  var isNull: Bool { count < 0 }
  /// The text, which a zero byte follows; empty for NULL.
  @inline(__always)
  var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: start, count: max(0, Int(count))) }
}

extension Rows {
  /// The values of all rows.
  var values: [[SQLValue]] {
    (0..<count).map { row in
      (0..<result.columnCount).map { withPlace(row, $0) { SQLValue($0) } }
    }
  }

  /// The same of a change: that of a view without a key returns no columns, but still the number of records.
  var valuesOfChange: [[SQLValue]] {
    result.columnCount > 0 ? values : Array(repeating: [], count: result.affectedRows)
  }
}
