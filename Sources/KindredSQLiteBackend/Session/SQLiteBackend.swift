import KindredPlanning
import KindredBackend
import KindredClock
import KindredSQLite
import Synchronization

/// An SQLite database that is served.
public final class SQLiteBackend: Backend {
  /// The pool of connections.
  public let pool: ConnectionPool
  private let readers: SQLiteReaders
  private let watcher: StateWatcher
  private let writes: WriteQueue
  private let siblings = Mutex<[ConnectionPool]>([])
  private let notify: @Sendable (BackendNotice) -> Void
  /// Whether the file isn't at its path, which has been reported.
  private let isAway = Mutex(false)
  /// Whether the same is known of a database that is written: what reads it would see the WAL file of another.
  private let refusesReads = Atomic(false)
  /// The last write, if the file or its disk refused it.
  private let failedWrite = Mutex(FailedWrite())
  /// Returns how many bytes are free besides the database.
  private let freeSpace: @Sendable () -> UInt64?

  /// Creates a backend that uses the connections of a pool.
  ///
  /// - Parameter notify: Called, on any thread, when the file was moved or replaced.
  /// - Throws: `OpenError`.
  public convenience init(
    _ pool: ConnectionPool, notify: @escaping @Sendable (BackendNotice) -> Void = { _ in }
  ) throws {
    try self.init(pool, freeSpace: { pool.file.freeSpace }, notify: notify)
  }

  /// Creates a backend of a disk with this much space.
  init(
    _ pool: ConnectionPool, freeSpace: @escaping @Sendable () -> UInt64?,
    notify: @escaping @Sendable (BackendNotice) -> Void = { _ in }
  ) throws {
    self.pool = pool
    self.freeSpace = freeSpace
    self.notify = notify
    watcher = try StateWatcher(of: pool)
    readers = SQLiteReaders(pool: pool, watcher: watcher)
    writes = WriteQueue(pool)
    pool.file.startWatching { [weak self] in self?.lookAtFile() }
  }

  /// Whether the database can be written.
  public var isWritable: Bool { pool.isWritable }

  /// The number of the current state of the database; nil if it can't be determined.
  public var stateNumber: Int64? { refusesReads.load(ordering: .relaxed) ? nil : watcher.current }

  /// Whether another process waits to commit, in a rollback-journal mode.
  public var hasWaitingWriter: Bool { watcher.hasWaitingWriter }

  /// Returns the tables that were changed between two states; nil if others have committed in between.
  public func tablesChanged(since earlier: Int64, until later: Int64) -> Set<String>? {
    watcher.files(of: earlier, later).flatMap { writes.ledger.tables(since: $0, until: $1) }
  }

  /// Checks that the database can be read and, if it is writable, written.
  public func probe() throws {
    guard lookAtFile() else { throw lostFile }
    try watcher.probe()
    guard isWritable else { return }
    let free = freeSpace() ?? .max
    let (failure, triesAgain) = failedWrite.withLock { failed in
      (failed.failure(withFree: free, at: pool.path), failed.triesAgain())
    }
    if triesAgain { tryWriting() }
    if let failure { throw failure }
  }

