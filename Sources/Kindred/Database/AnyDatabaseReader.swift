/// Any database that can be read.
public final class AnyDatabaseReader: DatabaseReader {
  private let base: any DatabaseReader

  /// Creates a reader of another one.
  public init(_ base: any DatabaseReader) {
    self.base = base
  }

  /// The settings with which it was opened.
  public var configuration: Configuration { base.configuration }

  /// The path of the file; `:memory:` for a database in memory.
  public var path: String { base.path }

  /// The database's commits, as seen by observations.
  public var commits: DatabaseCommits { base.commits }

  /// Runs `body` in a read transaction.
  ///
  /// - Throws: The error that `body` throws, or `DatabaseError`.
  public func read<Result>(_ body: (Database) throws -> Result) throws -> Result { try base.read(body) }

  /// Runs `body` in a read transaction on another thread.
  ///
  /// - Throws: The error that `body` throws; `DatabaseError`; `CancellationError`.
  public func read<Result: Sendable>(
    _ body: @escaping @Sendable (Database) throws -> Result
  ) async throws -> Result { try await base.read(body) }

  /// Interrupts the statements of all accesses that are under way, which throw.
  public func interrupt() { base.interrupt() }

  /// Closes the connections; accesses that begin afterwards throw.
  ///
  /// - Throws: `DatabaseError`.
  public func close() throws { try base.close() }
}

/// Any database that can be read and written.
public final class AnyDatabaseWriter: DatabaseWriter {
  private let base: any DatabaseWriter

  /// Creates a writer of another one.
  public init(_ base: any DatabaseWriter) {
    self.base = base
  }

  /// The settings with which it was opened.
  public var configuration: Configuration { base.configuration }

  /// The path of the file; `:memory:` for a database in memory.
  public var path: String { base.path }

  /// The database's commits, as seen by observations.
  public var commits: DatabaseCommits { base.commits }

  /// Runs `body` in a read transaction.
  ///
  /// - Throws: The error that `body` throws, or `DatabaseError`.
  public func read<Result>(_ body: (Database) throws -> Result) throws -> Result { try base.read(body) }

  /// Runs `body` in a read transaction on another thread.
  ///
  /// - Throws: The error that `body` throws; `DatabaseError`; `CancellationError`.
  public func read<Result: Sendable>(
    _ body: @escaping @Sendable (Database) throws -> Result
  ) async throws -> Result { try await base.read(body) }

  /// Runs `body` in a transaction, which is committed if `body` returns, and rolled back if it throws.
  ///
  /// - Throws: The error that `body` throws, or `DatabaseError`.
  public func write<Result>(_ body: (Database) throws -> Result) throws -> Result { try base.write(body) }

  /// Runs `body` in a transaction on another thread.
  ///
  /// - Throws: The error that `body` throws; `DatabaseError`; `CancellationError`.
  public func write<Result: Sendable>(
    _ body: @escaping @Sendable (Database) throws -> Result
  ) async throws -> Result { try await base.write(body) }

  /// Runs `body` without opening a transaction.
  ///
  /// - Throws: The error that `body` throws, or `DatabaseError`.
  public func writeWithoutTransaction<Result>(_ body: (Database) throws -> Result) throws -> Result {
    try base.writeWithoutTransaction(body)
  }

  /// Runs `body` on another thread without opening a transaction.
  ///
  /// - Throws: The error that `body` throws; `DatabaseError`; `CancellationError`.
  public func writeWithoutTransaction<Result: Sendable>(
    _ body: @escaping @Sendable (Database) throws -> Result
  ) async throws -> Result { try await base.writeWithoutTransaction(body) }

  /// Runs `body` without opening a transaction, while no other access runs.
  ///
  /// - Throws: The error that `body` throws, or `DatabaseError`.
  public func barrierWriteWithoutTransaction<Result>(
    _ body: (Database) throws -> Result
  ) throws -> Result { try base.barrierWriteWithoutTransaction(body) }

  /// Runs `body` on another thread without opening a transaction, while no other access runs.
  ///
  /// - Throws: The error that `body` throws; `DatabaseError`; `CancellationError`.
  public func barrierWriteWithoutTransaction<Result: Sendable>(
    _ body: @escaping @Sendable (Database) throws -> Result
  ) async throws -> Result { try await base.barrierWriteWithoutTransaction(body) }

  /// Begins a read access, which sees what has been committed by now, and runs `body` in it.
  public func spawnConcurrentRead(_ body: @escaping @Sendable (Result<Database, any Error>) -> Void) {
    base.spawnConcurrentRead(body)
  }

  /// Interrupts the statements of all accesses that are under way, which throw.
  public func interrupt() { base.interrupt() }

  /// Closes the connections; accesses that begin afterwards throw.
  ///
  /// - Throws: `DatabaseError`.
  public func close() throws { try base.close() }
}
