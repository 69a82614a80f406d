extension MutablePersistableRecord {
  /// Updates all columns of the row that has the primary key of the record.
  ///
  /// - Throws: `RecordError.recordNotFound` if there is no such row; `DatabaseError`, or the error that encoding or a
  ///   callback throws.
  public func update(_ db: Database, onConflict conflict: Database.ConflictResolution? = nil) throws {
    try saving(db) { try updateRecord(db, conflict) }
  }

  /// Updates columns of the row that has the primary key of the record.
  ///
  /// - Throws: `RecordError.recordNotFound` if there is no such row; `DatabaseError`, or the error that encoding or a
  ///   callback throws.
  public func update(
    _ db: Database, onConflict conflict: Database.ConflictResolution? = nil, columns: some Collection<String>
  ) throws {
    try saving(db) { try updateRecord(db, conflict, columns: Set(columns)) }
  }

  /// Updates columns of the row that has the primary key of the record.
  ///
  /// - Throws: `RecordError.recordNotFound` if there is no such row; `DatabaseError`, or the error that encoding or a
  ///   callback throws.
  public func update(
    _ db: Database, onConflict conflict: Database.ConflictResolution? = nil,
    columns: some Collection<some ColumnExpression>
  ) throws {
    try update(db, onConflict: conflict, columns: columns.map(\.name))
  }

  /// Updates columns of the row that has the primary key of the record.
  ///
  /// - Throws: `RecordError.recordNotFound` if there is no such row; `DatabaseError`, or the error that encoding or a
  ///   callback throws.
  public func update(
    _ db: Database, onConflict conflict: Database.ConflictResolution? = nil,
    columns: (DatabaseComponents) throws -> [any ColumnExpression]
  ) throws {
    try update(db, onConflict: conflict, columns: columns(Self.databaseComponents).map(\.name))
  }

  // MARK: Changes

  /// Updates the columns in which the record differs from another, if there are any.
  ///
  /// - Returns: Whether the record differed.
  /// - Throws: `RecordError.recordNotFound` if there is no such row; `DatabaseError`, or the error that encoding or a
  ///   callback throws.
  @discardableResult
  public func updateChanges(
    _ db: Database, onConflict conflict: Database.ConflictResolution? = nil, from record: some EncodableRecord
  ) throws -> Bool {
    let changes = try databaseChanges(from: record)
    if changes.isEmpty { return false }
    try update(db, onConflict: conflict, columns: changes.keys)
    return true
  }

  /// Modifies the record, and updates the columns that this changes, if there are any.
  ///
  /// - Returns: Whether the record has changed.
  /// - Throws: The error that `modify` throws; `RecordError.recordNotFound` if there is no such row; `DatabaseError`, or
  ///   the error that encoding or a callback throws.
  @discardableResult
  public mutating func updateChanges(
    _ db: Database, onConflict conflict: Database.ConflictResolution? = nil,
    modify: (inout Self) throws -> Void
  ) throws -> Bool {
    let changes = try databaseChanges(modify: modify)
    if changes.isEmpty { return false }
    try update(db, onConflict: conflict, columns: changes.keys)
    return true
  }

  /// Modifies the record, updates the columns that this changes, and returns what is stored; `nil` if nothing changes.
  ///
  /// - Throws: The error that `modify` throws; `RecordError.recordNotFound` if there is no such row; `DatabaseError`, or
  ///   the error that coding or a callback throws.
  public mutating func updateChangesAndFetch(
    _ db: Database, onConflict conflict: Database.ConflictResolution? = nil,
    modify: (inout Self) throws -> Void
  ) throws -> Self? where Self: FetchableRecord {
    try updateChangesAndFetch(db, onConflict: conflict, as: Self.self, modify: modify)
  }

  /// Modifies the record, updates the columns that this changes, and returns what is stored, decoded as another type;
  /// `nil` if nothing changes.
  ///
  /// - Throws: The error that `modify` throws; `RecordError.recordNotFound` if there is no such row; `DatabaseError`, or
  ///   the error that coding or a callback throws.
  public mutating func updateChangesAndFetch<Record: FetchableRecord & TableRecord>(
    _ db: Database, onConflict conflict: Database.ConflictResolution? = nil, as type: Record.Type,
    modify: (inout Self) throws -> Void
  ) throws -> Record? {
    try updateChangesAndFetch(
      db, onConflict: conflict, selection: Record.databaseSelection,
      fetch: { try Self.found(Record.fetchOne($0)) }, modify: modify)
  }

  /// Modifies the record, updates the columns that this changes, and returns what `fetch` makes of the selected
  /// columns; `nil` if nothing changes.
  ///
  /// - Throws: The error that a closure throws; `RecordError.recordNotFound` if there is no such row; `DatabaseError`,
  ///   or the error that encoding or a callback throws.
  public mutating func updateChangesAndFetch<Result>(
    _ db: Database, onConflict conflict: Database.ConflictResolution? = nil, selection: [any SQLSelectable],
    fetch: (Statement) throws -> Result, modify: (inout Self) throws -> Void
  ) throws -> Result? {
    let changes = try databaseChanges(modify: modify)
    if changes.isEmpty { return nil }
    return try updateAndFetch(
      db, onConflict: conflict, columns: changes.keys, selection: selection, fetch: fetch)
  }

  // MARK: Returning

  /// Updates the record, and returns what is stored, with generated columns and what triggers have done before.
  ///
  /// - Throws: `RecordError.recordNotFound` if there is no such row; `DatabaseError`, or the error that coding or a
  ///   callback throws.
  public func updateAndFetch(
    _ db: Database, onConflict conflict: Database.ConflictResolution? = nil
  ) throws -> Self where Self: FetchableRecord {
    try updateAndFetch(db, onConflict: conflict, as: Self.self)
  }

  /// Updates the record, and returns what is stored, decoded as another type.
  ///
  /// - Throws: `RecordError.recordNotFound` if there is no such row; `DatabaseError`, or the error that coding or a
  ///   callback throws.
  public func updateAndFetch<Record: FetchableRecord & TableRecord>(
    _ db: Database, onConflict conflict: Database.ConflictResolution? = nil, as type: Record.Type
  ) throws -> Record {
    let record = try updateAndFetch(db, onConflict: conflict, selection: Record.databaseSelection) {
      try Record.fetchOne($0)
    }
    return try Self.found(record)
  }

  /// Updates the record, and returns what `fetch` makes of the selected columns.
  ///
  /// - Throws: `RecordError.recordNotFound` if there is no such row; `DatabaseError`, or the error that encoding,
  ///   `fetch` or a callback throws.
  public func updateAndFetch<Result>(
    _ db: Database, onConflict conflict: Database.ConflictResolution? = nil, selection: [any SQLSelectable],
    fetch: (Statement) throws -> Result
  ) throws -> Result {
    try saving(db) { try updateRecord(db, conflict, returning: selection, fetch) }
  }

  /// Updates columns of the record, and returns what `fetch` makes of the selected columns.
  ///
  /// - Throws: `RecordError.recordNotFound` if there is no such row; `DatabaseError`, or the error that encoding,
  ///   `fetch` or a callback throws.
  public func updateAndFetch<Result>(
    _ db: Database, onConflict conflict: Database.ConflictResolution? = nil,
    columns: some Collection<String>, selection: [any SQLSelectable], fetch: (Statement) throws -> Result
  ) throws -> Result {
    try saving(db) {
      try updateRecord(db, conflict, columns: Set(columns), returning: selection, fetch)
    }
  }

  // MARK: Deletion

  /// Deletes the row that has the primary key of the record.
  ///
  /// - Returns: Whether there was such a row.
  /// - Throws: `DatabaseError`, or the error that encoding or a callback throws.
  @discardableResult
  public func delete(_ db: Database) throws -> Bool { try deleteRecord(db) }

  /// Returns whether there is a row that has the primary key of the record.
  ///
  /// - Throws: `DatabaseError`, or the error that encoding throws.
  public func exists(_ db: Database) throws -> Bool {
    let container = try PersistenceContainer(self)
    let statement = try db.statement(Self.self, container, RecordStatement.Operation(kind: .exists))
    return try db.fetching(statement, container) { try Bool.fetchOne($0) ?? false }
  }
}
