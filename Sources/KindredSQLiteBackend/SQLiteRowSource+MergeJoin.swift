import CKindredSQLite
import KindredOutput

/// Merge joins: child statements that run once, in step with the parent's statement.
///
/// Both are in ascending order of an integer key, and the child's begins at the key of the first parent. So the
/// children of a parent are the next rows, except for those without a parent: these are skipped one by one, or by a
/// new search if there are many.
extension SQLiteRowSource {
  /// How far a merge-joined statement has been read.
  enum MergeState: UInt8 {
    /// It has not been started.
    case notStarted
    /// The current row has been claimed by its parent, or skipped.
    case reading
    /// The current row belongs to a parent that comes later.
    case waiting
    /// There are no more rows.
    case finished
  }

  /// The number of rows without a parent that are skipped one by one before a search.
  private static let passable = 16

  /// Advances to the next row that belongs to the current parent.
  ///
  /// - Returns: `SQLITE_ROW`; `SQLITE_DONE` if there are no more; the code of an error.
  func nextMergedRow(
    _ frames: UnsafeMutablePointer<Frame>, _ count: Int, _ node: UnsafeMutablePointer<ExecutablePlan.Node>
  ) -> Int32 {
    let frame = frames + (count - 1)
    let statement = frame.pointee.position.statement
    let above = frames[count - 2].position.statement
    let state = mergeStates + Int(frame.pointee.node)
    let wanted = sqlite3_column_int64(above, node.pointee.columnAbove)
    var passed = 0
    var hasSearched = false
    while true {
      switch state.pointee {
      case .finished: return SQLITE_DONE
      case .waiting: break
      case .notStarted, .reading:
        let code = sqlite3_step(statement)
        guard code == SQLITE_ROW else {
          if code == SQLITE_DONE { state.pointee = .finished }
          return code
        }
      }
      let order = Self.order(of: statement, node.pointee.column, to: wanted)
      state.pointee = order > 0 ? .waiting : .reading
      if order == 0 { return SQLITE_ROW }
      if order > 0 { return SQLITE_DONE }
      passed += 1
      // Only once: after a search there is nothing left to skip, unless a damaged index would make this loop
      // endless.
      guard passed > Self.passable, !hasSearched else { continue }
      hasSearched = true
      sqlite3_reset(statement)
      let code = bind(statement, frame.pointee.node, below: frames, count - 1)
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
