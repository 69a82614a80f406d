import Dispatch
import KindredSQLite

/// A database with several connections: read accesses run concurrently with each other and with the one that
/// writes.
///
/// It switches the file to WAL mode (<https://www.sqlite.org/wal.html>). A read access can be opened inside a write
/// access, and sees what was committed before. Any other access inside one throws.
public final class DatabasePool: ConnectionWriter {
  let context: DatabaseContext
  private let readingThreads = AccessingThreads()
  private let writerLock = SerialLock()
  private let connections: ConnectionPool
  /// The path of the file.
  public let path: String

  /// Opens the database in a file, which is created if it does not exist.
  ///
  /// - Throws: `DatabaseError`, or the error that preparing a connection throws.
  public init(path: String, configuration: Configuration = Configuration()) throws {
    guard path != ":memory:", !path.isEmpty else {
      throw DatabaseError(
        resultCode: .SQLITE_CANTOPEN,
        message: "an in-memory database has only one connection; open it as a DatabaseQueue")
    }
    self.path = path
    context = DatabaseContext(configuration, readers: configuration.maximumReaderCount)
    let context = context
    connections = try DatabaseError.whileOpening {
      try ConnectionPool(
        path: path, access: configuration.access, readers: configuration.maximumReaderCount,
        checkoutTimeout: nil, configuration: configuration.driver(context))
    }
  }

  /// Opens the database in a file, which is created if it does not exist.
  ///
  /// - Parameters:
  ///   - path: The path of the file.
  ///   - maximumReaderCount: The number of read accesses that can run at the same time; others wait for them.
  /// - Throws: `DatabaseError`.
  public convenience init(path: String, maximumReaderCount: Int) throws {
    var configuration = Configuration()
    configuration.maximumReaderCount = maximumReaderCount
    try self.init(path: path, configuration: configuration)
  }

  /// Closes the connections that read and are idle, so that other ones are opened and prepared when they are needed.
  public func invalidateReadOnlyConnections() { connections.closeIdle() }

  /// Runs `body` in a read transaction.
  ///
  /// - Throws: The error that `body` throws; `DatabaseError` (misuse) inside another read access of the pool.
  func read<Result>(
    _ cancellation: AccessCancellation?, _ body: (Database) throws -> Result
  ) throws -> Result {
    // Waiting has no limit, so a thread must not wait for a connection while it holds one itself.
    try readingThreads.entering {
      try connections.withReader { connection in
        try connection.access(in: context, isQueryOnly: true, cancellation) { database in
          try database.reading { try body(database) }
        }
      }
    }
  }

  /// Runs `body` without opening a transaction: each statement commits by itself unless `body` opens one.
  ///
  /// - Throws: The error that `body` throws, or `DatabaseError`; `DatabaseError` (misuse) if `body` leaves a transaction
  ///   open, which is rolled back, and inside another access of the pool.
  func writeWithoutTransaction<Result>(
    _ cancellation: AccessCancellation?, _ body: (Database) throws -> Result
  ) throws -> Result {
    // A writer may wait for a reader, so a reader must not wait for the writer.
    guard !readingThreads.hasCurrent else {
      throw DatabaseError.misuse("a write access can't be opened inside a read access of the same pool")
    }
    return try writerLock.withLock {
      try connections.withWriter { try $0.writingAccess(in: context, cancellation, body) }
    }
  }

  /// Runs `body` without opening a transaction, after the read accesses that are under way, and before any other.
  ///
  /// - Throws: The error that `body` throws, or `DatabaseError`.
  func barrierWriteWithoutTransaction<Result>(
    _ cancellation: AccessCancellation?, _ body: (Database) throws -> Result
  ) throws -> Result {
    try readingThreads.entering {
      try writerLock.withLock {
        var readers: [Connection] = []
        defer { for reader in readers { connections.release(reader) } }
        for _ in 0..<max(1, configuration.maximumReaderCount) { readers.append(try connections.reader()) }
        return try connections.withWriter { try $0.writingAccess(in: context, cancellation, body) }
      }
    }
  }

  /// Begins a read transaction, which sees what has been committed by now, and runs `body` in it on another thread.
  ///
  ///     try dbPool.writeWithoutTransaction { db in
  ///       try Player(name: "Arthur").insert(db)
  ///       // Sees that player, and no later one.
  ///       dbPool.spawnConcurrentRead { result in … }
  ///     }
  ///
  /// - Parameter body: Receives the database, or the error for which it can't be read: inside a transaction, whose
  ///   changes it wouldn't see, and inside a read access of the pool, which may have the only connection that reads.
  public func spawnConcurrentRead(_ body: @escaping @Sendable (Result<Database, any Error>) -> Void) {
    do {
      guard !readingThreads.hasCurrent, context.current.current(where: \.isInsideTransaction) == nil else {
        throw DatabaseError.misuse("a concurrent read can't begin inside a read access or a transaction")
      }
      // It goes from the thread that begins its transaction to the one that reads.
      let reader = GuardedConnection(connection: try connections.reader())
      do {
        try reader.connection.beginRead()
      } catch {
        connections.release(reader.connection)
        throw error
      }
      // On a separate thread: the threads of asynchronous reads may all be waiting for this connection.
      let queue = DispatchQueue(label: "kindred.concurrent-read", qos: configuration.qos)
      queue.async { [self] in
        defer { connections.release(reader.connection) }
        context.report(to: body) { access in
          try readingThreads.entering {
            try reader.connection.access(in: context, isQueryOnly: true, nil, access)
          }
        }
      }
    } catch {
      body(.failure(error))
    }
  }

  /// Closes the connections; one that is in use is closed when its access ends.
  ///
  /// Accesses that begin afterwards throw.
  public func close() { connections.close() }
}
