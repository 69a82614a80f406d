import Synchronization

/// The state that all accesses to one database share.
final class DatabaseContext: Sendable {
  /// The observers of commits.
  let observers = ObserverRegister()

  private let committedSchema = Mutex<DatabaseSchema?>(nil)

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
