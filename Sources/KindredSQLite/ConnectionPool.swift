import KindredClock

/// The connections of a server to one database: several that read, and at most one that writes.
///
/// A writable database is switched to WAL mode (<https://www.sqlite.org/wal.html>), in which readers and the writer
/// do not block each other.
public final class ConnectionPool: Sendable {
  /// Counters of the pool, for metrics.
  public struct Statistics: Hashable, Sendable {
    /// The number of open reading connections.
    public var readersOpen: Int
    /// The number of reading connections in use.
    public var readersInUse: Int
    /// The number of requests that wait for a reading connection.
    public var readersWaiting: Int
    /// Whether the writing connection is in use.
    public var isWriterInUse: Bool
    /// The number of times that a request had to wait for a connection.
    public var waits: Int
    /// The number of times that a request gave up waiting for a connection.
    public var timeouts: Int
    /// The number of statements found in caches, counted when connections are released.
    public var statementCacheHits: Int
    /// The number of statements that had to be prepared, counted when connections are released.
    public var statementCacheMisses: Int
  }

  /// The file, which siblings share.
  public let file: ServedFile

  /// The path that was passed to the initializer.
  public var path: String { file.path }

  /// The access of reading connections.
  ///
  /// It is `immutable` if the database is in WAL mode and its directory can't be written. The file is then served
  /// as it is now, and the server has to be restarted after a change.
  public var readerAccess: Connection.Access { file.access }

  private let configuration: ConnectionConfiguration
  let readers: ConnectionSlots
  private let writers: ConnectionSlots?
  /// Whether another pool, which is closed later, has the same file.
  private let isSibling: Bool

  /// Opens a database.
  ///
  /// - Parameters:
  ///   - access: With `readOnly` and `immutable`, the pool has no writing connection.
  ///   - readers: The maximum number of reading connections, at least one. They are opened on demand.
  ///   - checkoutTimeout: The milliseconds for which `reader()` and `withWriter(_:)` wait for a connection; nil for
  ///     no limit.
  /// - Throws: `OpenError` if there is no database, or it can't be read.
  public init(
    path: String, access: Connection.Access, readers: Int, checkoutTimeout: Int? = 5000,
    configuration: ConnectionConfiguration = ConnectionConfiguration()
  ) throws {
    let file: ServedFile
    switch access {
    case .immutable:
      file = ServedFile(path: path, access: .immutable)
      writers = nil
    case .readOnly:
      file = ServedFile(
        path: path, access: try ReadOnlyAccess.choose(path: path, configuration: configuration))
      writers = nil
    case .readWrite, .readWriteCreate, .sharedMemory:
      file = ServedFile(path: path, access: .readOnly)
      let writers = ConnectionSlots(count: 1, timeoutMilliseconds: checkoutTimeout) { _ in
        try Self.writer(file, access: access, configuration: configuration)
      }
      // Opening the writer switches the file to WAL mode before the first reader opens it.
      writers.checkIn(try writers.checkOut())
      self.writers = writers
    }
    file.note(isWritten: writers != nil)
    self.file = file
    self.configuration = configuration
    isSibling = false
    self.readers = Self.readers(readers, of: file, checkoutTimeout, configuration)
    self.readers.checkIn(try self.readers.checkOut())
  }

  /// Creates a pool of other reading connections to the same file.
  private init(besides pool: ConnectionPool, readers: Int) throws {
    file = pool.file
    // A commit ends only the snapshots of the pool that makes it.
    var configuration = pool.configuration
    configuration.snapshotAge = 0
    self.configuration = configuration
    writers = nil
    isSibling = true
    self.readers = Self.readers(readers, of: pool.file, 5000, configuration)
    self.readers.checkIn(try self.readers.checkOut())
  }

  private static func readers(
    _ count: Int, of file: ServedFile, _ checkoutTimeout: Int?, _ configuration: ConnectionConfiguration
  ) -> ConnectionSlots {
    ConnectionSlots(
      count: count, timeoutMilliseconds: checkoutTimeout, snapshotAge: configuration.snapshotAge,
      isCurrent: { $0.fileNumber == file.number },
      open: { try file.open(nil, configuration, before: $0) })
  }

  /// Opens the writing connection, and switches the database to WAL mode.
  private static func writer(
    _ file: ServedFile, access: Connection.Access, configuration: ConnectionConfiguration
  ) throws -> Connection {
    let connection = try file.open(access, configuration)
    do {
      // After a burst of writes, the WAL file is truncated to this size.
      try connection.execute("PRAGMA journal_mode = WAL; PRAGMA journal_size_limit = 67108864")
      // Only a connection that has read has the WAL file open, and removes it when it is closed as the last one.
      try connection.execute("PRAGMA schema_version")
    } catch let error as DatabaseError {
      throw OpenError(error, path: file.path, connection: connection.handle)
    }
    return connection
  }

  /// Returns a pool of other reading connections to the same database.
  ///
  /// - Throws: `OpenError`.
  public func sibling(readers: Int) throws -> ConnectionPool {
    try ConnectionPool(besides: self, readers: readers)
  }

  /// Whether there is a writing connection.
  public var isWritable: Bool { writers != nil }

  /// Takes a reading connection, which must be returned by `release(_:)`.
  ///
  /// It may move between threads, but has one holder at a time.
  ///
  /// - Parameters:
  ///   - withSnapshot: Whether it may have a snapshot that was kept for the next holder, who then has to begin by
  ///     ``Connection/takeSnapshot()``.
  ///   - deadline: When it must be open, in nanoseconds of `MonotonicTime`; nil for no limit but that of locks.
  /// - Throws: `DatabaseError` (busy) if none becomes free in time; `OpenError`.
  public func reader(
    withSnapshot: Bool = false, before deadline: UInt64? = nil
  ) throws -> sending Connection {
    try readers.checkOut(withSnapshot: withSnapshot, before: deadline)
  }

