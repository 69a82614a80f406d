extension DatabaseReader {
  /// Runs `body` in a read transaction: GRDB's name for an access that needs none.
  ///
  /// - Throws: The error that `body` throws, or `DatabaseError`.
  public func unsafeRead<Result>(_ body: (Database) throws -> Result) throws -> Result { try read(body) }

  /// Runs `body` in a read transaction on another thread: GRDB's name for an access that needs none.
  ///
  /// - Throws: The error that `body` throws; `DatabaseError`; `CancellationError`.
  public func unsafeRead<Result: Sendable>(
    _ body: @escaping @Sendable (Database) throws -> Result
  ) async throws -> Result { try await read(body) }

  /// Runs `body` in the access that this thread has already, or else in a read transaction.
  ///
  /// - Throws: The error that `body` throws, or `DatabaseError`.
  public func unsafeReentrantRead<Result>(_ body: (Database) throws -> Result) throws -> Result {
    if let current = commits.context.current.current(where: { _ in true }) { return try body(current) }
    return try read(body)
  }
}

extension DatabaseWriter {
  /// Runs `body` in the access that this thread has already if it may write, or else without opening a transaction.
  ///
  /// - Throws: The error that `body` throws, or `DatabaseError`.
  public func unsafeReentrantWrite<Result>(_ body: (Database) throws -> Result) throws -> Result {
    if let current = commits.context.current.current(where: { !$0.isQueryOnly }) { return try body(current) }
    return try writeWithoutTransaction(body)
  }
}
