import KindredClock
import KindredSQLite
import Synchronization

/// Numbers the states of a database, including those written by other processes.
///
/// It has a connection of its own, whose `data_version` changes with every commit of any other connection of any
/// process (<https://www.sqlite.org/pragma.html#pragma_data_version>); the numbers of different connections can't
/// be compared.
final class StateWatcher: Sendable {
  private struct Watcher {
    let connection: Connection
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

  private let watcher: Mutex<Watcher>
  private let isImmutable: Bool
  /// The time when the database last responded, in nanoseconds.
  private let lastAnswer = Atomic<UInt64>(0)

  /// The nanoseconds for which a response of `probe()` is valid, so that frequent health checks don't load the
  /// database.
  private static let validity: UInt64 = 100_000_000

  init(of pool: ConnectionPool) throws {
    var configuration = ConnectionConfiguration()
    // While another process holds the file exclusively, its state is unknown; nobody should wait for it here.
    configuration.busyTimeout = 0
    watcher = Mutex(
      Watcher(
        connection: try Connection(
          path: pool.path, access: pool.readerAccess, configuration: configuration)))
    isImmutable = pool.readerAccess == .immutable
  }

  /// Runs `body` in a transaction of the watching connection.
  ///
  /// It holds a lock, so `body` must be short.
  func withConnection<Result: Sendable>(
    _ body: @Sendable (_ schemaVersion: Int64, Connection) throws -> Result
  ) throws -> Result {
    try watcher.withLock { watcher in
      let connection = watcher.connection
      let schemaVersion = try connection.beginRead()
      defer { try? connection.commit() }
      return try body(schemaVersion, connection)
    }
  }

  /// The number of the current state, which no other state has; nil if it can't be determined.
  ///
  /// Anything read afterwards shows this state or a later one.
  var current: Int64? {
    if isImmutable { return 0 }
    return watcher.withLock { watcher in
      let connection = watcher.connection
      if let state = watcher.state, state.file.holds(for: connection) { return state.version }
      watcher.state = nil
      guard let version = try? connection.dataVersion else { return nil }
      // Between two equal versions, the state of the file belongs to this version.
      if let file = FileState(of: connection), (try? connection.dataVersion) == version {
        watcher.state = (file, version)
      }
      return version
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
    if isImmutable { return 0 }
    let connection = reading.connection
    if let known = connection.attachment as? Known, known.own == connection.snapshotNumber {
      return known.version
    }
    // The version must be read before the snapshot is taken.
    guard let version = current else { return nil }
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
  /// - Throws: `DatabaseError` if it does not. A locked database counts as responding.
  func probe() throws {
    let now = MonotonicTime.now()
    guard now >= lastAnswer.load(ordering: .relaxed) + Self.validity else { return }
    do {
      _ = try watcher.withLock { try $0.connection.schemaVersion }
    } catch let error as DatabaseError where error.isBusy {}
    lastAnswer.store(now, ordering: .relaxed)
  }
}
