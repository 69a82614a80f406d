import CKindredSQLite

/// Transactions (<https://www.sqlite.org/lang_transaction.html>).
extension Connection {
  /// Whether a transaction is open.
  public var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

  /// Runs `body` in a read transaction, which sees one state of the database whatever is committed meanwhile.
  ///
  /// - Throws: The error that `body` throws, or `DatabaseError`.
  public func readTransaction<Result>(_ body: () throws -> Result) throws -> Result {
    try beginRead()
    return try finishTransaction(body)
  }

  /// Runs `body` in a write transaction, which is rolled back if `body` throws.
  ///
  /// - Throws: The error that `body` throws; `DatabaseError` (busy) if another connection writes for longer than
  ///   the busy timeout.
  public func writeTransaction<Result>(_ body: () throws -> Result) throws -> Result {
    try beginWrite()
    return try finishTransaction(body)
  }

  /// Runs `body` in a savepoint, whose changes are rolled back if `body` throws.
  ///
  /// Calls may be nested.
  public func savepoint<Result>(_ body: () throws -> Result) throws -> Result {
    // Nested savepoints may share a name: SQLite takes the innermost.
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
        // An interruption or a full disk has rolled back the whole transaction with its savepoints.
        rollback()
      }
      throw error
    }
  }

  /// Runs `body`, checks its changes as a commit does, and rolls them back.
  ///
  /// Calls may be nested.
  public func rolledBack<Result>(_ body: () throws -> Result) throws -> Result {
    var result: Result?
    do {
      try savepoint {
        result = try body()
        try foreignKeys.check()
        throw RollBack()
      }
    } catch is RollBack {}
    guard let result else { throw DatabaseError.misuse("no transaction was run") }
    return result
  }

  private struct RollBack: Error {}

  /// Begins a read transaction and takes its snapshot immediately.
  ///
  /// - Returns: The schema version of the snapshot.
  @discardableResult
  public func beginRead() throws -> Int64 {
    try transactionStatements.beginRead.runForInteger()
    do {
      // BEGIN takes no snapshot; the first read does.
      return try schemaVersion
    } catch {
      rollback()
      throw error
    }
  }

  /// Begins a write transaction, and takes the lock immediately, because upgrading later may fail without waiting.
  public func beginWrite() throws {
    try collationStandIns.removeForWriting()
    try transactionStatements.beginWrite.runForInteger()
  }

  /// Commits the transaction.
  ///
  /// If the commit fails, the transaction is rolled back.
  ///
  /// Read transactions are committed too, because a rollback would undo temporary tables.
  public func commit() throws {
    do {
      try transactionStatements.commit.runForInteger()
    } catch {
      rollback()
      throw error
    }
  }

  /// Rolls back the transaction if one is open.
  public func rollback() {
    // After an interruption, SQLite interrupts any new statement while others are still running.
    resetRunningStatements()
    // After a full disk, an I/O error or a deadlock, SQLite has rolled back already.
    if isInTransaction { _ = try? transactionStatements.rollback.runForInteger() }
  }

  /// Undoes what a holder has left behind: running statements, an open transaction, a deadline.
  func relinquish() {
    endSnapshot()
    // Usually nothing has to be undone, and visiting all statements takes longer than reading a record.
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

  /// Whether a statement has begun to run and is neither reset nor at its end.
  var hasRunningStatements: Bool {
    var statement = sqlite3_next_stmt(handle, nil)
    while let next = statement {
      if sqlite3_stmt_busy(next) != 0 { return true }
      statement = sqlite3_next_stmt(handle, next)
    }
    return false
  }

  private func resetRunningStatements() {
    var statement = sqlite3_next_stmt(handle, nil)
    while let running = statement {
      if sqlite3_stmt_busy(running) != 0 { sqlite3_reset(running) }
      statement = sqlite3_next_stmt(handle, running)
    }
  }
}
