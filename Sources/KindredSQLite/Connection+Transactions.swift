import CKindredSQLite

/// Transactions (<https://www.sqlite.org/lang_transaction.html>).
extension Connection {
  /// Whether a transaction is open.
  public var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

  /// Runs `body` in a transaction whose reads agree with one another, whoever commits meanwhile.
  ///
  /// - Throws: What `body` throws, or `DatabaseError`.
  public func readTransaction<Result>(_ body: () throws -> Result) throws -> Result {
    try beginRead()
    return try finishTransaction(body)
  }

  /// Runs `body` in a transaction that may write, and that is rolled back if `body` throws.
  ///
  /// - Throws: What `body` throws, or `DatabaseError`: busy, if somebody else writes for longer than the
  ///   busy time-out.
  public func writeTransaction<Result>(_ body: () throws -> Result) throws -> Result {
    try beginWrite()
    return try finishTransaction(body)
  }

  /// Runs `body`, and takes back what it changed if it throws.
  ///
  /// It may be nested.
  public func savepoint<Result>(_ body: () throws -> Result) throws -> Result {
    // Equal names are no obstacle: the innermost counts.
    try run("SAVEPOINT nested")
    do {
      let result = try body()
      try run("RELEASE nested")
      return result
    } catch {
      do {
        try run("ROLLBACK TO nested")
        try run("RELEASE nested")
      } catch {
        // An interruption or a full disk has rolled back everything, and the savepoint with it.
        rollback()
      }
      throw error
    }
  }

  /// Runs `body`, and takes back what it changed; what the commit would refuse is an error here too.
  ///
  /// It may be nested.
  public func rolledBack<Result>(_ body: () throws -> Result) throws -> Result {
    var result: Result?
    do {
      try savepoint {
        result = try body()
        try checkForeignKeys()
        throw RollBack()
      }
    } catch is RollBack {}
    guard let result else { throw DatabaseError.misuse("nothing was run") }
    return result
  }

  private struct RollBack: Error {}

  /// Begins to read; the snapshot is that of now, not of the first statement to come.
  ///
  /// - Returns: The schema version of the snapshot.
  @discardableResult
  public func beginRead() throws -> Int64 {
    try transactionStatements.beginRead.runForInteger()
    do {
      // BEGIN takes no snapshot yet, the first read does.
      return try schemaVersion
    } catch {
      rollback()
      throw error
    }
  }

  /// Begins to write: takes the lock at once, as a later attempt could only fail.
  public func beginWrite() throws {
    try transactionStatements.beginWrite.runForInteger()
  }

  /// Ends the transaction.
  ///
  /// If it can't be ended it is rolled back.
  ///
  /// A reading one is ended this way too: a rollback would take back temporary tables.
  public func commit() throws {
    do {
      try transactionStatements.commit.runForInteger()
    } catch {
      rollback()
      throw error
    }
  }

  /// Takes back the transaction, if one is open.
  public func rollback() {
    // While others run, a statement that follows an interruption is interrupted too.
    resetRunningStatements()
    // The rollback of a full disk, a failing one, or a deadlock has happened already.
    if isInTransaction { _ = try? transactionStatements.rollback.runForInteger() }
  }

  /// Makes everything undone that a holder left: running statements, a transaction, a deadline.
  func relinquish() {
    // Looking at all statements takes longer than one record; mostly there is nothing to undo.
    if sqlite3_txn_state(handle, nil) != SQLITE_TXN_NONE || isInTransaction || interruption.isRequested {
      rollback()
    }
    clearInterruption()
  }

  private func finishTransaction<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      let result = try body()
      try commit()
      return result
    } catch {
      rollback()
      throw error
    }
  }

  private func run(_ sql: String) throws {
    try withStatement(sql) { _ = try $0.runForInteger() }
  }

  private func resetRunningStatements() {
    var statement = sqlite3_next_stmt(handle, nil)
    while let running = statement {
      if sqlite3_stmt_busy(running) != 0 { sqlite3_reset(running) }
      statement = sqlite3_next_stmt(handle, running)
    }
  }
}
