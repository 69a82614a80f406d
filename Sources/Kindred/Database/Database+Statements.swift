import CKindredSQLite
import KindredSQLite

/// Statements as a program writes them.
extension Database {
  /// Prepares a statement that returns rows.
  ///
  /// - Throws: `DatabaseError` if the SQL is invalid, or contains more than one statement.
  public func makeSelectStatement(sql: String) throws -> Statement { try makeStatement(sql: sql) }

  /// Returns a cursor over the statements of a text, with their values.
  ///
  ///     let statements = try db.allStatements(sql: script)
  ///     while let statement = try statements.next() {
  ///       try statement.execute()
  ///     }
  ///
  /// Each is prepared when the cursor comes to it, so that it can use what the ones before it have created.
  ///
  /// - Parameters:
  ///   - sql: One or more statements.
  ///   - arguments: Their values; each statement takes as many of the positional ones as it has parameters, in order.
  /// - Returns: A cursor, which throws `DatabaseError` where a statement is invalid or a parameter has no value, and
  ///   at the end if there are more values than parameters.
  /// - Throws: `DatabaseError` (misuse) if the access to the database has ended.
  public func allStatements(
    sql: String, arguments: StatementArguments = StatementArguments()
  ) throws -> AnyCursor<Statement> {
    _ = try connection
    var (script, rest) = (Script(sql), arguments)
    return AnyCursor { [self] in
      guard let prepared = try script.next(on: connection) else {
        try rest.checkUsed(sql: sql)
        return nil
      }
      let statement = try lend(prepared)
      statement.arguments = try rest.take(for: prepared)
      return statement
    }
  }

  /// Returns a cursor over the statements of a literal, with their values, as ``allStatements(sql:arguments:)`` does.
  ///
  /// - Throws: `DatabaseError`, or what building the literal throws.
  public func allStatements(literal: SQLLiteral) throws -> AnyCursor<Statement> {
    let (sql, arguments) = try literal.build(self)
    return try allStatements(sql: sql, arguments: arguments)
  }
}

extension Database {
  /// The result code of the last call of SQLite's connection that failed or succeeded; `SQLITE_MISUSE` after the access
  /// has ended.
  public var lastErrorCode: ResultCode {
    ResultCode(rawValue: isOpen ? sqlite3_errcode(ownConnection.handle) : CKindredSQLite.SQLITE_MISUSE)
  }

  /// SQLite's message about it, in English; nil after the access has ended.
  public var lastErrorMessage: String? {
    isOpen ? String(cString: sqlite3_errmsg(ownConnection.handle)) : nil
  }

  /// Returns SQLite's number of the schema, which each change of the schema increases
  /// (<https://www.sqlite.org/pragma.html#pragma_schema_version>).
  ///
  /// - Throws: `DatabaseError`.
  public func schemaVersion() throws -> Int32 { Int32(truncatingIfNeeded: try connection.schemaVersion) }

  /// Whether a table is one of SQLite's own, such as `sqlite_sequence`.
  public static func isSQLiteInternalTable(_ tableName: String) -> Bool { tableName.hasPrefix("sqlite_") }

  /// Forgets what is known of the schema, which is read again when it is needed.
  ///
  /// A program rarely needs it, because each change of the schema is noticed.
  public func clearSchemaCache() {
    context.forgetSchema()
    forgetSchema()
  }
}

extension DriverStatement {
  /// Whether the statement asks for the journal mode, which SQLite doesn't tell from one that sets it.
  var readsJournalMode: Bool {
    let words = sql.lowercased().split { $0.isWhitespace || $0 == ";" }
    return words == ["pragma", "journal_mode"] || words == ["pragma", "main.journal_mode"]
  }
}
