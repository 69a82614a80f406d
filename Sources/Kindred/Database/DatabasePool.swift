import KindredSQLite

/// A database of several connections: accesses that read run beside one another, and beside the one that writes.
///
/// The file is put into WAL mode (<https://www.sqlite.org/wal.html>).
public final class DatabasePool: DatabaseWriter {
  private let context = DatabaseContext()
  private let writerLock = SerialLock()
  private let connections: ConnectionPool

  /// The database in a file, which is made if it is not there.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - maximumReaderCount: How many accesses may read at the same time.
  /// - Throws: `OpenError`.
  public init(path: String, maximumReaderCount: Int = 5) throws {
    guard path != ":memory:", !path.isEmpty else {
      throw OpenError(
        .other("a database in memory has one connection: open it as a DatabaseQueue"), path: path)
    }
    connections = try ConnectionPool(
      path: path, access: .readWriteCreate, readers: maximumReaderCount, configuration: .ofPrograms)
  }

  /// What is committed, for those who observe it.
  public var commits: DatabaseCommits { DatabaseCommits(context: context) }

  /// Runs `body` in a transaction that reads.
  ///
  /// - Throws: What `body` throws; `DatabaseError`, busy, where no connection gets free in time.
  public func read<Result>(_ body: (Database) throws -> Result) throws -> Result {
    try connections.withReader { connection in
      try connection.access(in: context) { database in
        try connection.readTransaction { try body(database) }
      }
    }
  }

  /// Runs `body` in a transaction, which is committed at the end, and rolled back if `body` throws.
  ///
  /// - Throws: What `body` throws, or `DatabaseError`.
  public func write<Result>(_ body: (Database) throws -> Result) throws -> Result {
    try writeWithoutTransaction { db in try db.inTransaction { try body(db) } }
  }

  /// Runs `body` without a transaction: each statement is one of its own, unless `body` opens one.
  ///
  /// A transaction that `body` leaves open is rolled back.
  ///
  /// - Throws: What `body` throws, or `DatabaseError`.
  public func writeWithoutTransaction<Result>(_ body: (Database) throws -> Result) throws -> Result {
    try writerLock.withLock {
      try connections.withWriter { try $0.writingAccess(in: context, body) }
    }
  }

  /// Runs `body` in a transaction that reads, on another thread.
  ///
  /// - Throws: What `body` throws, or `DatabaseError`.
  public func read<Result: Sendable>(
    _ body: @escaping @Sendable (Database) throws -> Result
  ) async throws -> Result {
    try await onAnotherThread { try self.read(body) }
  }

  /// Runs `body` in a transaction, on another thread.
  ///
  /// - Throws: What `body` throws, or `DatabaseError`.
  public func write<Result: Sendable>(
    _ body: @escaping @Sendable (Database) throws -> Result
  ) async throws -> Result {
    try await onAnotherThread { try self.write(body) }
  }

  /// Closes the connections: those in use when their accesses end.
  ///
  /// Every access throws after that.
  public func close() { connections.close() }
}
