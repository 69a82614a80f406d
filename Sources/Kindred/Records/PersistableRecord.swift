/// The methods of ``MutablePersistableRecord`` that insert, for records that learn nothing from it.
extension PersistableRecord {
  /// Inserts the record.
  ///
  /// - Parameters:
  ///   - db: The database.
  ///   - conflict: What happens if a constraint is violated; by default what `persistenceConflictPolicy` says.
  /// - Throws: `DatabaseError`, or the error that encoding or a callback throws.
  public func insert(_ db: Database, onConflict conflict: Database.ConflictResolution? = nil) throws {
    var record = self
    try record.savingMutably(db) { try $0.insertRecord(db, conflict) }
  }

  /// Inserts the record, and returns what is stored, decoded as another type.
  ///
  /// - Throws: `RecordError.recordNotFound` if the record was skipped; `DatabaseError`, or the error that coding or a
  ///   callback throws.
  public func insertAndFetch<Record: FetchableRecord & TableRecord>(
    _ db: Database, onConflict conflict: Database.ConflictResolution? = nil, as type: Record.Type
  ) throws -> Record {
    try insertAndFetch(db, onConflict: conflict, selection: Record.databaseSelection) {
      try Self.found(Record.fetchOne($0))
    }
  }

  /// Inserts the record, and returns what `fetch` makes of the selected columns.
  ///
  /// - Throws: `DatabaseError`, or the error that encoding, `fetch` or a callback throws.
  public func insertAndFetch<Result>(
    _ db: Database, onConflict conflict: Database.ConflictResolution? = nil, selection: [any SQLSelectable],
    fetch: (Statement) throws -> Result
  ) throws -> Result {
    var record = self
    return try record.savingMutably(db) {
      try $0.insertRecord(db, conflict, returning: selection, fetch)
    }
  }

  /// Inserts the record, and returns what `fetch` makes of the columns that `select` chooses.
  ///
  /// - Throws: `DatabaseError`, or the error that encoding, a closure or a callback throws.
  public func insertAndFetch<Result>(
    _ db: Database, onConflict conflict: Database.ConflictResolution? = nil,
    fetch: (Statement) throws -> Result, select: (DatabaseComponents) throws -> [any SQLSelectable]
  ) throws -> Result {
    try insertAndFetch(
      db, onConflict: conflict, selection: select(Self.databaseComponents), fetch: fetch)
  }

  /// Updates the record, or inserts it if it has no key, or none that exists.
  ///
  /// - Throws: `DatabaseError`, or the error that encoding or a callback throws.
  public func save(_ db: Database, onConflict conflict: Database.ConflictResolution? = nil) throws {
    var record = self
    try record.saveRecord(
      db, update: { (try $0.updateRecord(db, conflict), ()) },
      insert: { (try $0.insertRecord(db, conflict), ()) })
  }

  /// Updates or inserts the record, and returns what is stored, decoded as another type.
  ///
  /// - Throws: `DatabaseError`, or the error that coding or a callback throws.
  public func saveAndFetch<Record: FetchableRecord & TableRecord>(
    _ db: Database, onConflict conflict: Database.ConflictResolution? = nil, as type: Record.Type
  ) throws -> Record {
    try saveAndFetch(db, onConflict: conflict, selection: Record.databaseSelection) {
      try Self.found(Record.fetchOne($0))
    }
  }

  /// Updates or inserts the record, and returns what `fetch` makes of the selected columns.
  ///
  /// - Throws: `DatabaseError`, or the error that encoding, `fetch` or a callback throws.
  public func saveAndFetch<Result>(
    _ db: Database, onConflict conflict: Database.ConflictResolution? = nil, selection: [any SQLSelectable],
    fetch: (Statement) throws -> Result
  ) throws -> Result {
    var record = self
    return try record.saveRecord(
      db, update: { try $0.updateRecord(db, conflict, returning: selection, fetch) },
      insert: { try $0.insertRecord(db, conflict, returning: selection, fetch) })
  }

  /// Inserts the record, or updates the row that is in the way of a unique index.
  ///
  /// The callbacks are those of an insertion.
  ///
  /// - Throws: `DatabaseError`, or the error that encoding or a callback throws.
  public func upsert(_ db: Database) throws {
    var record = self
    try record.upsertRecord(db, returning: []) { _ in }
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
  public func upsertAndFetch(
    _ db: Database, onConflict target: [String] = [], updating strategy: UpsertUpdateStrategy = .allColumns,
    doUpdate assignments: ((_ excluded: TableAlias<Self>) -> [ColumnAssignment])? = nil
  ) throws -> Self where Self: FetchableRecord {
    try upsertAndFetch(db, as: Self.self, onConflict: target, updating: strategy, doUpdate: assignments)
  }

  /// Inserts the record, or updates the row that is in its way, and returns what is stored, decoded as another type.
  ///
  /// - Throws: `DatabaseError`, or the error that coding or a callback throws.
  public func upsertAndFetch<Record: FetchableRecord & TableRecord>(
    _ db: Database, as type: Record.Type, onConflict target: [String] = [],
    updating strategy: UpsertUpdateStrategy = .allColumns,
    doUpdate assignments: ((_ excluded: TableAlias<Self>) -> [ColumnAssignment])? = nil
  ) throws -> Record {
    var record = self
    return try record.upsertRecord(
      db, onConflict: target, updating: strategy, doUpdate: assignments,
      returning: Record.databaseSelection, Record.decoded)
  }
}
