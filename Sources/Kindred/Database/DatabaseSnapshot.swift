import KindredSQLite

/// A state of a database that stays as it is, whatever is committed meanwhile.
///
///     let snapshot = try dbPool.makeSnapshot()
///
/// It keeps a connection with an open read transaction, so that the WAL file grows until it is deallocated. If an access
/// ends that transaction, or an interruption does, the snapshot is lost, and accesses throw.
public final class DatabaseSnapshot: ConnectionReader {
  let context: DatabaseContext
  private let lock = SerialLock()
  private let guarded: GuardedConnection
  /// The path of the file.
  public let path: String

  /// Opens a snapshot of what has been committed to a file in WAL mode.
  ///
  /// - Throws: `OpenError`, `DatabaseError`.
  public init(path: String, configuration: Configuration = Configuration()) throws {
    self.path = path
    context = DatabaseContext(configuration)
    let connection = try Connection(
      path: path, access: .readOnly, configuration: configuration.driver(context))
    try connection.beginRead()
    guarded = GuardedConnection(connection: connection)
  }

  /// Runs `body` in the transaction of the snapshot.
  ///
  /// - Throws: The error that `body` throws, or `DatabaseError`; `DatabaseError` (abort) if the snapshot has been lost.
  func read<Result>(
    _ cancellation: AccessCancellation?, _ body: (Database) throws -> Result
  ) throws -> Result {
    try lock.withLock {
      try guarded.connection.access(in: context, isQueryOnly: true, cancellation) { database in
        try database.insideOpenTransaction { try body(database) }
      }
    }
  }

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
