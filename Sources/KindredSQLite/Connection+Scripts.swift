import KindredSQLSyntax

extension Connection {
  /// Calls `body` with each statement of a text, which is prepared after the previous call has returned.
  ///
  /// - Throws: The error that `body` throws; `DatabaseError` for an invalid statement, after `body` has received
  ///   those before it.
  public func forEachStatement(in sql: String, _ body: (Statement) throws -> Void) throws {
    var script = Script(sql)
    while let statement = try script.next(on: self) { try body(statement) }
  }

  /// Runs a statement, and returns its rows transformed by `row`.
  package func rows<Row>(
    _ sql: String, _ arguments: [SQLValue] = [], _ row: (Statement) throws -> Row
  ) throws -> [Row] {
    try withStatement(sql) { statement in
      try statement.bind(arguments)
      var rows: [Row] = []
      while try statement.step() { rows.append(try row(statement)) }
      return rows
    }
  }
}
