import KindredSQLite

/// A database that can be read.
public protocol DatabaseReader: AnyObject, Sendable {
  /// The settings with which it was opened.
  var configuration: Configuration { get }

  /// The path of the file; `:memory:` for a database in memory.
  var path: String { get }

  /// Runs `body` in a read transaction, which sees one state of the database whatever is committed meanwhile.
  ///
  /// - Throws: The error that `body` throws, or `DatabaseError`.
  func read<Result>(_ body: (Database) throws -> Result) throws -> Result

  /// Runs `body` in a read transaction on another thread.
  ///
  /// - Throws: The error that `body` throws; `DatabaseError`; `CancellationError` if the task is cancelled, which
  ///   interrupts the access.
  func read<Result: Sendable>(_ body: @escaping @Sendable (Database) throws -> Result) async throws -> Result

  /// Interrupts the statements of all accesses that are under way, which throw; later accesses run as usual.
  func interrupt()

  /// Closes the connections; accesses that begin afterwards throw.
  ///
  /// - Throws: `DatabaseError`.
  func close() throws

  /// The database's commits, as seen by observations.
  var commits: DatabaseCommits { get }
}

/// A database that can be read and written.
public protocol DatabaseWriter: DatabaseReader {
  /// Runs `body` in a transaction, which is committed if `body` returns, and rolled back if it throws.
  ///
  /// Only one write access runs at a time; others wait for it.
  ///
  /// - Throws: The error that `body` throws, or `DatabaseError`.
  func write<Result>(_ body: (Database) throws -> Result) throws -> Result

  /// Runs `body` in a transaction on another thread.
  ///
  /// - Throws: The error that `body` throws; `DatabaseError`; `CancellationError` if the task is cancelled, which
  ///   rolls back the transaction.
  func write<Result: Sendable>(
    _ body: @escaping @Sendable (Database) throws -> Result
  ) async throws -> Result

  /// Runs `body` without opening a transaction: each statement commits by itself unless `body` opens one.
  ///
  /// - Throws: The error that `body` throws, or `DatabaseError`.
  func writeWithoutTransaction<Result>(_ body: (Database) throws -> Result) throws -> Result

  /// Runs `body` on another thread without opening a transaction.
  ///
  /// - Throws: The error that `body` throws; `DatabaseError`; `CancellationError` if the task is cancelled, which
  ///   interrupts the access.
  func writeWithoutTransaction<Result: Sendable>(
    _ body: @escaping @Sendable (Database) throws -> Result
  ) async throws -> Result

  /// Runs `body` without opening a transaction, while no other access runs.
  ///
  /// - Throws: The error that `body` throws, or `DatabaseError`.
  func barrierWriteWithoutTransaction<Result>(_ body: (Database) throws -> Result) throws -> Result

  /// Runs `body` on another thread without opening a transaction, while no other access runs.
  ///
  /// - Throws: The error that `body` throws; `DatabaseError`; `CancellationError` if the task is cancelled, which
  ///   interrupts the access.
  func barrierWriteWithoutTransaction<Result: Sendable>(
    _ body: @escaping @Sendable (Database) throws -> Result
  ) async throws -> Result

  /// Begins a read access, which sees what has been committed by now, and runs `body` in it: on another thread if the
  /// database has several connections.
  ///
  /// - Parameter body: Receives the database, or the error for which it can't be read.
  func spawnConcurrentRead(_ body: @escaping @Sendable (Result<Database, any Error>) -> Void)
}

extension DatabaseWriter {
  /// Runs `body` in a transaction, which ends as `body` says, and is rolled back if it throws.
  ///
  /// - Throws: The error that `body` throws, or `DatabaseError`.
  public func writeInTransaction(
    _ kind: Database.TransactionKind? = nil, _ body: (Database) throws -> Database.TransactionCompletion
  ) throws {
    let _: Database.TransactionCompletion = try writeWithoutTransaction { db in
      try db.inTransaction(kind) { try body(db) }
    }
  }
}

/// A reader that owns its connections, and whose accesses end with the tasks that wait for them.
protocol ConnectionReader: DatabaseReader {
  /// The state that its accesses share.
  var context: DatabaseContext { get }

  /// Runs `body` as a read access, which a cancellation of its task ends.
  func read<Result>(
    _ cancellation: AccessCancellation?, _ body: (Database) throws -> Result
  ) throws -> Result
}

extension ConnectionReader {
  /// The settings with which it was opened.
  public var configuration: Configuration { context.configuration }

  /// The database's commits, as seen by observations: a snapshot has none.
  public var commits: DatabaseCommits { DatabaseCommits(context: context) }

  /// Runs `body` in a read transaction; statements that write throw.
  ///
  /// - Throws: The error that `body` throws, or `DatabaseError`.
  public func read<Result>(_ body: (Database) throws -> Result) throws -> Result { try read(nil, body) }

