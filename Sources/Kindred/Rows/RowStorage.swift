import KindredSQLSyntax
import KindredSQLite

/// The values of rows that were read one after another, of which each ``Row`` uses its part.
///
/// Rows that are kept together share the memory of their values. A row that is read and forgotten, as one that is
/// decoded, leaves it to the next.
final class RowStorage: @unchecked Sendable {
  // Values are only added where no row is, and only removed when there is no row.
  private let values: UnsafeMutablePointer<SQLValue>
  /// The number of values.
  private var count = 0
  /// The number of values of a row.
  private let width: Int
  /// The maximum number of values.
  private let capacity: Int
  /// Collects the errors of decoding, for all rows of an access.
  let failures: DecodingFailures

  /// Creates storage for rows that are kept together with others, the more of them, the more there are.
  init(width: Int, besides rows: Int, failures: DecodingFailures) {
    self.width = width
    self.failures = failures
    capacity = width * min(max(1, rows), 64)
    values = .allocate(capacity: capacity)
  }

  /// Creates storage of a single row.
  convenience init(_ values: [SQLValue], failures: DecodingFailures) {
    self.init(width: values.count, besides: 0, failures: failures)
    for value in values { add(value) }
  }

  deinit {
    removeRows()
    values.deallocate()
  }

  /// Whether there is no place for another row.
  var isFull: Bool { count == capacity }

  /// Adds the current row of a statement.
  ///
  /// - Returns: The position of its first value.
  func append(_ statement: DriverStatement) -> Int {
    let start = count
    for column in 0..<width { add(statement.value(Int32(truncatingIfNeeded: column))) }
    return start
  }

  private func add(_ value: SQLValue) {
    precondition(count < capacity)
    (values + count).initialize(to: value)
    count += 1
  }

  /// Removes all values.
  func removeRows() {
    values.deinitialize(count: count)
    count = 0
  }

  /// Returns the value in a column of the row whose first value is at `start`; nil if there is no such column.
  func value(_ column: Int, ofRowAt start: Int) -> SQLValue? {
    UInt(bitPattern: column) < UInt(bitPattern: width) ? values[start + column] : nil
  }

  /// Returns whether the value in a column of the row whose first value is at `start` is NULL or missing.
  func isNull(_ column: Int, ofRowAt start: Int) -> Bool {
    guard UInt(bitPattern: column) < UInt(bitPattern: width) else { return true }
    if case .null = values[start + column] { return true }
    return false
  }
}
