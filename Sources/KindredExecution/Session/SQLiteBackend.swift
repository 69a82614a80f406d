import KindredAssociations
import KindredBackend
import KindredSQLite

/// An SQLite database that is served.
public final class SQLiteBackend: Backend {
  /// The pool of connections.
  public let pool: ConnectionPool
  private let readers: SQLiteReaders
  private let watcher: StateWatcher
  private let writes: WriteQueue

  /// Creates a backend that uses the connections of a pool.
  ///
  /// - Throws: `OpenError`.
  public init(_ pool: ConnectionPool) throws {
    self.pool = pool
    watcher = try StateWatcher(of: pool)
    readers = SQLiteReaders(pool: pool, watcher: watcher)
    writes = WriteQueue(pool)
  }

  /// Whether the database can be written.
  public var isWritable: Bool { pool.isWritable }

  /// The number of the current state of the database; nil if it can't be determined.
  public var stateNumber: Int64? { watcher.current }

  /// Returns the tables that were changed between two states; nil if others have committed in between.
  public func tablesChanged(since earlier: Int64, until later: Int64) -> Set<String>? {
    watcher.files(of: earlier, later).flatMap { writes.ledger.tables(since: $0, until: $1) }
  }

  /// Checks that the database responds.
  public func probe() throws { try watcher.probe() }

  /// Runs `body` with the current schema.
  public func withSchema<Result: Sendable>(
    _ body: @Sendable (any SchemaSource) throws -> Result
  ) throws -> Result {
    try watcher.withConnection { try body(ConnectionSchema($1, schemaVersion: $0)) }
  }

  // MARK: Readers

  /// Begins to read: takes a connection and a snapshot.
  public func read(
    _ source: ReaderSource, as role: DatabaseRole?, cancellation: (any Cancellation)?, seconds: Double?
  ) throws -> any ReadTransaction {
    try readers.read(source, as: role, cancellation: cancellation, seconds: seconds)
  }

  /// Queues for a reading connection.
  public func queueForReader(_ onGrant: @escaping @Sendable () -> Void) -> KindredBackend.ReaderTicket {
    readers.queueForReader(onGrant)
  }

  /// Opens reading connections outside this pool.
  public func readers(_ count: Int) throws -> any ReaderPool {
    SQLiteReaders(pool: try pool.sibling(readers: count), watcher: watcher)
  }

  /// Closes the connections; one that is in use is closed when it is released.
  public func close() { readers.close() }

  // MARK: Writing

  /// Queues `body` to run in a write transaction.
  public func write<Value: Sendable>(
    _ order: WriteOrder, _ body: @escaping @Sendable (any WriteTransaction) throws -> Value,
    completion: @escaping @Sendable (Result<Value, any Error>) -> Void
  ) {
    let cancellation = order.cancellation
    writes.submit(
      deadline: order.deadline, isLong: order.isLong,
      isWanted: { !(cancellation?.isCancelled ?? false) },
      { connection in
        let handle = connection.interruptHandle
        cancellation?.onCancel { handle.interrupt() }
        defer { cancellation?.onCancel(nil) }
        // A long write is bounded by its size and has no account: its savepoints may need temporary files as large
        // as the database.
        return order.isLong
          ? try body(SQLiteWriteTransaction(connection))
          : try connection.account.charge { try body(SQLiteWriteTransaction(connection)) }
      }, completion: completion)
  }

  /// The current counters.
  public var statistics: BackendStatistics {
    let (pool, writes) = (pool.statistics, writes.statistics)
    var statistics = BackendStatistics()
    statistics.readersOpen = pool.readersOpen
    statistics.readersInUse = pool.readersInUse
    statistics.readersWaiting = pool.readersWaiting
    statistics.isWriterInUse = pool.isWriterInUse
    statistics.waits = pool.waits
    statistics.waitTimeouts = pool.timeouts
    statistics.statementCacheHits = pool.statementCacheHits
    statistics.statementCacheMisses = pool.statementCacheMisses
    statistics.writes = writes.writes
    statistics.writeCommits = writes.commits
    statistics.writesWaiting = writes.waiting
    return statistics
  }
}

/// The reading connections of a pool.
struct SQLiteReaders: ReaderPool {
  let pool: ConnectionPool
  let watcher: StateWatcher

  func read(
    _ source: ReaderSource, as _: DatabaseRole?, cancellation: (any Cancellation)?, seconds: Double?
  ) throws -> any ReadTransaction {
    try SQLiteReadTransaction(
      try reader(from: source), of: pool, watcher, cancellation: cancellation, seconds: seconds)
  }

  private func reader(from source: ReaderSource) throws -> Connection {
    switch source {
    case .waiting: return try pool.reader()
    case .free:
      guard let reader = try pool.readerIfFree() else { throw ReaderSource.NoneFree() }
      return reader
    case .queued(let ticket): return try pool.ticket(ticket.number).take()
    }
  }

  func queueForReader(_ onGrant: @escaping @Sendable () -> Void) -> KindredBackend.ReaderTicket {
    KindredBackend.ReaderTicket(number: pool.queueForReader(onGrant).number) { [pool] in
      pool.ticket($0).withdraw()
    }
  }

  func close() { pool.close() }
}
