import KindredAssociations
import KindredSQLSyntax

/// A type whose records can be inserted, updated and deleted.
public protocol PersistableRecord: EncodableRecord, TableRecord {}

extension PersistableRecord {
  /// Inserts the record; `Database.lastInsertedRowID` then has its rowid.
  ///
  /// - Throws: `DatabaseError`, or the error that encoding throws.
  public func insert(_ db: Database) throws {
    let record = try container()
    let names = record.columns.map { "\(identifier: $0)" as SQL }
    let values = record.columns.map { "\(.value(record.values[$0] ?? .null))" as SQL }
    let table: SQL = "\(identifier: Self.databaseTableName)"
    try db.execute(
      names.isEmpty
        ? "INSERT INTO \(table) DEFAULT VALUES"
        : "INSERT INTO \(table) (\(names.joined(separator: ", "))) VALUES (\(values.joined(separator: ", ")))"
    )
  }

  /// Updates all columns of the row that has the primary key of the record.
  ///
  /// - Throws: `RecordError.recordNotFound` if there is no such row; `AssociationError` if the record has no value
  ///   in its primary key; `DatabaseError`, or the error that encoding throws.
  public func update(_ db: Database) throws {
    let record = try container()
    let key = try record.key(of: Self.databaseTableName, db)
    // A record that consists of its key updates the key to itself, to find out whether the row exists.
    let others = record.columns.filter { name in !key.contains { $0.name.equalsIgnoringCase(name) } }
    let columns = others.isEmpty ? key.map(\.name) : others
    let changes = columns.map { "\(identifier: $0) = \(.value(record.value(of: $0)))" as SQL }
    try db.execute(
      "UPDATE \(identifier: Self.databaseTableName) SET \(changes.joined(separator: ", ")) WHERE \(key.condition)"
    )
    guard db.changesCount > 0 else {
      throw RecordError.recordNotFound(
        databaseTableName: Self.databaseTableName,
        key: Dictionary(key.map { ($0.name, DatabaseValue($0.value)) }) { first, _ in first })
    }
  }

  /// Updates the record, or inserts it if it does not exist.
  ///
  /// - Throws: `DatabaseError`, or the error that encoding throws.
  public func save(_ db: Database) throws {
    do {
      try update(db)
    } catch AssociationError.missingPrimaryKeyValue, RecordError.recordNotFound {
      try insert(db)
    }
  }

  /// Deletes the row that has the primary key of the record.
  ///
  /// - Returns: Whether there was such a row.
  /// - Throws: `AssociationError` if the record has no value in its primary key; `DatabaseError`, or the error that
  ///   encoding throws.
  @discardableResult
  public func delete(_ db: Database) throws -> Bool {
    let key = try container().key(of: Self.databaseTableName, db)
    try db.execute("DELETE FROM \(identifier: Self.databaseTableName) WHERE \(key.condition)")
    return db.changesCount > 0
  }

  private func container() throws -> PersistenceContainer {
    var container = PersistenceContainer()
    try encode(to: &container)
    return container
  }
}

extension PersistenceContainer {
  /// Returns the value of a column, whose name is compared ignoring case.
  fileprivate func value(of column: String) -> SQLValue {
    values[column] ?? values.first { $0.key.equalsIgnoringCase(column) }?.value ?? .null
  }

  /// Returns the columns of the primary key with the record's values.
  fileprivate func key(of table: String, _ db: Database) throws -> [(name: String, value: SQLValue)] {
    let key = try db.table(table).orderedKey.map { (name: $0, value: value(of: $0)) }
    guard !key.isEmpty, key.allSatisfy({ $0.value != .null }) else {
      throw AssociationError.missingPrimaryKeyValue(table: table)
    }
    return key
  }
}

extension [(name: String, value: SQLValue)] {
  fileprivate var condition: SQL {
    map { "\(identifier: $0.name) = \(.value($0.value))" as SQL }.joined(separator: " AND ")
  }
}

/// An error of writing a record.
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
