import KindredSQLite

/// A database with one connection, whose accesses run one at a time.
///
///     let dbQueue = try DatabaseQueue(path: "library.sqlite")
///     let names = try dbQueue.read { db in try String.fetchAll(db, sql: "SELECT name FROM author") }
///
/// Accesses must not be nested: the inner one throws.
public final class DatabaseQueue: DatabaseWriter {
  private struct Guarded: @unchecked Sendable {
    // `lock` gives it to one thread at a time.
    let connection: Connection

    init(path: String) throws {
      connection = try Connection(path: path, access: .readWriteCreate, configuration: .ofPrograms)
    }
  }

  private let context = DatabaseContext()
  private let lock = SerialLock()
  private let guarded: Result<Guarded, any Error>

  /// Opens a database in memory, which exists as long as the queue.
  ///
  /// If SQLite can't open it, each access throws the error.
  public init() {
    guarded = Result { try Guarded(path: ":memory:") }
  }

  /// Opens the database in a file, which is created if it does not exist.
  ///
  /// - Throws: `OpenError`.
  public init(path: String) throws {
    guarded = .success(try Guarded(path: path))
  }

  /// The database's commits, as seen by observations.
  public var commits: DatabaseCommits { DatabaseCommits(context: context) }

  /// Runs `body` in a read transaction; statements that write throw.
  ///
  /// - Throws: The error that `body` throws, or `DatabaseError`.
  public func read<Result>(_ body: (Database) throws -> Result) throws -> Result {
    try withConnection { connection in
      try connection.access(in: context, isQueryOnly: true) { database in
        try connection.readTransaction { try body(database) }
      }
    }
  }

  /// Runs `body` in a transaction, which is committed if `body` returns, and rolled back if it throws.
  ///
  /// - Throws: The error that `body` throws, or `DatabaseError`.
  public func write<Result>(_ body: (Database) throws -> Result) throws -> Result {
    try inDatabase { db in try db.inTransaction { try body(db) } }
  }

  /// Runs `body` without opening a transaction: each statement commits by itself unless `body` opens one.
  ///
  /// A transaction that is still open when `body` returns is rolled back.
  ///
  /// - Throws: The error that `body` throws, or `DatabaseError`.
  public func inDatabase<Result>(_ body: (Database) throws -> Result) throws -> Result {
    try withConnection { connection in
      defer { connection.rollback() }
      return try connection.writingAccess(in: context, body)
    }
  }

  /// Runs `body` without opening a transaction, as `inDatabase(_:)` does.
  ///
  /// - Throws: The error that `body` throws, or `DatabaseError`.
  public func writeWithoutTransaction<Result>(_ body: (Database) throws -> Result) throws -> Result {
    try inDatabase(body)
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

  private func withConnection<Result>(_ body: (Connection) throws -> Result) throws -> Result {
    try lock.withLock { try body(try guarded.get().connection) }
  }
}
