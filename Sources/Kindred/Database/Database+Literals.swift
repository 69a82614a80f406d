// Statements of literals.

extension Database {
  /// Runs one or more statements of a literal, and ignores the rows that they return.
  ///
  ///     try db.execute(literal: "INSERT INTO author (name) VALUES (\(name))")
  ///
  /// - Throws: `DatabaseError`. The statements before one that fails have run by then.
  public func execute(literal: SQLLiteral) throws {
    let (sql, arguments) = try literal.build(self)
    try execute(sql: sql, arguments: arguments)
  }

  /// Prepares the statement of a literal, with its values.
  ///
  /// - Throws: `DatabaseError` if the SQL is invalid, or contains more than one statement.
  public func makeStatement(literal: SQLLiteral) throws -> Statement {
    let (sql, arguments) = try literal.build(self)
    let statement = try makeStatement(sql: sql)
    statement.arguments = arguments
    return statement
  }

  /// Prepares the statement of a literal, with its values, as ``makeStatement(literal:)`` does.
  ///
  /// - Throws: `DatabaseError` if the SQL is invalid, or contains more than one statement.
  public func cachedStatement(literal: SQLLiteral) throws -> Statement { try makeStatement(literal: literal) }
}
