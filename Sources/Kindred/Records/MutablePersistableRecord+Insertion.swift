extension MutablePersistableRecord {
  /// Inserts the record.
  ///
  /// - Parameters:
  ///   - db: The database.
  ///   - conflict: What happens if a constraint is violated; by default what `persistenceConflictPolicy` says.
  /// - Throws: `DatabaseError`, or the error that encoding or a callback throws.
  public mutating func insert(_ db: Database, onConflict conflict: Database.ConflictResolution? = nil) throws
  {
    try self.savingMutably(db) { try $0.insertRecord(db, conflict) }
  }

  /// Inserts the record, and returns what is stored, decoded as another type.
  ///
  /// - Throws: `RecordError.recordNotFound` if the record was skipped; `DatabaseError`, or the error that coding or a
  ///   callback throws.
  public mutating func insertAndFetch<Record: FetchableRecord & TableRecord>(
    _ db: Database, onConflict conflict: Database.ConflictResolution? = nil, as type: Record.Type
  ) throws -> Record {
    try insertAndFetch(db, onConflict: conflict, selection: Record.databaseSelection) {
      try Self.found(Record.fetchOne($0))
    }
  }

  /// Inserts the record, and returns what `fetch` makes of the selected columns.
  ///
  /// - Throws: `DatabaseError`, or the error that encoding, `fetch` or a callback throws.
  public mutating func insertAndFetch<Result>(
    _ db: Database, onConflict conflict: Database.ConflictResolution? = nil, selection: [any SQLSelectable],
    fetch: (Statement) throws -> Result
  ) throws -> Result {
    return try self.savingMutably(db) {
      try $0.insertRecord(db, conflict, returning: selection, fetch)
    }
  }

  /// Inserts the record, and returns what `fetch` makes of the columns that `select` chooses.
  ///
  /// - Throws: `DatabaseError`, or the error that encoding, a closure or a callback throws.
  public mutating func insertAndFetch<Result>(
    _ db: Database, onConflict conflict: Database.ConflictResolution? = nil,
    fetch: (Statement) throws -> Result, select: (DatabaseComponents) throws -> [any SQLSelectable]
  ) throws -> Result {
    try insertAndFetch(
      db, onConflict: conflict, selection: select(Self.databaseComponents), fetch: fetch)
  }

  /// Updates the record, or inserts it if it has no key, or none that exists.
  ///
  /// - Throws: `DatabaseError`, or the error that encoding or a callback throws.
  public mutating func save(_ db: Database, onConflict conflict: Database.ConflictResolution? = nil) throws {
    try self.saveRecord(
      db, update: { (try $0.updateRecord(db, conflict), ()) },
      insert: { (try $0.insertRecord(db, conflict), ()) })
  }

  /// Updates or inserts the record, and returns what is stored, decoded as another type.
  ///
  /// - Throws: `DatabaseError`, or the error that coding or a callback throws.
  public mutating func saveAndFetch<Record: FetchableRecord & TableRecord>(
    _ db: Database, onConflict conflict: Database.ConflictResolution? = nil, as type: Record.Type
  ) throws -> Record {
    try saveAndFetch(db, onConflict: conflict, selection: Record.databaseSelection) {
      try Self.found(Record.fetchOne($0))
    }
  }

  /// Updates or inserts the record, and returns what `fetch` makes of the selected columns.
  ///
  /// - Throws: `DatabaseError`, or the error that encoding, `fetch` or a callback throws.
  public mutating func saveAndFetch<Result>(
    _ db: Database, onConflict conflict: Database.ConflictResolution? = nil, selection: [any SQLSelectable],
    fetch: (Statement) throws -> Result
  ) throws -> Result {
    return try self.saveRecord(
      db, update: { try $0.updateRecord(db, conflict, returning: selection, fetch) },
      insert: { try $0.insertRecord(db, conflict, returning: selection, fetch) })
  }

  /// Inserts the record, or updates the row that is in the way of a unique index.
  ///
  /// The callbacks are those of an insertion.
  ///
  /// - Throws: `DatabaseError`, or the error that encoding or a callback throws.
  public mutating func upsert(_ db: Database) throws {
    try self.upsertRecord(db, returning: []) { _ in }
  }

  /// Inserts the record, or updates the row that is in its way, and returns what is stored.
  ///
  ///     let stored = try word.upsertAndFetch(db, onConflict: ["text"]) { _ in [Column("count") += 1] }
  ///
  /// - Parameters:
  ///   - db: The database.
  ///   - target: The columns of the unique index that may be violated; any if empty.
  ///   - strategy: The columns that are overwritten although no assignment names them.
  ///   - assignments: What an existing row's columns are set to; `excluded` stands for the record.
  /// - Throws: `DatabaseError`, or the error that coding or a callback throws.
  public mutating func upsertAndFetch(
    _ db: Database, onConflict target: [String] = [], updating strategy: UpsertUpdateStrategy = .allColumns,
    doUpdate assignments: ((_ excluded: TableAlias<Self>) -> [ColumnAssignment])? = nil
  ) throws -> Self where Self: FetchableRecord {
    try upsertAndFetch(db, as: Self.self, onConflict: target, updating: strategy, doUpdate: assignments)
  }

  /// Inserts the record, or updates the row that is in its way, and returns what is stored, decoded as another type.
  ///
  /// - Throws: `DatabaseError`, or the error that coding or a callback throws.
  public mutating func upsertAndFetch<Record: FetchableRecord & TableRecord>(
    _ db: Database, as type: Record.Type, onConflict target: [String] = [],
    updating strategy: UpsertUpdateStrategy = .allColumns,
    doUpdate assignments: ((_ excluded: TableAlias<Self>) -> [ColumnAssignment])? = nil
  ) throws -> Record {
    return try self.upsertRecord(
      db, onConflict: target, updating: strategy, doUpdate: assignments,
      returning: Record.databaseSelection, Record.decoded)
  }
}

