import Foundation
import Synchronization

/// The state that all accesses to one database share.
final class DatabaseContext: Sendable {
  /// The observers of commits.
  let observers = ObserverRegister()
  /// The accesses that are under way.
  let running = RunningAccesses()
  /// Runs asynchronous read accesses, and the fetches of observations.
  let reads: AccessQueue
  /// Runs asynchronous write accesses.
  let writes: AccessQueue
  /// The SQL that has been made for record types.
  let recordStatements = RecordStatements()

  private let committedSchema = Mutex<DatabaseSchema?>(nil)

  /// Creates the state of a database with one connection.
  init(qos: DispatchQoS = .default) {
    reads = AccessQueue(width: 1, qos: qos)
    writes = reads
  }

  /// Creates the state of a database with connections that read, and one that writes.
  init(readers: Int, qos: DispatchQoS) {
    reads = AccessQueue(width: readers, qos: qos)
    writes = AccessQueue(width: 1, qos: qos)
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
