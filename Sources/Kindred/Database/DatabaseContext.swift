import KindredAssociations
import Synchronization

/// What the accesses to one database share.
final class DatabaseContext: Sendable {
  /// A schema, and the version that SQLite counts for it.
  struct VersionedSchema: Sendable {
    let version: Int64
    let schema: Schema
  }

  /// Who wants to know of commits.
  let observers = ObserverRegister()

  private let committedSchema = Mutex<VersionedSchema?>(nil)

  /// The schema of that version, if it has been read.
  func schema(version: Int64) -> Schema? {
    committedSchema.withLock { $0?.version == version ? $0?.schema : nil }
  }

  /// Keeps a schema that has been committed.
  func keep(_ schema: VersionedSchema) {
    committedSchema.withLock { $0 = schema }
  }
}
