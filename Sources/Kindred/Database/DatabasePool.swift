import KindredSQLite

/// A database with several connections: read accesses run concurrently with each other and with the one that
/// writes.
///
/// It switches the file to WAL mode (<https://www.sqlite.org/wal.html>). A read access must not be opened inside
/// another one, nor a write access inside another one: the inner one throws.
public final class DatabasePool: DatabaseWriter {
  private let context: DatabaseContext
  private let readingThreads = AccessingThreads()
  private let writerLock = SerialLock()
  private let connections: ConnectionPool

  /// Opens the database in a file, which is created if it does not exist.
  ///
  /// - Parameters:
  ///   - path: The path of the file.
  ///   - maximumReaderCount: The number of read accesses that can run at the same time; others wait for them.
  /// - Throws: `OpenError`.
  public init(path: String, maximumReaderCount: Int = 5) throws {
    guard path != ":memory:", !path.isEmpty else {
      throw OpenError(
        .other("an in-memory database has only one connection; open it as a DatabaseQueue"), path: path)
    }
    context = DatabaseContext(readers: maximumReaderCount)
    connections = try ConnectionPool(
      path: path, access: .readWriteCreate, readers: maximumReaderCount, checkoutTimeout: nil,
      configuration: .ofPrograms)
  }

  /// The database's commits, as seen by observations.
  public var commits: DatabaseCommits { DatabaseCommits(context: context) }

  /// Runs `body` in a read transaction.
  ///
  /// - Throws: The error that `body` throws; `DatabaseError` (misuse) inside another read access of the pool.
  public func read<Result>(_ body: (Database) throws -> Result) throws -> Result {
    // Waiting has no limit, so a thread must not wait for a connection while it holds one itself.
    try readingThreads.entering {
      try connections.withReader { connection in
        try connection.access(in: context) { database in
          try connection.readTransaction { try body(database) }
        }
      }
    }
  }

  /// Runs `body` in a transaction, which is committed if `body` returns, and rolled back if it throws.
  ///
  /// - Throws: The error that `body` throws, or `DatabaseError`.
  public func write<Result>(_ body: (Database) throws -> Result) throws -> Result {
    try writeWithoutTransaction { db in try db.inTransaction { try body(db) } }
  }

  /// Runs `body` without opening a transaction: each statement commits by itself unless `body` opens one.
  ///
  /// A transaction that is still open when `body` returns is rolled back.
  ///
  /// - Throws: The error that `body` throws, or `DatabaseError`.
  public func writeWithoutTransaction<Result>(_ body: (Database) throws -> Result) throws -> Result {
    try writerLock.withLock {
      try connections.withWriter { try $0.writingAccess(in: context, body) }
    }
  }

  /// Runs `body` in a read transaction on another thread.
  ///
  /// - Throws: The error that `body` throws, or `DatabaseError`.
  public func read<Result: Sendable>(
    _ body: @escaping @Sendable (Database) throws -> Result
  ) async throws -> Result {
    try await context.reads.result { try self.read(body) }
  }

  /// Runs `body` in a transaction on another thread.
  ///
  /// - Throws: The error that `body` throws, or `DatabaseError`.
  public func write<Result: Sendable>(
    _ body: @escaping @Sendable (Database) throws -> Result
  ) async throws -> Result {
    try await context.writes.result { try self.write(body) }
  }

  /// Closes the connections; one that is in use is closed when its access ends.
  ///
  /// Accesses that begin afterwards throw.
  public func close() { connections.close() }
}