  /// Writes without changing anything, to learn whether the file can be written again.
  private func tryWriting() {
    writes.perform { [weak self, pool] in
      let result = Result {
        try pool.withWriter { writer in
          try writer.beginWrite()
          // What an error leaves open ends when the connection is returned.
          let version = try writer.texts("SELECT user_version FROM pragma_user_version").first
          try writer.execute("PRAGMA user_version = \(version ?? "0")")
          try writer.commit()
        }
      }
      self?.failedWrite.withLock { $0.note(result) }
    }
  }

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
    guard !refusesReads.load(ordering: .relaxed) else { throw lostFile }
    return try readers.read(source, as: role, cancellation: cancellation, seconds: seconds)
  }

  /// Queues for a reading connection.
  public func queueForReader(
    ofLongResult isLong: Bool, _ onGrant: @escaping @Sendable () -> Void
  ) -> KindredBackend.ReaderTicket {
    readers.queueForReader(ofLongResult: isLong, onGrant)
  }

  /// Opens reading connections outside this pool.
  public func readers(_ count: Int) throws -> any ReaderPool {
    let sibling = try pool.sibling(readers: count)
    siblings.withLock { $0.append(sibling) }
    return SQLiteReaders(pool: sibling, watcher: watcher)
  }

  /// Closes the connections; one that is in use is closed when it is released.
  ///
  /// If none is, a writable database is left as a single file.
  public func close() {
    pool.file.stopWatching()
    writes.waitUntilIdle()
    // The pool's writer must be the last connection.
    for sibling in siblings.withLock({ $0 }) { sibling.close() }
    watcher.close()
    if isWritable, pool.file.standing != .inPlace { try? pool.emptyWriteAheadLog(after: writes.ledger) }
    pool.close()
  }

  // MARK: The file

  /// Checks that the file is still at its path; if it isn't, or is again, the operator is notified once.
  ///
  /// A file that replaces one that is only read is served from then on.
  ///
  /// - Returns: Whether the file that is served is at the path.
  @discardableResult
  private func lookAtFile() -> Bool {
    isAway.withLock { isAway in
      let standing = pool.file.standing
      var failure = lostFile
      switch standing {
      case .inPlace:
        if isAway { notify(.change("The database is back at its path.")) }
        isAway = false
        refusesReads.store(false, ordering: .relaxed)
        return true
      case .replaced where !isWritable:
        do {
          try renewFile()
          notify(.change("The database was replaced; the new file is served."))
          isAway = false
          return true
        } catch let error as OpenError {
          failure = error
        } catch {}
      case .missing, .replaced, .withoutLog: break
      }
      guard !isAway else { return false }
      isAway = true
      refusesReads.store(isWritable, ordering: .relaxed)
      notify(.failure("\(failure)\(isWritable ? "; until then, requests are refused" : "")"))
      // What was acknowledged goes to the file, wherever it is now, instead of staying next to another file.
      if isWritable {
        writes.perform { [pool, writes] in try? pool.emptyWriteAheadLog(after: writes.ledger) }
      }
      return false
    }
  }

  /// The error of requests while the file isn't the one that was opened; it may be back by now.
  private var lostFile: OpenError { pool.file.failure ?? OpenError(.moved, path: pool.path) }

  private func renewFile() throws {
    try pool.renewFile()
    for sibling in siblings.withLock({ $0 }) { sibling.closeIdle() }
    watcher.renew()
  }

  // MARK: Writing

  /// Queues `body` to run in a write transaction.
  public func write<Value: Sendable>(
    _ order: WriteOrder, _ body: @escaping @Sendable (any WriteTransaction) throws -> Value,
    completion: @escaping @Sendable (Result<Value, any Error>, Position?) -> Void
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
        do {
          return order.isLong
            ? try body(SQLiteWriteTransaction(connection, self.watcher))
            : try connection.account.charge { try body(SQLiteWriteTransaction(connection, self.watcher)) }
        } catch let error as any BackendError where error.kind == .full {
          self.noteFullDisk(error)
          throw error
        }
      },
      completion: { [weak self] result in
        self?.note(result)
        completion(result, nil)
      })
  }

  /// Notes whether the file or its disk has refused a write, or the file isn't at its path.
  private func note<Value>(_ result: Result<Value, any Error>) {
    failedWrite.withLock { $0.note(result) }
    guard case .failure(let failure) = result, let error = failure as? any BackendError else { return }
    if error.kind == .away { lookAtFile() }
    guard error.kind == .full else { return }
    noteFullDisk(error)
    // What a write has added to the WAL file before it failed isn't needed; the file keeps its length.
    writes.perform { [pool, writes] in try? pool.emptyWriteAheadLog(after: writes.ledger) }
  }

  private func noteFullDisk(_ error: any BackendError) {
    let freeSpace = freeSpace() ?? 0
    failedWrite.withLock { $0.note(full: error, freeSpace) }
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
    statistics.writeAheadLogSize = self.pool.writeAheadLogSize
    statistics.databaseSize = self.pool.file.size
    statistics.checkpoints = self.pool.checkpoints
    let live = siblings.withLock { $0 }.reduce(0) { $0 + $1.statistics.readersOpen }
    statistics.connections = [
      .init("reader", pool.readersOpen), .init("writer", isWritable ? 1 : 0), .init("live", live),
      .init("watcher", 1),
    ]
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
    let start = MonotonicTime.now()
    let connection = try reader(from: source, before: seconds.map { MonotonicTime.after($0, from: start) })
    let waited = Double(MonotonicTime.now() - start) / 1e9
    return try SQLiteReadTransaction(
      connection, of: pool, watcher, cancellation: cancellation, seconds: seconds.map { max(0, $0 - waited) })
  }

  private func reader(from source: ReaderSource, before deadline: UInt64?) throws -> Connection {
    switch source {
    case .waiting: return try pool.reader(withSnapshot: true, before: deadline)
    case .free:
      guard let reader = try pool.readerIfFree(withSnapshot: true, before: deadline) else {
        throw ReaderSource.NoneFree()
      }
      return reader
    case .queued(let ticket): return try pool.ticket(ticket.number).take(withSnapshot: true, before: deadline)
    }
  }

  func queueForReader(
    ofLongResult isLong: Bool, _ onGrant: @escaping @Sendable () -> Void
  ) -> KindredBackend.ReaderTicket {
    KindredBackend.ReaderTicket(number: pool.queueForReader(onGrant).number) { [pool] in
      pool.ticket($0).withdraw(isOverdue: $1)
    }
  }

  func close() { pool.close() }
}
