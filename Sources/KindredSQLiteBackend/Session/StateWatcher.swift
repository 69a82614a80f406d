import KindredClock
import KindredSQLite
import KindredSystem
import Synchronization

/// Numbers the states of a database, including those written by other processes.
///
/// It has a separate connection, whose `data_version` changes with every commit of any other connection of any
/// process (<https://www.sqlite.org/pragma.html#pragma_data_version>); the numbers of different connections can't
/// be compared.
final class StateWatcher: Sendable {
  private struct Watcher {
    /// Nil until it is needed.
    var connection: Connection?
    var isClosed = false
    /// The current version with the state of the file, which is cheaper to read.
    var state: (file: FileState, version: Int64)? {
      didSet {
        guard let state else { return }
        if history.count >= StateWatcher.historyLength { history.removeFirst(history.count / 2) }
        history.append(state)
      }
    }
    /// The latest versions with the states of the file.
    private(set) var history: [(file: FileState, version: Int64)] = []
  }

  private static let historyLength = 64

  private let watcher = Mutex(Watcher())
  private let pool: ConnectionPool
  private let configuration: ConnectionConfiguration
  /// The time when the database last responded, in nanoseconds.
  private let lastAnswer = Atomic<UInt64>(0)

  /// The nanoseconds for which a response of `probe()` is valid, so that frequent health checks don't load the
  /// database.
  private static let validity: UInt64 = 100_000_000

  init(of pool: ConnectionPool) throws {
    self.pool = pool
    var configuration = ConnectionConfiguration()
    // While another process holds the file exclusively, its state is unknown; no request should wait for it here.
    configuration.busyTimeout = 0
    self.configuration = configuration
    try watcher.withLock { _ = try connection(of: &$0) }
  }

  private func connection(of watcher: inout Watcher) throws -> Connection {
    if let connection = watcher.connection { return connection }
    guard !watcher.isClosed else { throw DatabaseError.misuse("the database is closed") }
    let connection = try pool.openReader(configuration)
    watcher.connection = connection
    return connection
  }

  /// Watches the file that is now at the path.
  ///
  /// By then, the pool must no longer give out connections to the previous one.
  func renew() { watcher.withLock { $0 = Watcher(isClosed: $0.isClosed) } }

  /// Closes the connection, for good.
  func close() { watcher.withLock { $0 = Watcher(isClosed: true) } }

  /// Runs `body` in a transaction of the watching connection.
  ///
  /// It holds a lock, so `body` must be short.
  func withConnection<Result: Sendable>(
    _ body: @Sendable (_ schemaVersion: Int64, Connection) throws -> Result
  ) throws -> Result {
    try watcher.withLock { watcher in
      let connection = try connection(of: &watcher)
      let schemaVersion = try connection.beginRead()
      defer { try? connection.commit() }
      return try body(schemaVersion, connection)
    }
  }

  /// The number of the current state, which no other state has; nil if it can't be determined.
  ///
  /// Anything read afterwards shows this state or a later one.
  var current: Int64? {
    watcher.withLock { watcher in
      guard let connection = try? connection(of: &watcher) else { return nil }
      if connection.access == .immutable { return Self.firstNumber(of: connection) }
      if let state = watcher.state, state.file.holds(for: connection) { return state.version }
      watcher.state = nil
      guard let version = Self.number(of: connection) else { return nil }
      // Between two equal versions, the state of the file belongs to this version.
      if let file = FileState(of: connection), Self.number(of: connection) == version {
        watcher.state = (file, version)
      }
      return version
    }
  }

  /// The numbers of different files differ in their upper bits.
  private static func firstNumber(of connection: Connection) -> Int64 { Int64(connection.fileNumber) << 40 }

  private static func number(of connection: Connection) -> Int64? {
    (try? connection.dataVersion).map { firstNumber(of: connection) + $0 }
  }

  /// Whether a write waits for read transactions to end.
  var hasWaitingWriter: Bool {
    watcher.withLock { watcher in
      guard let connection = try? connection(of: &watcher) else { return false }
      return FileState.isReserved(for: connection)
    }
  }

  /// Returns the states of the file at two versions; nil if either is no longer in the history.
  func files(of earlier: Int64, _ later: Int64) -> (FileState, FileState)? {
    watcher.withLock { watcher in
      guard let first = watcher.history.last(where: { $0.version == earlier }),
        let second = watcher.history.last(where: { $0.version == later })
      else { return nil }
      return (first.file, second.file)
    }
  }

  /// Returns the number of the state that a read transaction sees, or of an earlier one; nil if it can't be
  /// determined.
  ///
  /// The connection's own snapshot number shows whether the state is the same as last time. That avoids reading the
  /// file again, which would take as long as reading a record.
  func number(shownBy reading: SQLiteReadTransaction) throws -> Int64? {
    let connection = reading.connection
    if connection.access == .immutable { return Self.firstNumber(of: connection) }
    if let known = connection.attachment as? Known, known.own == connection.snapshotNumber {
      return known.version
    }
    // The version must be read before the snapshot is taken.
    guard let version = current, version >> 40 == connection.fileNumber else { return nil }
    try reading.renew()
    connection.attachment = Known(own: connection.snapshotNumber, version: version)
    return version
  }

  /// The state that a connection has seen last.
  private final class Known {
    let own: UInt32
    let version: Int64

    init(own: UInt32, version: Int64) {
      self.own = own
      self.version = version
    }
  }

  /// Runs a statement to check that the database responds, unless it has done so a moment ago.
  ///
  /// - Throws: `DatabaseError` if it does not, also if another process keeps it locked.
  func probe() throws {
    let now = MonotonicTime.now()
    guard now >= lastAnswer.load(ordering: .relaxed) + Self.validity else { return }
    while true {
      do {
        _ = try watcher.withLock { try connection(of: &$0).schemaVersion }
        break
      } catch let error as DatabaseError where error.isBusy && MonotonicTime.now() < now + Self.patience {
        // A commit locks the file only for a moment.
        usleep(Self.pause)
      }
    }
    lastAnswer.store(now, ordering: .relaxed)
  }

  /// The nanoseconds for which a locked database counts as responding.
  private static let patience: UInt64 = 500_000_000
  /// The microseconds between two looks at a locked database.
  private static let pause: UInt32 = 10_000
}
