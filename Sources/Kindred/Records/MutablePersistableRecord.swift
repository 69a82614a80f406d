/// A type whose records can be inserted, updated and deleted, and that may learn from it, such as the rowid that SQLite
/// has chosen.
///
///     struct Author: Codable, FetchableRecord, MutablePersistableRecord {
///       var id: Int64?
///       var name: String
///
///       mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
///     }
///
/// Its callbacks run around each write of a single record, in this order: `willSave`, `aroundSave`, `willInsert`,
/// `aroundInsert`, the statement, `didInsert`, `didSave`; for updates and deletions accordingly. An error that one
/// throws prevents what follows. Writes of many records at once, such as `deleteAll`, call none.
public protocol MutablePersistableRecord: EncodableRecord, TableRecord {
  /// What happens to inserts and updates that violate a constraint; by default they fail.
  static var persistenceConflictPolicy: PersistenceConflictPolicy { get }

  /// Called before the record is inserted.
  mutating func willInsert(_ db: Database) throws
  /// Called around the insertion, which `insert` runs; it must be called.
  func aroundInsert(_ db: Database, insert: () throws -> InsertionSuccess) throws
  /// Called after the record has been inserted.
  mutating func didInsert(_ inserted: InsertionSuccess)

  /// Called before the record is updated.
  func willUpdate(_ db: Database, columns: Set<String>) throws
  /// Called around the update, which `update` runs; it must be called.
  func aroundUpdate(_ db: Database, columns: Set<String>, update: () throws -> PersistenceSuccess) throws
  /// Called after the record has been updated.
  func didUpdate(_ updated: PersistenceSuccess)

  /// Called before the record is inserted or updated.
  func willSave(_ db: Database) throws
  /// Called around the insertion or update, which `save` runs; it must be called.
  func aroundSave(_ db: Database, save: () throws -> PersistenceSuccess) throws
  /// Called after the record has been inserted or updated.
  func didSave(_ saved: PersistenceSuccess)

  /// Called before the record is deleted.
  func willDelete(_ db: Database) throws
  /// Called around the deletion, which `delete` runs; it must be called.
  func aroundDelete(_ db: Database, delete: () throws -> Bool) throws
  /// Called after the record has been deleted, or found missing.
  func didDelete(deleted: Bool)
}

/// A type whose records can be inserted, updated and deleted, without learning from it.
///
/// A type that stores the rowid of an inserted record is a ``MutablePersistableRecord``.
public protocol PersistableRecord: MutablePersistableRecord {
  /// Called before the record is inserted.
  func willInsert(_ db: Database) throws
  /// Called after the record has been inserted.
  func didInsert(_ inserted: InsertionSuccess)
}

/// What an insertion has stored.
public struct InsertionSuccess: Sendable {
  /// The rowid of the record; of no meaning in a table without rowids.
  public var rowID: Int64
  /// The name of the column that holds the rowid; nil if there is none.
  public var rowIDColumn: String?
  /// The values that have been stored, including the rowid.
  public var persistenceContainer: PersistenceContainer
}

/// What an insertion or update has stored.
public struct PersistenceSuccess: Sendable {
  /// The values that have been stored.
  public var persistenceContainer: PersistenceContainer
}

extension MutablePersistableRecord {
  /// Inserts and updates that violate a constraint fail.
  public static var persistenceConflictPolicy: PersistenceConflictPolicy { PersistenceConflictPolicy() }

  /// Does nothing.
  public mutating func willInsert(_ db: Database) throws {}
  /// Inserts the record.
  public func aroundInsert(_ db: Database, insert: () throws -> InsertionSuccess) throws { _ = try insert() }
  /// Does nothing.
  public mutating func didInsert(_ inserted: InsertionSuccess) {}
  /// Does nothing.
  public func willUpdate(_ db: Database, columns: Set<String>) throws {}
  /// Updates the record.
  public func aroundUpdate(
    _ db: Database, columns: Set<String>, update: () throws -> PersistenceSuccess
  ) throws { _ = try update() }
  /// Does nothing.
  public func didUpdate(_ updated: PersistenceSuccess) {}
  /// Does nothing.
  public func willSave(_ db: Database) throws {}
  /// Inserts or updates the record.
  public func aroundSave(_ db: Database, save: () throws -> PersistenceSuccess) throws { _ = try save() }
  /// Does nothing.
  public func didSave(_ saved: PersistenceSuccess) {}
  /// Does nothing.
  public func willDelete(_ db: Database) throws {}
  /// Deletes the record.
  public func aroundDelete(_ db: Database, delete: () throws -> Bool) throws { _ = try delete() }
  /// Does nothing.
  public func didDelete(deleted: Bool) {}
}

extension PersistableRecord {
  /// Does nothing.
  public func willInsert(_ db: Database) throws {}
  /// Does nothing.
  public func didInsert(_ inserted: InsertionSuccess) {}
}

/// An error of a record.
public enum RecordError: Error, Hashable, Sendable {
  /// No row of the table has the record's primary key.
  case recordNotFound(databaseTableName: String, key: [String: DatabaseValue])
}

extension RecordError: CustomStringConvertible {
  /// Describes the error in one line, without the values of the key.
  public var description: String {
    switch self {
    case .recordNotFound(let table, let key):
      "the table \(table) has no record with this key: \(key.keys.sorted().joined(separator: ", "))"
    }
  }
}

extension TableRecord {
  /// Returns the error of a missing record with a key in the columns of a unique index.
  public static func recordNotFound(key: [String: (any DatabaseValueConvertible)?]) -> RecordError {
    .recordNotFound(
      databaseTableName: databaseTableName, key: key.mapValues { $0?.databaseValue ?? .null })
  }

  /// Returns the error of a missing record with a primary key, or why the key can't be one.
  public static func recordNotFound(_ db: Database, key: some DatabaseValueConvertible) -> any Error {
    do {
      let columns = try db.table(databaseTableName).orderedKey
      guard columns.count == 1 else {
        return RecordKeyError.notOneColumn(databaseTableName: databaseTableName, columns: columns)
      }
      return recordNotFound(key: [columns[0]: key])
    } catch {
      return error
    }
  }
}

extension TableRecord where Self: EncodableRecord {
  /// Returns the error of this record if it is missing, or why there is none.
  public func recordNotFound(_ db: Database) -> any Error {
    do {
      let columns = try db.table(Self.databaseTableName).orderedKey
      let container = try PersistenceContainer(self)
      let key = columns.map { ($0, DatabaseValue(container.value(of: $0))) }
      return Self.recordNotFound(key: Dictionary(key) { first, _ in first })
    } catch {
      return error
    }
  }
}

extension TableRecord where Self: Identifiable, ID: DatabaseValueConvertible {
  /// Returns the error of a missing record with an `id`.
  public static func recordNotFound(_ db: Database, id: ID) -> any Error { recordNotFound(db, key: id) }
}
