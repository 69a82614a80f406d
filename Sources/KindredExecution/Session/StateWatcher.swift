import KindredClock
import KindredSQLite
import Synchronization

/// Numbers the states of a database, whoever wrote them.
///
/// A connection of its own watches the file: its `data_version` changes with every commit of any other connection of
/// any process (<https://www.sqlite.org/pragma.html#pragma_data_version>), and those of two connections can't be
/// compared.
final class StateWatcher: Sendable {
  private struct Watcher {
    let connection: Connection
    /// The present state as the file tells it, which is cheaper to ask for.
    var state: (file: FileState, version: Int64)?
  }

  private let watcher: Mutex<Watcher>
  private let isImmutable: Bool
  /// When the database answered last, in nanoseconds.
  private let lastAnswer = Atomic<UInt64>(0)

  /// For how many nanoseconds an answer holds: somebody who asks without end must not keep the database busy.
  private static let validity: UInt64 = 100_000_000

  init(of pool: ConnectionPool) throws {
    var configuration = ConnectionConfiguration()
    // While somebody holds the file exclusively, its state can't be told: no reason to have everybody wait here.
    configuration.busyTimeout = 0
    watcher = Mutex(
      Watcher(
        connection: try Connection(
          path: pool.path, access: pool.readerAccess, configuration: configuration)))
    isImmutable = pool.readerAccess == .immutable
  }

  /// Runs `body` with the connection that watches, in a transaction, when nobody else uses it; so `body` must be short.
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

  /// The number of the present state, which is that of no other; nil where it can't be told.
  ///
  /// What is read after this was asked is this state or a later one.
  var current: Int64? {
    if isImmutable { return 0 }
    return watcher.withLock { watcher in
      let connection = watcher.connection
      if let state = watcher.state, connection.isUnchanged(since: state.file) { return state.version }
      watcher.state = nil
      guard let version = try? connection.dataVersion else { return nil }
      // What the file says between two equal answers, it says in that state.
      if let file = connection.fileState, (try? connection.dataVersion) == version {
        watcher.state = (file, version)
      }
      return version
    }
  }

  /// The number of the state that a reading shows, or of an earlier one; nil where it can't be told.
  ///
  /// The connection's own number of the state tells whether it shows the same as last time, without asking the file
  /// once more: that would take as long as reading a record.
  func number(shownBy reading: SQLiteReadTransaction) throws -> Int64? {
    if isImmutable { return 0 }
    let connection = reading.connection
    if let known = connection.attachment as? Known, known.own == connection.snapshotNumber {
      return known.version
    }
    // It must be asked before the snapshot is taken.
    guard let version = current else { return nil }
    try reading.renew()
    connection.attachment = Known(own: connection.snapshotNumber, version: version)
    return version
  }

  /// What a connection knows of the state that it showed last.
  private final class Known {
    let own: UInt32
    let version: Int64

    init(own: UInt32, version: Int64) {
      self.own = own
      self.version = version
    }
  }

  /// Asks the database anything, to see whether it answers; not if it just did.
  ///
  /// - Throws: `DatabaseError` where it doesn't; that somebody is busy with it is an answer.
  func probe() throws {
    let now = MonotonicTime.now()
    guard now >= lastAnswer.load(ordering: .relaxed) + Self.validity else { return }
    do {
      _ = try watcher.withLock { try $0.connection.schemaVersion }
    } catch let error as DatabaseError where error.isBusy {}
    lastAnswer.store(now, ordering: .relaxed)
  }
}
