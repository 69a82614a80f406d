import KindredSQLite

/// A state of a database that stays as it is, whatever is committed meanwhile.
///
///     let snapshot = try dbPool.makeSnapshot()
///
/// It keeps a connection with an open read transaction, so that the WAL file grows until it is deallocated. If an access
/// ends that transaction, or an interruption does, the snapshot is lost, and accesses throw.
public final class DatabaseSnapshot: DatabaseReader {
  private struct Guarded: @unchecked Sendable {
    // `lock` gives it to one thread at a time.
    let connection: Connection
  }

  private let context: DatabaseContext
  private let lock = SerialLock()
  private let guarded: Guarded
  /// The settings with which the database was opened.
  public let configuration: Configuration
  /// The path of the file.
  public let path: String

  /// Opens a snapshot of what has been committed to a file in WAL mode.
  ///
  /// - Throws: `OpenError`, `DatabaseError`.
  public init(path: String, configuration: Configuration = Configuration()) throws {
    (self.path, self.configuration) = (path, configuration)
    context = DatabaseContext(configuration)
    let connection = try Connection(
      path: path, access: .readOnly, configuration: configuration.driver(context))
    try connection.beginRead()
    guarded = Guarded(connection: connection)
  }

  /// The database's commits: there are none.
  public var commits: DatabaseCommits { DatabaseCommits(context: context) }

  /// Runs `body` in the transaction of the snapshot.
  ///
  /// - Throws: The error that `body` throws, or `DatabaseError`; `DatabaseError` (abort) if the snapshot has been lost.
  public func read<Result>(_ body: (Database) throws -> Result) throws -> Result { try read(nil, body) }

  private func read<Result>(
    _ cancellation: AccessCancellation?, _ body: (Database) throws -> Result
  ) throws -> Result {
    try lock.withLock {
      try guarded.connection.access(in: context, isQueryOnly: true, cancellation) { database in
        try database.insideOpenTransaction { try body(database) }
      }
    }
  }

  /// Runs `body` in the transaction of the snapshot on another thread.
  ///
  /// - Throws: The error that `body` throws; `DatabaseError`; `CancellationError`.
  public func read<Result: Sendable>(
    _ body: @escaping @Sendable (Database) throws -> Result
  ) async throws -> Result {
    try await context.reads.result { try self.read($0, body) }
  }

  /// Interrupts the statements of the access that is under way, which throws.
  public func interrupt() { context.running.interrupt() }

  /// Does nothing: the connection is closed when the snapshot is deallocated.
  public func close() {}
}

extension DatabasePool {
  /// Returns a snapshot of what has been committed.
  ///
  /// - Throws: `OpenError`, `DatabaseError`.
  public func makeSnapshot() throws -> DatabaseSnapshot {
    try DatabaseSnapshot(path: path, configuration: configuration)
  }
}
