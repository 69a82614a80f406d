import KindredBackend
import KindredOutput
import KindredSQLSyntax
import KindredSQLite

extension Connection {
  /// Runs a statement to its end, and returns its rows.
  ///
  /// - Parameter above: The current rows of its ancestors in the tree of statements.
  func rows(
    of statement: ExecutableStatement, _ parameters: Parameters, above: [[SQLValue]] = []
  ) throws -> [[SQLValue]] {
    let open = try cached(statement.text)
    defer { release(open) }
    for (index, binding) in statement.bindings.enumerated() {
      let value: SQLValue
      if case .ancestor(let level, let column) = binding {
        value = above[above.count - level][column]
      } else {
        value = try parameters.value(of: binding)
      }
      try open.bind(value, at: Int32(index + 1))
    }
    var rows: [[SQLValue]] = []
    while try open.step() { rows.append(open.row) }
    // A trigger that ignores the record leaves nothing changed.
    if statement.givesRowID {
      if changes > 0 { rows.append([.integer(lastInsertRowID)]) }
    } else if open.columnCount == 0, !open.isReadOnly {
      // A change that can't say which records it concerns gives a row for each, like `RETURNING 1`.
      rows = Array(repeating: [.integer(1)], count: Int(changes))
    }
    return rows
  }
}
