import KindredSQLite
import Synchronization

/// Which state the database is in, whoever wrote it.
///
/// A connection of its own watches the file: its `data_version` changes with every commit of any other connection of
/// any process (<https://www.sqlite.org/pragma.html#pragma_data_version>), and those of two connections can't be
/// compared.
final class DatabaseVersion: Sendable {
  /// Nil for a file that nobody changes.
  private let watcher: Mutex<Connection?>

  init(of pool: ConnectionPool) throws {
    guard pool.readerAccess != .immutable else {
      watcher = Mutex(nil)
      return
    }
    var configuration = ConnectionConfiguration()
    // While somebody holds the file exclusively, its state can't be told: no reason to have everybody wait here.
    configuration.busyTimeout = 0
    watcher = Mutex(try Connection(path: pool.path, access: pool.readerAccess, configuration: configuration))
  }

  /// The number of the present state, which is that of no other; nil where it can't be told.
  ///
  /// What is read after this was asked is this state or a later one.
  var current: Int64? {
    watcher.withLock { watcher in
      guard let watcher else { return 0 }
      return try? watcher.dataVersion
    }
  }
}
