import KindredSQLSyntax
import Synchronization

/// The statements that fetch a record by the value of its primary key, planned once for each type and schema.
final class KeyRequestCache: Sendable {
  /// A statement, and what binds its key.
  struct Entry: Sendable {
    let table: String
    let version: DatabaseSchema.Version
    let text: StatementText
    let layout: RowLayout
    /// The values of the parameters; that of the key is in the place of `key`.
    let values: [SQLValue]
    let key: Int
  }

  private static let capacity = 500
  private let entries = Mutex<[ObjectIdentifier: Entry]>([:])

  func entry(of type: ObjectIdentifier, table: String, _ version: DatabaseSchema.Version) -> Entry? {
    let entry = entries.withLock { $0[type] }
    return entry?.version == version && entry?.table == table ? entry : nil
  }

  func keep(_ entry: Entry, of type: ObjectIdentifier) {
    entries.withLock { entries in
      if entries.count >= Self.capacity { entries = [:] }
      entries[type] = entry
    }
  }
}