  /// Runs `body` in a read transaction on another thread.
  ///
  /// - Throws: The error that `body` throws; `DatabaseError`; `CancellationError`.
  public func read<Result: Sendable>(
    _ body: @escaping @Sendable (Database) throws -> Result
  ) async throws -> Result {
    try await context.reads.result { try self.read($0, body) }
  }

  /// Interrupts the statements of all accesses that are under way, which throw.
  public func interrupt() { context.running.interrupt() }
}

/// A writer that owns its connections, and whose accesses end with the tasks that wait for them.
protocol ConnectionWriter: ConnectionReader, DatabaseWriter {
  /// Runs `body` as a write access, which a cancellation of its task ends.
  func writeWithoutTransaction<Result>(
    _ cancellation: AccessCancellation?, _ body: (Database) throws -> Result
  ) throws -> Result

  /// Runs `body` as the only access that runs, which may write, and which a cancellation of its task ends.
  func barrierWriteWithoutTransaction<Result>(
    _ cancellation: AccessCancellation?, _ body: (Database) throws -> Result
  ) throws -> Result
}

extension ConnectionWriter {
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

  /// Runs `body` in a transaction on another thread.
  ///
  /// - Throws: The error that `body` throws; `DatabaseError`; `CancellationError`.
  public func write<Result: Sendable>(
    _ body: @escaping @Sendable (Database) throws -> Result
  ) async throws -> Result {
    try await context.writes.result { cancellation in
      try self.writeWithoutTransaction(cancellation) { db in try db.inTransaction { try body(db) } }
    }
  }

  /// Runs `body` on another thread without opening a transaction.
  ///
  /// - Throws: The error that `body` throws; `DatabaseError`; `CancellationError`.
  public func writeWithoutTransaction<Result: Sendable>(
    _ body: @escaping @Sendable (Database) throws -> Result
  ) async throws -> Result {
    try await context.writes.result { try self.writeWithoutTransaction($0, body) }
  }

  /// Runs `body` without opening a transaction, after the accesses that are under way, and before any other.
  ///
  /// - Throws: The error that `body` throws, or `DatabaseError`.
  public func barrierWriteWithoutTransaction<Result>(
    _ body: (Database) throws -> Result
  ) throws -> Result { try barrierWriteWithoutTransaction(nil, body) }

  /// Runs `body` on another thread without opening a transaction, while no other access runs.
  ///
  /// - Throws: The error that `body` throws; `DatabaseError`; `CancellationError`.
  public func barrierWriteWithoutTransaction<Result: Sendable>(
    _ body: @escaping @Sendable (Database) throws -> Result
  ) async throws -> Result {
    try await context.writes.result { try self.barrierWriteWithoutTransaction($0, body) }
  }
}

/// The commits of a database, as seen by observations.
public struct DatabaseCommits: Sendable {
  let context: DatabaseContext
}

/// A connection that its owner gives to one thread at a time.
struct GuardedConnection: @unchecked Sendable {
  let connection: Connection
}

extension Connection {
  /// Runs `body` as an access to the database, and ends the access.
  ///
  /// - Throws: The error that `body` throws; `CancellationError` if the task of the access has been cancelled before
  ///   it began.
  func access<Result>(
    in context: DatabaseContext, isQueryOnly: Bool = false, _ cancellation: AccessCancellation? = nil,
    _ body: (Database) throws -> Result
  ) throws -> Result {
    let handle = interruptHandle
    try cancellation?.use(handle)
    // Otherwise an interruption would outlive the access, on a connection that is in no pool.
    defer { clearInterruption() }
    return try context.running.running(handle) {
      let database = Database(self, context: context, isQueryOnly: isQueryOnly)
      defer { database.close() }
      return try context.current.entering(database) {
        try database.checkingDecoding { try body(database) }
      }
    }
  }

  /// Runs `body` as an access that may write, and notifies observers of what it has committed.
  ///
  /// - Throws: The error that `body` throws; `DatabaseError` (misuse) if it leaves a transaction open, which is rolled
  ///   back.
  func writingAccess<Result>(
    in context: DatabaseContext, _ cancellation: AccessCancellation? = nil,
    _ body: (Database) throws -> Result
  ) throws -> Result {
    let mayStayOpen = context.configuration.allowsUnsafeTransactions
    return try context.observers.watch(self) { watch in
      defer { if !mayStayOpen { rollback() } }
      return try access(in: context, cancellation) { database in
        database.commitWatch = watch
        watch.database = database
        try database.observeTransactions()
        defer {
          if isInTransaction, !mayStayOpen { try? database.rollback() }
          watch.tell()
        }
        let result = try body(database)
        guard mayStayOpen || !isInTransaction else {
          throw DatabaseError.misuse(
            "the access has ended without ending its transaction, which is rolled back")
        }
        return result
      }
    }
  }
}