  /// Returns a reading connection to the pool.
  ///
  /// Everything that its holder has left behind is undone: running statements are reset, an open transaction is rolled
  /// back, and deadline and interruption are cleared.
  public func release(_ reader: Connection) {
    readers.checkIn(reader)
  }

  /// Returns a reading connection with the snapshot that its holder has taken by ``Connection/takeSnapshot()``.
  ///
  /// The snapshot is kept for a moment if others have just returned connections too.
  public func releaseWithSnapshot(_ reader: Connection) {
    readers.checkIn(reader, keepsSnapshot: true)
  }

  /// Runs `body` while no snapshot is kept, so that a checkpoint can include everything.
  func withoutKeptSnapshots<Result>(_ body: () throws -> Result) rethrows -> Result {
    try readers.withoutKeptSnapshots(body)
  }

  /// Runs `body` with a reading connection.
  public func withReader<Result>(_ body: (Connection) throws -> Result) throws -> Result {
    let connection = try readers.checkOut()
    defer { readers.checkIn(connection) }
    return try body(connection)
  }

  /// Runs `body` with the writing connection.
  ///
  /// - Throws: The error that `body` throws; `DatabaseError` (busy) if others write for too long, or (read-only) if
  ///   there is no writing connection.
  public func withWriter<Result>(_ body: (Connection) throws -> Result) throws -> Result {
    guard let writers else { throw DatabaseError.readOnly("the database is served read-only") }
    let connection = try writers.checkOut()
    defer { writers.checkIn(connection) }
    return try body(connection)
  }

  /// Opens a connection outside the pool, for reading.
  ///
  /// - Throws: `OpenError`
  public func openReader(_ configuration: ConnectionConfiguration) throws -> Connection {
    try file.open(nil, configuration)
  }

  /// Serves the file that is at the path now instead of the previous one.
  ///
  /// Connections to the previous one are closed when they are released; those of siblings by their ``closeIdle()``.
  ///
  /// - Throws: `DatabaseError` (misuse) if there is a writing connection; `OpenError` if the new file can't be read.
  public func renewFile() throws {
    guard !isWritable else { throw DatabaseError.misuse("a file that is written can't be replaced") }
    try file.renew(configuration)
    closeIdle()
  }

  /// Closes the reading connections that are idle.
  public func closeIdle() { readers.closeIdle() }

  /// The size of the WAL file in bytes; nil without a writing connection.
  public var writeAheadLogSize: Int? {
    isWritable ? FileStatus.size(FileStatus.resolved(path) + "-wal") : nil
  }

  /// How often the WAL file was started over since it was created, after a checkpoint; nil without a WAL file.
  public var checkpoints: Int? {
    isWritable ? FileStatus.checkpoints(ofLog: FileStatus.resolved(path) + "-wal") : nil
  }

  /// Moves the content of the WAL file into the database, and empties it, unless others keep reading it or have
  /// committed after the last commit in the ledger.
  ///
  /// What others have committed may belong to another file, which has replaced this one and has the same WAL file.
  ///
  /// - Throws: `DatabaseError`
  public func emptyWriteAheadLog(after ledger: CommitLedger) throws {
    guard file.standing != .withoutLog else { return }
    try withWriter { writer in
      _ = try writer.dataVersion
      guard let state = FileState(of: writer), ledger.isLast(state) else { return }
      // Readers that take long are not waited for.
      writer.setDeadline(MonotonicTime.now() + 500_000_000)
      try withoutKeptSnapshots { try writer.execute("PRAGMA wal_checkpoint(TRUNCATE)") }
    }
  }

  /// Closes the connections; one that is in use is closed when it is released.
  ///
  /// Afterwards no connection can be taken. If no other connection to a writable database is open, it is left as a
  /// single file.
  public func close() {
    readers.close()
    if isSibling { return }
    // The writer is closed last: the last connection moves the content of the WAL file into the database and
    // deletes it, which a reading connection can't do. If the file was moved, SQLite leaves the WAL file as it is: it
    // may be that of the file which is at the path now. Without its WAL file, the database file may be another's too.
    if file.standing == .withoutLog { try? withWriter { $0.leaveWriteAheadLog() } }
    if let writers { writers.close() } else { removeEmptyWriteAheadLog() }
  }

  /// Removes the files that reading a database in WAL mode has created next to it, if no other connection has it open.
  ///
  /// Only a connection that may write removes them; it has nothing to write as long as the WAL file is empty.
  private func removeEmptyWriteAheadLog() {
    let log = FileStatus.resolved(path) + "-wal"
    guard readerAccess == .readOnly, file.standing == .inPlace, FileStatus(path: log) == .other,
      FileStatus.size(log) == 0
    else { return }
    _ = try? Connection(path: path, access: .readWrite, configuration: configuration)
  }

  /// The current counters.
  public var statistics: Statistics {
    let (reading, writing) = (readers.counters, writers?.counters)
    return Statistics(
      readersOpen: reading.open, readersInUse: reading.inUse, readersWaiting: reading.waiting,
      isWriterInUse: writing?.inUse == 1,
      waits: reading.waits + (writing?.waits ?? 0), timeouts: reading.timeouts + (writing?.timeouts ?? 0),
      statementCacheHits: reading.cacheHits + (writing?.cacheHits ?? 0),
      statementCacheMisses: reading.cacheMisses + (writing?.cacheMisses ?? 0))
  }
}
