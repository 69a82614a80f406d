import KindredAssociations
import KindredSQLSyntax

/// A type whose records can be inserted, updated and deleted.
public protocol PersistableRecord: EncodableRecord, TableRecord {}

extension PersistableRecord {
  /// Inserts the record.
  ///
  /// - Throws: `DatabaseError`, what encoding throws.
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

  /// Writes the columns of the record, which is found by its primary key.
  ///
  /// - Returns: Whether the record is there.
  /// - Throws: `AssociationError` where it has no primary key; `DatabaseError`, what encoding throws.
  @discardableResult
  public func update(_ db: Database) throws -> Bool {
    let record = try container()
    let key = try record.key(of: Self.databaseTableName, db)
    // Of a record that is its key, something must be written to find out whether it is there.
    let others = record.columns.filter { name in !key.contains { $0.name.equalsIgnoringCase(name) } }
    let columns = others.isEmpty ? key.map(\.name) : others
    let changes = columns.map { "\(identifier: $0) = \(.value(record.value(of: $0)))" as SQL }
    try db.execute(
      "UPDATE \(identifier: Self.databaseTableName) SET \(changes.joined(separator: ", ")) WHERE \(key.condition)"
    )
    return db.changesCount > 0
  }

  /// Updates the record, or inserts it where it is not there.
  ///
  /// - Throws: `DatabaseError`, what encoding throws.
  public func save(_ db: Database) throws {
    let isUpdated: Bool
    do {
      isUpdated = try update(db)
    } catch AssociationError.missingPrimaryKeyValue {
      isUpdated = false
    }
    if !isUpdated { try insert(db) }
  }

  /// Deletes the record, which is found by its primary key.
  ///
  /// - Returns: Whether it was there.
  /// - Throws: `AssociationError` where it has no primary key; `DatabaseError`, what encoding throws.
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
  /// The value of a column, in whatever case.
  fileprivate func value(of column: String) -> SQLValue {
    values[column] ?? values.first { $0.key.equalsIgnoringCase(column) }?.value ?? .null
  }

  /// The primary key of the record, with its values.
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
