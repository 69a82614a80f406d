/// Rows by the `id` of their records.
extension Table where RowDecoder: Identifiable, RowDecoder.ID: DatabaseValueConvertible {
  /// Returns whether there is a row with an `id`.
  ///
  /// - Throws: `RecordKeyError` if the primary key is not one column; `DatabaseError`.
  public func exists(_ db: Database, id: RowDecoder.ID) throws -> Bool { try !filter(id: id).isEmpty(db) }

  /// Deletes the row with an `id`, and returns whether there was one.
  ///
  /// - Throws: `RecordKeyError` if the primary key is not one column; `DatabaseError`.
  @discardableResult
  public func deleteOne(_ db: Database, id: RowDecoder.ID?) throws -> Bool {
    try filter(id: id).deleteAll(db) > 0
  }

  /// Deletes the rows with these `id`s, and returns their number.
  ///
  /// - Throws: `RecordKeyError` if the primary key is not one column; `DatabaseError`.
  @discardableResult
  public func deleteAll(_ db: Database, ids: some Sequence<RowDecoder.ID>) throws -> Int {
    try filter(ids: ids).deleteAll(db)
  }
}

extension Table {
  /// Deletes the rows with these primary keys, and returns their number.
  ///
  /// - Throws: `RecordKeyError` if the primary key is not one column; `DatabaseError`.
  @discardableResult
  public func deleteAll<Keys: Sequence>(_ db: Database, keys: Keys) throws -> Int
  where Keys.Element: DatabaseValueConvertible { try filter(keys: keys).deleteAll(db) }

  /// Deletes the row with these values in the columns of a unique index, and returns whether there was one.
  ///
  /// - Throws: `RecordKeyError` if no unique index has exactly these columns; `DatabaseError`.
  @discardableResult
  public func deleteOne(_ db: Database, key: [String: (any DatabaseValueConvertible)?]) throws -> Bool {
    try filter(key: key).deleteAll(db) > 0
  }

  /// Returns whether there is a row with these values in the columns of a unique index.
  ///
  /// - Throws: `RecordKeyError` if no unique index has exactly these columns; `DatabaseError`.
  public func exists(_ db: Database, key: [String: (any DatabaseValueConvertible)?]) throws -> Bool {
    try !filter(key: key).isEmpty(db)
  }
}

extension Table: DatabaseRegionConvertible {
  /// All rows and columns of the table.
  public func databaseRegion(_ db: Database) -> DatabaseRegion { DatabaseRegion(table: tableName) }
}
