// Accesses that report by a closure, for programs that don't use `async`.

extension DatabaseReader {
  /// Runs `body` in a read transaction on another thread, and returns at once.
  ///
  /// - Parameter body: Receives the database, or the error for which it can't be read.
  public func asyncRead(_ body: @escaping @Sendable (Result<Database, any Error>) -> Void) {
    let context = commits.context
    context.reads.enqueue { context.report(to: body) { access in try self.read(access) } }
  }

  /// Runs `body` in a read transaction on another thread, and returns at once: GRDB's name for an access that needs
  /// none.
  ///
  /// - Parameter body: Receives the database, or the error for which it can't be read.
  public func asyncUnsafeRead(_ body: @escaping @Sendable (Result<Database, any Error>) -> Void) {
    asyncRead(body)
  }
}

extension DatabaseWriter {
  /// Runs `updates` in a transaction on another thread, and returns at once.
  ///
  /// - Parameters:
  ///   - updates: The statements of the transaction.
  ///   - completion: Receives, after the transaction, the database and the result of `updates` or the error by which
  ///     the transaction has been rolled back.
  public func asyncWrite<Value>(
    _ updates: @escaping @Sendable (Database) throws -> Value,
    completion: @escaping @Sendable (Database, Result<Value, any Error>) -> Void
  ) {
    asyncWriteWithoutTransaction { db in
      completion(db, Result { try db.inTransaction { try updates(db) } })
    }
  }

  /// Runs `updates` on another thread without opening a transaction, and returns at once.
  ///
  /// An error for which there is no database, or that only occurs when the access ends, is written to standard error.
  public func asyncWriteWithoutTransaction(_ updates: @escaping @Sendable (Database) -> Void) {
    let context = commits.context
    context.writes.enqueue { context.lostErrors.reporting { try self.writeWithoutTransaction(updates) } }
  }

  /// Runs `updates` on another thread while no other access runs, and returns at once.
  ///
  /// - Parameter updates: Receives the database, or the error for which it can't be written.
  public func asyncBarrierWriteWithoutTransaction(
    _ updates: @escaping @Sendable (Result<Database, any Error>) -> Void
  ) {
    let context = commits.context
    context.writes.enqueue {
      context.report(to: updates) { access in try self.barrierWriteWithoutTransaction(access) }
    }
  }
}

extension DatabaseContext {
  /// Runs an access that gives its database to a closure, or else the error for which there is none.
  func report(
    to body: @escaping (Result<Database, any Error>) -> Void,
    _ access: ((Database) throws -> Void) throws -> Void
  ) {
    var hasBegun = false
    do {
      try access { db in
        hasBegun = true
        body(.success(db))
      }
    } catch {
      // An error of the end of the access comes too late: the closure has been called.
      if hasBegun { lostErrors.record(error) } else { body(.failure(error)) }
    }
  }
}
