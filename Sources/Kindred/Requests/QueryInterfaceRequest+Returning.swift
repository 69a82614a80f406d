import KindredSQLSyntax

/// Writes of all records of a request that return the written rows
/// (<https://www.sqlite.org/lang_returning.html>), and run no callbacks of records.
extension QueryInterfaceRequest {
  /// Returns the statement that deletes the records, and returns columns of them as they were.
  ///
  /// - Throws: `AssociationError`, `DatabaseError`.
  public func deleteAndFetchStatement(_ db: Database, selection: [any SQLSelectable]) throws -> Statement {
    try statement(deletion(db), returning: selection, db)
  }

  /// Returns the statement that updates the records, and returns columns of them as they are then.
  ///
  /// Without assignments it updates nothing, and returns no rows.
  ///
  /// - Throws: `AssociationError`, `DatabaseError`.
  public func updateAndFetchStatement(
    _ db: Database, onConflict conflict: Database.ConflictResolution? = nil,
    _ assignments: [ColumnAssignment], selection: [any SQLSelectable]
  ) throws -> Statement {
    guard let update = try update(db, conflict, assignments) else {
      return try none().select(selection).prepare(db).0
    }
    return try statement(update, returning: selection, db)
  }

  private func statement(
    _ write: (text: StatementText, values: [SQLValue]), returning selection: [any SQLSelectable],
    _ db: Database
  ) throws -> Statement {
    let columns = try db.returning(selection, from: blueprint.tableName)
    let statement = try db.makeStatement(sql: "\(write.text.sql) RETURNING \(columns)")
    statement.arguments = StatementArguments(write.values)
    return statement
  }
}

extension QueryInterfaceRequest where RowDecoder: TableRecord {
  /// Returns the statement that deletes the records, and returns the columns of a closure.
  ///
  /// - Throws: The error that `select` throws; `AssociationError`, `DatabaseError`.
  public func deleteAndFetchStatement(
    _ db: Database, select: (RowDecoder.DatabaseComponents) throws -> [any SQLSelectable]
  ) throws -> Statement {
    try deleteAndFetchStatement(db, selection: select(RowDecoder.databaseComponents))
  }

  /// Returns the statement that updates the records as a closure says, and returns the columns of another.
  ///
  /// - Throws: The error that a closure throws; `AssociationError`, `DatabaseError`.
  public func updateAndFetchStatement(
    _ db: Database, onConflict conflict: Database.ConflictResolution? = nil,
    assignments: (RowDecoder.DatabaseComponents) throws -> [ColumnAssignment],
    select: (RowDecoder.DatabaseComponents) throws -> [any SQLSelectable]
  ) throws -> Statement {
    try updateAndFetchStatement(
      db, onConflict: conflict, assignments(RowDecoder.databaseComponents),
      selection: select(RowDecoder.databaseComponents))
  }

  /// Deletes the records.
  ///
  /// - Returns: Their `id`s.
  /// - Throws: `RecordKeyError` if the primary key is not one column; `AssociationError`, `DatabaseError`.
  public func deleteAndFetchIds(_ db: Database) throws -> Set<RowDecoder.ID>
  where RowDecoder: Identifiable, RowDecoder.ID: DatabaseValueConvertible {
    let key = try db.primaryKey(blueprint.tableName).columns
    guard key.count == 1 else {
      throw RecordKeyError.notOneColumn(databaseTableName: blueprint.tableName, columns: key)
    }
    return try RowDecoder.ID.fetchSet(deleteAndFetchStatement(db, selection: key.map { Column($0) }))
  }
}

extension QueryInterfaceRequest where RowDecoder: FetchableRecord & TableRecord {
  /// Returns a cursor over the records as they were, which deletes all of them when it is read.
  ///
  /// - Throws: `AssociationError`, `DatabaseError`.
  public func deleteAndFetchCursor(_ db: Database) throws -> RecordCursor<RowDecoder> {
    try RowDecoder.fetchCursor(deleteAndFetchStatement(db, selection: RowDecoder.databaseSelection))
  }

