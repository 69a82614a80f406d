import KindredAssociations
import KindredSQLSyntax
import KindredSQLite

extension Connection {
  /// Runs a statement to its end; gives its rows.
  ///
  /// - Parameter above: the current row of each statement above it in the tree of statements.
  public func rows(
    of statement: Plan.Statement, _ parameters: Parameters, above: [[SQLValue]] = []
  ) throws -> [[SQLValue]] {
    try withStatement(statement.sql) { open in
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
      return rows
    }
  }

  /// The columns of the record at the end of a path.
  ///
  /// - Throws: `RequestError` (`notFound`) where a step of the path leads nowhere; `DatabaseError`.
  public func record(_ lookup: RecordLookup, _ parameters: Parameters) throws -> [SQLValue] {
    for transient in lookup.transients { try TransientTables.refresh(transient, on: self) }
    var above: [[SQLValue]] = []
    for step in lookup.steps {
      guard let row = try rows(of: step.statement, parameters, above: above).first else {
        throw RequestError(.notFound, step.absence)
      }
      above.append(row)
    }
    return above.last ?? []
  }
}
