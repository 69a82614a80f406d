import KindredSQLite
import Synchronization

/// A database with one connection, whose accesses run one at a time.
///
///     let dbQueue = try DatabaseQueue(path: "library.sqlite")
///     let names = try dbQueue.read { db in try String.fetchAll(db, sql: "SELECT name FROM author") }
///
/// Accesses must not be nested: the inner one throws.
public final class DatabaseQueue: ConnectionWriter {
  let context: DatabaseContext
  private let lock = SerialLock()
  private let guarded: Mutex<Result<GuardedConnection, any Error>>
  /// The path of the file; `:memory:` for a database in memory.
  public let path: String

  /// Opens a database in memory, which exists as long as the queue.
  ///
  /// If SQLite can't open it, each access throws the error.
  public init() {
    let context = DatabaseContext()
    (path, self.context) = (":memory:", context)
    guarded = Mutex(Result { try GuardedConnection(path: ":memory:", context) })
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
    path = name.map { "file:\($0)?mode=memory&cache=shared" } ?? ":memory:"
    context = DatabaseContext(configuration)
    let access: Connection.Access? = name == nil ? nil : .sharedMemory
    guarded = Mutex(.success(try GuardedConnection(path: name ?? ":memory:", access: access, context)))
  }

  /// Opens the database in a file, which is created if it does not exist.
  ///
  /// - Throws: `DatabaseError`, or the error that preparing the connection throws.
  public init(path: String, configuration: Configuration = Configuration()) throws {
    self.path = path
    context = DatabaseContext(configuration)
    guarded = Mutex(.success(try GuardedConnection(path: path, context)))
  }

  /// Runs `body` in a read transaction; statements that write throw.
  ///
  /// - Throws: The error that `body` throws, or `DatabaseError`.
  func read<Result>(
    _ cancellation: AccessCancellation?, _ body: (Database) throws -> Result
  ) throws -> Result {
    try withConnection { connection in
      try connection.access(in: context, isQueryOnly: true, cancellation) { database in
        try database.reading { try body(database) }
      }
    }
  }

  /// Runs `body` without opening a transaction: each statement commits by itself unless `body` opens one.
  ///
  /// - Throws: The error that `body` throws, or `DatabaseError`; `DatabaseError` (misuse) if `body` leaves a transaction
  ///   open, which is rolled back.
  func writeWithoutTransaction<Result>(
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
  func barrierWriteWithoutTransaction<Result>(
    _ cancellation: AccessCancellation?, _ body: (Database) throws -> Result
  ) throws -> Result { try writeWithoutTransaction(cancellation, body) }

  /// Closes the connection after the access that is under way; later ones throw.
  ///
  /// - Throws: `DatabaseError` (misuse) inside an access.
  public func close() throws {
    try lock.withLock {
      var closed = Result<GuardedConnection, any Error>.failure(
        DatabaseError.misuse("the database is closed"))
      // The connection, which owns the program's functions, is released outside the lock.
      guarded.withLock { swap(&$0, &closed) }
    }
  }

  private func withConnection<Result>(_ body: (Connection) throws -> Result) throws -> Result {
    try lock.withLock { try body(try guarded.withLock { try $0.get() }.connection) }
  }
}

extension GuardedConnection {
  fileprivate init(path: String, access: Connection.Access? = nil, _ context: DatabaseContext) throws {
    let configuration = context.configuration
    connection = try DatabaseError.whileOpening {
      try Connection(
        path: path, access: access ?? configuration.access, configuration: configuration.driver(context))
    }
    if configuration.journalMode == .wal, !configuration.readonly {
      try connection.execute("PRAGMA journal_mode = WAL")
    }
  }
}
