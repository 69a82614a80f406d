import CKindredSQLite
import KindredOutput

/// Statements that go along with the one above.
///
/// Both are in ascending order of an integer, and the one below begins at the first row above. So the rows of a row above
/// are the next ones, but for those that belong to none above: these are passed over, or searched past where there are
/// many.
extension CursorStack {
  /// Where such a statement is.
  enum Companion: UInt8 {
    /// Before its next row, or not begun.
    case ahead
    /// At a row that nobody has had yet.
    case waiting
    /// Behind its last row.
    case done
    /// Before its next row, and running.
    case running
  }

  /// How many rows that belong to none above are passed over one after the other.
  private static let passable = 16

  /// Goes to the next row that belongs to the row above.
  ///
  /// - Returns: `SQLITE_ROW`; `SQLITE_DONE` where there is no more of them; an error's code.
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
      // Once: behind a search nothing is left to pass over, unless the index is damaged and would never lead on.
      guard passed > Self.passable, !hasSearched else { continue }
      hasSearched = true
      sqlite3_reset(statement)
      let code = bind(statement, frame.pointee.node, below: count - 1)
      guard code == SQLITE_OK else { return code }
    }
  }

  /// Whether a column's value comes before an integer (negative), is equal to it (0), or comes after it, in SQLite's
  /// order (<https://www.sqlite.org/datatype3.html#sort_order>).
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
