import KindredSQLite

extension DatabaseQueue {
  /// Runs `body` in a read access that sees what has been committed: before it returns, because a queue has one
  /// connection.
  ///
  /// - Parameter body: Receives the database, or the error for which it can't be read.
  public func spawnConcurrentRead(_ body: @escaping @Sendable (Result<Database, any Error>) -> Void) {
    do {
      try unsafeReentrantRead { db in
        guard !db.isInsideTransaction || db.isQueryOnly else {
          throw DatabaseError.misuse("a concurrent read can't begin inside a transaction")
        }
        try db.readOnly { body(.success(db)) }
      }
    } catch {
      body(.failure(error))
    }
  }
}

extension DatabasePool {
  /// Begins a read transaction, which sees what has been committed by now, and runs `body` in it on another thread, as
  /// `spawnConcurrentRead` does.
  ///
  /// - Parameter body: Receives the database, or the error for which it can't be read.
  public func asyncConcurrentRead(_ body: @escaping @Sendable (Result<Database, any Error>) -> Void) {
    spawnConcurrentRead(body)
  }
}