/// Inserting, updating and saving without changing the value.
extension MutablePersistableRecord {
  /// Returns the record as it is after its insertion.
  ///
  /// - Throws: `DatabaseError`, or the error that encoding or a callback throws.
  public func inserted(
    _ db: Database, onConflict conflict: Database.ConflictResolution? = nil
  ) throws -> Self {
    var record = self
    try record.insert(db, onConflict: conflict)
    return record
  }

  /// Returns the record as it is after it has been updated or inserted.
  ///
  /// - Throws: `DatabaseError`, or the error that encoding or a callback throws.
  public func saved(
    _ db: Database, onConflict conflict: Database.ConflictResolution? = nil
  ) throws -> Self {
    var record = self
    try record.save(db, onConflict: conflict)
    return record
  }

  /// Returns the record as it is after an upsert.
  ///
  /// - Throws: `DatabaseError`, or the error that encoding or a callback throws.
  public func upserted(_ db: Database) throws -> Self {
    var record = self
    try record.upsert(db)
    return record
  }

  /// Inserts the record, and returns what is stored, with default values and generated columns.
  ///
  /// - Throws: `RecordError.recordNotFound` if the record was skipped; `DatabaseError`, or the error that coding or a
  ///   callback throws.
  public func insertAndFetch(
    _ db: Database, onConflict conflict: Database.ConflictResolution? = nil
  ) throws -> Self where Self: FetchableRecord {
    var record = self
    return try record.insertAndFetch(db, onConflict: conflict, as: Self.self)
  }

  /// Updates or inserts the record, and returns what is stored.
  ///
  /// - Throws: `DatabaseError`, or the error that coding or a callback throws.
  public func saveAndFetch(
    _ db: Database, onConflict conflict: Database.ConflictResolution? = nil
  ) throws -> Self where Self: FetchableRecord {
    var record = self
    return try record.saveAndFetch(db, onConflict: conflict, as: Self.self)
  }

  /// Returns the record that a statement has returned.
  ///
  /// - Throws: `RecordError.recordNotFound` if it has returned none.
  static func found<Record>(_ record: Record?) throws -> Record {
    guard let record else { throw RecordError.recordNotFound(databaseTableName: databaseTableName, key: [:]) }
    return record
  }
}
