import Synchronization

/// What the accesses to one database share.
final class DatabaseContext: Sendable {
  /// The observers of commits.
  let observers = ObserverRegister()

  private let committedSchema = Mutex<DatabaseSchema?>(nil)

  /// The schema of that version, if it has been read.
  func schema(version: DatabaseSchema.Version) -> DatabaseSchema? {
    committedSchema.withLock { $0?.version == version ? $0 : nil }
  }

  /// Keeps a schema that has been committed, and that all connections have.
  func keep(_ schema: DatabaseSchema) {
    guard schema.version.own == nil else { return }
    committedSchema.withLock { $0 = schema }
  }
}