  /// Deletes the records, and returns them as they were.
  ///
  /// - Throws: `AssociationError`, `DatabaseError`, or the error that decoding throws.
  public func deleteAndFetchAll(_ db: Database) throws -> [RowDecoder] { try Array(deleteAndFetchCursor(db)) }

  /// Deletes the records, and returns them as they were.
  ///
  /// - Throws: `AssociationError`, `DatabaseError`, or the error that decoding throws.
  public func deleteAndFetchSet(_ db: Database) throws -> Set<RowDecoder> where RowDecoder: Hashable {
    try Set(deleteAndFetchCursor(db))
  }

  /// Returns a cursor over the updated records, which updates all of them when it is read.
  ///
  /// - Throws: `AssociationError`, `DatabaseError`.
  public func updateAndFetchCursor(
    _ db: Database, onConflict conflict: Database.ConflictResolution? = nil, _ assignments: [ColumnAssignment]
  ) throws -> RecordCursor<RowDecoder> {
    try RowDecoder.fetchCursor(
      updateAndFetchStatement(
        db, onConflict: conflict, assignments, selection: RowDecoder.databaseSelection))
  }

  /// Returns a cursor over the records, which updates all of them as a closure says when it is read.
  ///
  /// - Throws: The error that `assignments` throws; `AssociationError`, `DatabaseError`.
  public func updateAndFetchCursor(
    _ db: Database, onConflict conflict: Database.ConflictResolution? = nil,
    assignments: (RowDecoder.DatabaseComponents) throws -> [ColumnAssignment]
  ) throws -> RecordCursor<RowDecoder> {
    try updateAndFetchCursor(db, onConflict: conflict, assignments(RowDecoder.databaseComponents))
  }

  /// Updates the records, and returns them as they are then.
  ///
  /// - Throws: `AssociationError`, `DatabaseError`, or the error that decoding throws.
  public func updateAndFetchAll(
    _ db: Database, onConflict conflict: Database.ConflictResolution? = nil, _ assignments: [ColumnAssignment]
  ) throws -> [RowDecoder] { try Array(updateAndFetchCursor(db, onConflict: conflict, assignments)) }

  /// Updates the records, and returns them as they are then.
  ///
  /// - Throws: `AssociationError`, `DatabaseError`, or the error that decoding throws.
  public func updateAndFetchAll(
    _ db: Database, onConflict conflict: Database.ConflictResolution? = nil,
    _ assignments: ColumnAssignment...
  ) throws -> [RowDecoder] { try updateAndFetchAll(db, onConflict: conflict, assignments) }

  /// Updates the records as a closure says, and returns them as they are then:
  /// `updateAndFetchAll(db) { [$0.price *= 2] }`.
  ///
  /// - Throws: The error that `assignments` throws; `AssociationError`, `DatabaseError`, or the error that decoding
  ///   throws.
  public func updateAndFetchAll(
    _ db: Database, onConflict conflict: Database.ConflictResolution? = nil,
    assignments: (RowDecoder.DatabaseComponents) throws -> [ColumnAssignment]
  ) throws -> [RowDecoder] {
    try Array(updateAndFetchCursor(db, onConflict: conflict, assignments: assignments))
  }

  /// Updates the records, and returns them as they are then.
  ///
  /// - Throws: `AssociationError`, `DatabaseError`, or the error that decoding throws.
  public func updateAndFetchSet(
    _ db: Database, onConflict conflict: Database.ConflictResolution? = nil, _ assignments: [ColumnAssignment]
  ) throws -> Set<RowDecoder> where RowDecoder: Hashable {
    try Set(updateAndFetchCursor(db, onConflict: conflict, assignments))
  }

  /// Updates the records as a closure says, and returns them as they are then.
  ///
  /// - Throws: The error that `assignments` throws; `AssociationError`, `DatabaseError`, or the error that decoding
  ///   throws.
  public func updateAndFetchSet(
    _ db: Database, onConflict conflict: Database.ConflictResolution? = nil,
    assignments: (RowDecoder.DatabaseComponents) throws -> [ColumnAssignment]
  ) throws -> Set<RowDecoder> where RowDecoder: Hashable {
    try Set(updateAndFetchCursor(db, onConflict: conflict, assignments: assignments))
  }
}
