import Synchronization

/// The state that all accesses to one database share.
final class DatabaseContext: Sendable {
  /// The observers of commits.
  let observers = ObserverRegister()
  /// Runs asynchronous read accesses, and the fetches of observations.
  let reads: AccessQueue
  /// Runs asynchronous write accesses.
  let writes: AccessQueue

  private let committedSchema = Mutex<DatabaseSchema?>(nil)

  /// Creates the state of a database with one connection.
  init() {
    reads = AccessQueue(width: 1)
    writes = reads
  }

  /// Creates the state of a database with connections that read, and one that writes.
  init(readers: Int) {
    reads = AccessQueue(width: readers)
    writes = AccessQueue(width: 1)
  }

  /// Returns the schema of a version, if it has been read.
  func schema(version: DatabaseSchema.Version) -> DatabaseSchema? {
    committedSchema.withLock { $0?.version == version ? $0 : nil }
  }

  /// Keeps a committed schema for other accesses, unless it contains tables that only one connection has.
  func keep(_ schema: DatabaseSchema) {
    guard schema.version.own == nil else { return }
    committedSchema.withLock { $0 = schema }
  }
}
