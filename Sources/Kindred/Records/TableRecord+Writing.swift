import KindredSQLSyntax

/// Writes of many records, which run no callbacks of records, and tests for their existence.
extension TableRecord {
  /// Deletes all records.
  ///
  /// - Returns: The number of deleted records.
  /// - Throws: `DatabaseError`.
  @discardableResult
  public static func deleteAll(_ db: Database) throws -> Int { try all().deleteAll(db) }

  /// Deletes the records with these primary keys.
  ///
  /// - Returns: The number of deleted records.
  /// - Throws: `RecordKeyError` if the primary key is not one column; `DatabaseError`.
  @discardableResult
  public static func deleteAll(
    _ db: Database, keys: some Collection<some DatabaseValueConvertible>
  ) throws -> Int { try filter(keys: keys).deleteAll(db) }

  /// Deletes the records with these values in the columns of a unique index.
  ///
  /// - Returns: The number of deleted records.
  /// - Throws: `RecordKeyError` if there is no such index; `DatabaseError`.
  @discardableResult
  public static func deleteAll(
    _ db: Database, keys: [[String: (any DatabaseValueConvertible)?]]
  ) throws -> Int { try filter(keys: keys).deleteAll(db) }

  /// Deletes the record with a primary key.
  ///
  /// - Returns: Whether there was such a record.
  /// - Throws: `RecordKeyError` if the primary key is not one column; `DatabaseError`.
  @discardableResult
  public static func deleteOne(_ db: Database, key: some DatabaseValueConvertible) throws -> Bool {
    let value = try key.databaseValue.stored
    guard value != .null else { return false }
    let version = try db.versionOfSchema
    let text = try db.recordStatements(version).keyDeletions.value(
      of: ObjectIdentifier(Self.self), table: databaseTableName, version: version
    ) {
      let columns = try db.table(databaseTableName).orderedKey
      guard columns.count == 1 else {
        throw RecordKeyError.notOneColumn(databaseTableName: databaseTableName, columns: columns)
      }
      let (table, column) = (SQLText.quoted(databaseTableName), SQLText.quoted(columns[0]))
      return StatementText("DELETE FROM \(table) WHERE \(column) = ?")
    }
    try db.run(text, [value])
    return db.changesCount > 0
  }

  /// Deletes the record with these values in the columns of a unique index.
  ///
  /// - Returns: Whether there was such a record.
  /// - Throws: `RecordKeyError` if there is no such index; `DatabaseError`.
  @discardableResult
  public static func deleteOne(
    _ db: Database, key: [String: (any DatabaseValueConvertible)?]
  ) throws -> Bool { try filter(key: key).deleteAll(db) > 0 }

  /// Returns whether there is a record with a primary key.
  ///
  /// - Throws: `RecordKeyError` if the primary key is not one column; `DatabaseError`.
  public static func exists(_ db: Database, key: some DatabaseValueConvertible) throws -> Bool {
    try !filter(key: key).isEmpty(db)
  }

  /// Returns whether there is a record with these values in the columns of a unique index.
  ///
  /// - Throws: `RecordKeyError` if there is no such index; `DatabaseError`.
  public static func exists(_ db: Database, key: [String: (any DatabaseValueConvertible)?]) throws -> Bool {
    try !filter(key: key).isEmpty(db)
  }

  /// Updates all records.
  ///
  /// - Returns: The number of updated records.
  /// - Throws: `DatabaseError`.
  @discardableResult
  public static func updateAll(
    _ db: Database, onConflict conflict: Database.ConflictResolution? = nil, _ assignments: [ColumnAssignment]
  ) throws -> Int { try all().updateAll(db, onConflict: conflict, assignments) }

  /// Updates all records.
  ///
  /// - Returns: The number of updated records.
  /// - Throws: `DatabaseError`.
  @discardableResult
  public static func updateAll(
    _ db: Database, onConflict conflict: Database.ConflictResolution? = nil,
    _ assignments: ColumnAssignment...
  ) throws -> Int { try all().updateAll(db, onConflict: conflict, assignments) }

  /// Updates all records.
  ///
  /// - Returns: The number of updated records.
  /// - Throws: The error that `assignments` throws; `DatabaseError`.
  @discardableResult
  public static func updateAll(
    _ db: Database, onConflict conflict: Database.ConflictResolution? = nil,
    assignments: (DatabaseComponents) throws -> [ColumnAssignment]
  ) throws -> Int { try all().updateAll(db, onConflict: conflict, assignments(databaseComponents)) }

  /// Updates all records.
  ///
  /// - Returns: The number of updated records.
  /// - Throws: The error that `assignment` throws; `DatabaseError`.
  @discardableResult
  public static func updateAll(
    _ db: Database, onConflict conflict: Database.ConflictResolution? = nil,
    assignment: (DatabaseComponents) throws -> ColumnAssignment
  ) throws -> Int { try all().updateAll(db, onConflict: conflict, [assignment(databaseComponents)]) }
}

extension TableRecord where Self: Identifiable, ID: DatabaseValueConvertible {
  /// Deletes the records with these `id`s.
  ///
  /// - Returns: The number of deleted records.
  /// - Throws: `DatabaseError`.
  @discardableResult
  public static func deleteAll(_ db: Database, ids: some Collection<ID>) throws -> Int {
    try filter(ids: ids).deleteAll(db)
  }

  /// Deletes the record with an `id`.
  ///
  /// - Returns: Whether there was such a record.
  /// - Throws: `DatabaseError`.
  @discardableResult
  public static func deleteOne(_ db: Database, id: ID) throws -> Bool { try filter(id: id).deleteAll(db) > 0 }

  /// Returns whether there is a record with an `id`.
  ///
  /// - Throws: `DatabaseError`.
  public static func exists(_ db: Database, id: ID) throws -> Bool { try !filter(id: id).isEmpty(db) }
}
