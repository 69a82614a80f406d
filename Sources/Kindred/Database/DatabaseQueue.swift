import KindredSQLite
import Synchronization

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

    init(
      path: String, access: Connection.Access? = nil, _ configuration: Configuration,
      _ context: DatabaseContext
    ) throws {
      connection = try DatabaseError.whileOpening {
        try Connection(
          path: path, access: access ?? configuration.access, configuration: configuration.driver(context))
      }
      if configuration.journalMode == .wal, !configuration.readonly {
        try connection.execute("PRAGMA journal_mode = WAL")
      }
    }
  }

  private let context: DatabaseContext
  private let lock = SerialLock()
  private let guarded: Mutex<Result<Guarded, any Error>>
  /// The settings with which it was opened.
  public let configuration: Configuration
  /// The path of the file; `:memory:` for a database in memory.
  public let path: String

  /// Opens a database in memory, which exists as long as the queue.
  ///
  /// If SQLite can't open it, each access throws the error.
  public init() {
    (path, configuration, context) = (":memory:", Configuration(), DatabaseContext())
    let (configuration, context) = (configuration, context)
    guarded = Mutex(Result { try Guarded(path: ":memory:", configuration, context) })
  }

  /// Opens a database in memory, which exists as long as the queue.
  ///
  /// - Throws: `DatabaseError`, or the error that preparing the connection throws.
  public convenience init(configuration: Configuration) throws {
    try self.init(path: ":memory:", configuration: configuration)
  }

  /// Opens the database in memory with a name, which all queues of the process with that name share
  /// (<https://www.sqlite.org/inmemorydb.html#sharedmemdb>).
  ///
  /// It exists as long as one of the queues. An access that needs a table which another queue is writing fails at once.
  ///
  /// - Parameters:
  ///   - name: The name; with `nil`, the database is no other queue's.
  ///   - configuration: How the connection is set up.
  /// - Throws: `DatabaseError`, or the error that preparing the connection throws.
  public init(named name: String?, configuration: Configuration = Configuration()) throws {
    (path, self.configuration) = (
      name.map { "file:\($0)?mode=memory&cache=shared" } ?? ":memory:", configuration
    )
    context = DatabaseContext(configuration)
    guarded = Mutex(
      .success(
        try Guarded(
          path: name ?? ":memory:", access: name == nil ? nil : .sharedMemory, configuration, context)))
  }

  /// Opens the database in a file, which is created if it does not exist.
  ///
  /// - Throws: `DatabaseError`, or the error that preparing the connection throws.
  public init(path: String, configuration: Configuration = Configuration()) throws {
    (self.path, self.configuration) = (path, configuration)
    context = DatabaseContext(configuration)
    guarded = Mutex(.success(try Guarded(path: path, configuration, context)))
  }

  /// The database's commits, as seen by observations.
  public var commits: DatabaseCommits { DatabaseCommits(context: context) }

  /// Runs `body` in a read transaction; statements that write throw.
  ///
  /// - Throws: The error that `body` throws, or `DatabaseError`.
  public func read<Result>(_ body: (Database) throws -> Result) throws -> Result { try read(nil, body) }

  private func read<Result>(
    _ cancellation: AccessCancellation?, _ body: (Database) throws -> Result
  ) throws -> Result {
    try withConnection { connection in
      try connection.access(in: context, isQueryOnly: true, cancellation) { database in
        try database.reading { try body(database) }
      }
    }
  }

  /// Runs `body` in a transaction, which is committed if `body` returns, and rolled back if it throws.
  ///
  /// - Throws: The error that `body` throws, or `DatabaseError`.
  public func write<Result>(_ body: (Database) throws -> Result) throws -> Result {
    try writeWithoutTransaction(nil) { db in try db.inTransaction { try body(db) } }
  }

  /// Runs `body` without opening a transaction: each statement commits by itself unless `body` opens one.
  ///
  /// - Throws: The error that `body` throws, or `DatabaseError`; `DatabaseError` (misuse) if `body` leaves a transaction
  ///   open, which is rolled back.
  public func writeWithoutTransaction<Result>(_ body: (Database) throws -> Result) throws -> Result {
    try writeWithoutTransaction(nil, body)
  }

  private func writeWithoutTransaction<Result>(
    _ cancellation: AccessCancellation?, _ body: (Database) throws -> Result
  ) throws -> Result {
    try withConnection { connection in
      try connection.writingAccess(in: context, cancellation, body)
    }
  }

  /// Runs `body` without opening a transaction: GRDB's name for `writeWithoutTransaction` of a queue.
  ///
  /// - Throws: The error that `body` throws, or `DatabaseError`.
  public func inDatabase<Result>(_ body: (Database) throws -> Result) throws -> Result {
    try writeWithoutTransaction(body)
  }

  /// Runs `body` in a transaction, which ends as `body` says, and is rolled back if it throws.
  ///
  /// - Throws: The error that `body` throws, or `DatabaseError`.
  public func inTransaction(
    _ kind: Database.TransactionKind? = nil, _ body: (Database) throws -> Database.TransactionCompletion
  ) throws {
    try writeInTransaction(kind, body)
  }

  /// Runs `body` without opening a transaction; no other access of a queue runs meanwhile.
  ///
  /// - Throws: The error that `body` throws, or `DatabaseError`.
  public func barrierWriteWithoutTransaction<Result>(
    _ body: (Database) throws -> Result
  ) throws -> Result { try writeWithoutTransaction(body) }

  /// Runs `body` in a read transaction on another thread.
  ///
  /// - Throws: The error that `body` throws; `DatabaseError`; `CancellationError`.
  public func read<Result: Sendable>(
    _ body: @escaping @Sendable (Database) throws -> Result
  ) async throws -> Result {
    try await context.reads.result { try self.read($0, body) }
  }

  /// Runs `body` in a transaction on another thread.
  ///
  /// - Throws: The error that `body` throws; `DatabaseError`; `CancellationError`.
  public func write<Result: Sendable>(
    _ body: @escaping @Sendable (Database) throws -> Result
  ) async throws -> Result {
    try await writeWithoutTransaction { db in try db.inTransaction { try body(db) } }
  }

  /// Runs `body` on another thread without opening a transaction.
  ///
  /// - Throws: The error that `body` throws; `DatabaseError`; `CancellationError`.
  public func writeWithoutTransaction<Result: Sendable>(
    _ body: @escaping @Sendable (Database) throws -> Result
  ) async throws -> Result {
    try await context.writes.result { try self.writeWithoutTransaction($0, body) }
  }

  /// Interrupts the statements of the access that is under way, which throws.
  public func interrupt() { context.running.interrupt() }

  /// Closes the connection after the access that is under way; later ones throw.
  ///
  /// - Throws: `DatabaseError` (misuse) inside an access.
  public func close() throws {
    try lock.withLock {
      guarded.withLock { $0 = .failure(DatabaseError.misuse("the database is closed")) }
    }
  }

  private func withConnection<Result>(_ body: (Connection) throws -> Result) throws -> Result {
    try lock.withLock { try body(try guarded.withLock { try $0.get() }.connection) }
  }
}
