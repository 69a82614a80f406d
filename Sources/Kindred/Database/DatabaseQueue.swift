import KindredSQLite

/// A database of one connection, whose accesses wait for one another.
///
///     let dbQueue = try DatabaseQueue(path: "library.sqlite")
///     let names = try dbQueue.read { db in try String.fetchAll(db, sql: "SELECT name FROM author") }
///
/// Accesses must not be nested.
public final class DatabaseQueue: DatabaseWriter {
  private struct Guarded: @unchecked Sendable {
    // The lock lets one thread at a time have it.
    let connection: Connection

    init(path: String) throws {
      connection = try Connection(path: path, access: .readWriteCreate, configuration: .ofPrograms)
    }
  }

  private let context = DatabaseContext()
  private let lock = SerialLock()
  private let guarded: Result<Guarded, any Error>

  /// A database in memory, which is gone when the queue is.
  ///
  /// Should SQLite be unable to open it, each access throws the error.
  public init() {
    guarded = Result { try Guarded(path: ":memory:") }
  }

  /// The database in a file, which is made if it is not there.
  ///
  /// - Throws: `OpenError`.
  public init(path: String) throws {
    guarded = .success(try Guarded(path: path))
  }

  /// What is committed, for those who observe it.
  public var commits: DatabaseCommits { DatabaseCommits(context: context) }

  /// Runs `body` in a transaction that reads; it can't write.
  ///
  /// - Throws: What `body` throws, or `DatabaseError`.
  public func read<Result>(_ body: (Database) throws -> Result) throws -> Result {
    try withConnection { connection in
      try connection.access(in: context, isQueryOnly: true) { database in
        try connection.readTransaction { try body(database) }
      }
    }
  }

  /// Runs `body` in a transaction, which is committed at the end, and rolled back if `body` throws.
  ///
  /// - Throws: What `body` throws, or `DatabaseError`.
  public func write<Result>(_ body: (Database) throws -> Result) throws -> Result {
    try inDatabase { db in try db.inTransaction { try body(db) } }
  }

  /// Runs `body` without a transaction: each statement is one of its own, unless `body` opens one.
  ///
  /// A transaction that `body` leaves open is rolled back.
  ///
  /// - Throws: What `body` throws, or `DatabaseError`.
  public func inDatabase<Result>(_ body: (Database) throws -> Result) throws -> Result {
    try withConnection { connection in
      defer { connection.rollback() }
      return try connection.writingAccess(in: context, body)
    }
  }

  /// Runs `body` without a transaction: another name of `inDatabase`.
  ///
  /// - Throws: What `body` throws, or `DatabaseError`.
  public func writeWithoutTransaction<Result>(_ body: (Database) throws -> Result) throws -> Result {
    try inDatabase(body)
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

  private func withConnection<Result>(_ body: (Connection) throws -> Result) throws -> Result {
    try lock.withLock { try body(try guarded.get().connection) }
  }
}
