import CKindredSQLite
import KindredOutput

/// Merge joins: child statements that run once, in step with the parent's statement.
///
/// Both are in ascending order of an integer key, and the child's begins at the key of the first parent. So the
/// children of a parent are the next rows, except for those without a parent: these are skipped one by one, or by a
/// new search if there are many.
extension CursorStack {
  /// The state of a merge-joined statement.
  enum Companion: UInt8 {
    /// Before the next row; the statement has not started, or can be bound again.
    case ahead
    /// On a row not yet claimed by a parent.
    case waiting
    /// After the last row.
    case done
    /// Before the next row, after a row that has been claimed or skipped.
    case running
  }

  /// The number of rows without a parent that are skipped one by one before a search.
  private static let passable = 16

  /// Advances to the next row that belongs to the current parent.
  ///
  /// - Returns: `SQLITE_ROW`; `SQLITE_DONE` if there are no more; the code of an error.
  func nextRowAlong(
    _ frame: UnsafeMutablePointer<Frame>, _ node: UnsafeMutablePointer<ExecutablePlan.Node>,
    above: OpaquePointer
  ) -> Int32 {
    let statement = frame.pointee.statement
    let companion = companions + Int(frame.pointee.node)
    let wanted = sqlite3_column_int64(above, node.pointee.columnAbove)
    var passed = 0
    var hasSearched = false
    while true {
      switch companion.pointee {
      case .done: return SQLITE_DONE
      case .waiting: break
      case .ahead, .running:
        let code = sqlite3_step(statement)
        guard code == SQLITE_ROW else {
          if code == SQLITE_DONE { companion.pointee = .done }
          return code
        }
      }
      let order = Self.order(of: statement, node.pointee.column, to: wanted)
      companion.pointee = order > 0 ? .waiting : .running
      if order == 0 { return SQLITE_ROW }
      if order > 0 { return SQLITE_DONE }
      passed += 1
      // Only once: after a search there is nothing left to skip, unless a damaged index would make this loop
      // endless.
      guard passed > Self.passable, !hasSearched else { continue }
      hasSearched = true
      sqlite3_reset(statement)
      let code = bind(statement, frame.pointee.node, below: count - 1)
      guard code == SQLITE_OK else { return code }
    }
  }

  /// Returns whether a column's value precedes an integer (negative), equals it (0), or follows it (positive) in
  /// SQLite's order (<https://www.sqlite.org/datatype3.html#sort_order>).
  private static func order(of statement: OpaquePointer, _ column: Int32, to integer: Int64) -> Int {
    switch sqlite3_column_type(statement, column) {
    case SQLITE_INTEGER:
      return compare(sqlite3_column_int64(statement, column), integer)
    case SQLITE_FLOAT:
      let value = sqlite3_column_double(statement, column)
      return Int64(exactly: value).map { compare($0, integer) } ?? (value < Double(integer) ? -1 : 1)
    case SQLITE_NULL: return -1
    default: return 1
    }
  }

  private static func compare(_ a: Int64, _ b: Int64) -> Int { a == b ? 0 : a < b ? -1 : 1 }
}
