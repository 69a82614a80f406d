import KindredModel
import KindredSQLSyntax

/// The writes of single records, with their callbacks; the public methods spell them.
extension MutablePersistableRecord {
  /// Runs `save` within the callbacks of saving.
  func saving(_ db: Database, _ save: () throws -> PersistenceContainer) throws {
    var record = self
    try record.savingMutably(db) { _ in try save() }
  }

  /// Runs `save` within the callbacks of saving, and returns its result.
  func saving<Result>(
    _ db: Database, _ save: () throws -> (stored: PersistenceContainer, result: Result)
  ) throws -> Result {
    var record = self
    return try record.savingMutably(db) { _ in try save() }
  }

  /// Runs `save`, which may change the record, within the callbacks of saving.
  mutating func savingMutably(
    _ db: Database, _ save: (inout Self) throws -> PersistenceContainer
  ) throws {
    try willSave(db)
    var record = self
    var outcome: PersistenceContainer?
    try aroundSave(db) {
      let stored = try save(&record)
      outcome = stored
      return PersistenceSuccess(persistenceContainer: stored)
    }
    guard let outcome else { throw Self.missingCall("aroundSave") }
    self = record
    didSave(PersistenceSuccess(persistenceContainer: outcome))
  }

  /// Runs `save`, which may change the record, within the callbacks of saving, and returns its result.
  mutating func savingMutably<Result>(
    _ db: Database, _ save: (inout Self) throws -> (stored: PersistenceContainer, result: Result)
  ) throws -> Result {
    // What has no result does without generic values, which take as long as the rest.
    var result: Result?
    try savingMutably(db) { record in
      let saved = try save(&record)
      result = saved.result
      return saved.stored
    }
    guard let result else { throw Self.missingCall("aroundSave") }
    return result
  }

  private static func missingCall(_ callback: String) -> DatabaseError {
    .misuse("\(callback) of \(Self.self) has not called its closure, so nothing was written")
  }

  // MARK: Insertion

  /// Inserts the record by `write` within the callbacks of insertion, and returns what has been stored.
  ///
  /// - Parameter write: Runs a statement that stores the columns, and returns the rowid; nil if it has stored nothing.
  mutating func inserting(
    _ db: Database, _ write: (PersistenceContainer) throws -> Int64?
  ) throws -> PersistenceContainer {
    try willInsert(db)
    var outcome: (success: InsertionSuccess, isInserted: Bool)?
    try aroundInsert(db) {
      var container = try PersistenceContainer(self)
      let rowID = try write(container)
      let column = try db.rowIDColumn(of: Self.self)
      if let column, let rowID { container[column] = rowID }
      let success = InsertionSuccess(
        rowID: rowID ?? db.lastInsertedRowID, rowIDColumn: column, persistenceContainer: container)
      outcome = (success, rowID != nil)
      return success
    }
    guard let outcome else { throw Self.missingCall("aroundInsert") }
    // Where the policy has skipped the record, there is no rowid to learn.
    if outcome.isInserted { didInsert(outcome.success) }
    return outcome.success.persistenceContainer
  }

  /// Inserts the record by `write` within the callbacks of insertion.
  ///
  /// - Parameter write: Runs a statement that stores the columns, and returns whether it has, and its result.
  mutating func inserting<Result>(
    _ db: Database, _ write: (PersistenceContainer) throws -> (rowID: Int64?, result: Result)
  ) throws -> (stored: PersistenceContainer, result: Result) {
    var result: Result?
    let stored = try inserting(db) { container in
      let written = try write(container)
      result = written.result
      return written.rowID
    }
    guard let result else { throw Self.missingCall("aroundInsert") }
    return (stored, result)
  }

  /// Inserts the record, and returns what `fetch` makes of the columns that the statement returns.
  mutating func insertRecord<Result>(
    _ db: Database, _ conflict: Database.ConflictResolution?, returning selection: [any SQLSelectable] = [],
    _ fetch: (Statement) throws -> Result
  ) throws -> (stored: PersistenceContainer, result: Result) {
    let operation = RecordStatement.Operation(
      kind: .insert, conflict: conflict ?? Self.persistenceConflictPolicy.conflictResolutionForInsert,
      returning: try db.returning(selection, from: Self.databaseTableName))
    return try inserting(db) { container in
      let statement = try db.insertion(Self.self, container, operation)
      let result = try db.fetching(statement, container, fetch)
      let isSkipped = operation.conflict == .ignore && db.changesCount == 0
      return (isSkipped ? nil : db.lastInsertedRowID, result)
    }
  }

  /// Inserts the record, and returns what has been stored.
  mutating func insertRecord(
    _ db: Database, _ conflict: Database.ConflictResolution?
  ) throws -> PersistenceContainer {
    let operation = RecordStatement.Operation(
      kind: .insert, conflict: conflict ?? Self.persistenceConflictPolicy.conflictResolutionForInsert)
    return try inserting(db) { container in
      let statement = try db.insertion(Self.self, container, operation)
      try db.run(statement.text, container.storage)
      return operation.conflict == .ignore && db.changesCount == 0 ? nil : db.lastInsertedRowID
    }
  }

  // MARK: Update

  /// Updates columns of the record within the callbacks of updates, and returns what has been stored.
  ///
  /// - Parameters:
  ///   - columns: The columns to update; nil for all.
  ///   - write: Runs the statement, and returns whether there is such a row.
  /// - Throws: `RecordError.recordNotFound` if there is none.
  private func updating(
    _ db: Database, columns: Set<String>?, _ operation: RecordStatement.Operation,
    _ write: (RecordStatement, PersistenceContainer) throws -> Bool
  ) throws -> PersistenceContainer {
    let before = try PersistenceContainer(self)
    let columns = columns ?? Set(before.columns)
    try willUpdate(db, columns: columns)
    var outcome: PersistenceContainer?
    try aroundUpdate(db, columns: columns) {
      // The callbacks can change an object.
      let container = Self.self is AnyClass ? try PersistenceContainer(self) : before
      let statement = try db.statement(Self.self, container, operation)
      guard statement.key.allSatisfy({ container.storage[$0] != .null }), try write(statement, container)
      else { throw Self.notFound(container, statement.key) }
      outcome = container
      return PersistenceSuccess(persistenceContainer: container)
    }
    guard let outcome else { throw Self.missingCall("aroundUpdate") }
    didUpdate(PersistenceSuccess(persistenceContainer: outcome))
    return outcome
  }

  /// Updates columns of the record, and returns what has been stored.
  func updateRecord(
    _ db: Database, _ conflict: Database.ConflictResolution?, columns: Set<String>? = nil
  ) throws -> PersistenceContainer {
    try updating(db, columns: columns, Self.update(conflict, columns)) { statement, container in
      try db.run(statement.text, statement.values(of: container))
      return db.changesCount > 0
    }
  }

  /// Updates columns of the record, and returns what `fetch` makes of the columns that the statement returns.
  func updateRecord<Result>(
    _ db: Database, _ conflict: Database.ConflictResolution?, columns: Set<String>? = nil,
    returning selection: [any SQLSelectable], _ fetch: (Statement) throws -> Result
  ) throws -> (stored: PersistenceContainer, result: Result) {
    var operation = Self.update(conflict, columns)
    operation.returning = try db.returning(selection, from: Self.databaseTableName)
    var result: Result?
    let stored = try updating(db, columns: columns, operation) { statement, container in
      result = try db.fetching(statement, container, fetch)
      return db.changesCount > 0
    }
    guard let result else { throw Self.missingCall("aroundUpdate") }
    return (stored, result)
  }

  private static func update(
    _ conflict: Database.ConflictResolution?, _ columns: Set<String>?
  ) -> RecordStatement.Operation {
    RecordStatement.Operation(
      kind: .update, conflict: conflict ?? persistenceConflictPolicy.conflictResolutionForUpdate,
      columns: columns.map { Set($0.map(\.foldingASCIICase)) })
  }

  private static func notFound(_ container: PersistenceContainer, _ key: [Int]) -> RecordError {
    let key = key.map { (container.columns[$0], DatabaseValue(container.storage[$0])) }
    return .recordNotFound(
      databaseTableName: databaseTableName, key: Dictionary(key) { first, _ in first })
  }

  // MARK: Save

  /// Updates the record by `update` if it has a key that exists, or else inserts it by `insert`.
  mutating func saveRecord<Result>(
    _ db: Database, update: (Self) throws -> (stored: PersistenceContainer, result: Result),
    insert: (inout Self) throws -> (stored: PersistenceContainer, result: Result)
  ) throws -> Result {
    try savingMutably(db) { record in
      let container = try PersistenceContainer(record)
      let names = try db.table(Self.databaseTableName).orderedKey
      guard !names.isEmpty, names.allSatisfy({ container.value(of: $0) != .null }) else {
        return try insert(&record)
      }
      do {
        return try update(record)
      } catch let error as RecordError {
        // A callback can miss another record.
        let container = try PersistenceContainer(record)
        let key = try db.keyPositions(of: Self.self, container)
        guard error == Self.notFound(container, key) else { throw error }
        return try insert(&record)
      }
    }
  }

  // MARK: Deletion

  /// Deletes the record within the callbacks of deletion, and returns whether there was such a row.
  func deleteRecord(_ db: Database) throws -> Bool {
    try willDelete(db)
    var outcome: Bool?
    try aroundDelete(db) {
      let container = try PersistenceContainer(self)
      let statement = try db.statement(
        Self.self, container, RecordStatement.Operation(kind: .delete))
      // Without a key, there is no row, and with NULL in it, the statement finds none.
      try db.run(statement.text, statement.values(of: container))
      let isDeleted = db.changesCount > 0
      outcome = isDeleted
      return isDeleted
    }
    guard let outcome else { throw Self.missingCall("aroundDelete") }
    didDelete(deleted: outcome)
    return outcome
  }
}

extension Database {
  /// Runs the statement of a record, and returns what `fetch` makes of the columns that it returns.
  func fetching<Result>(
    _ recordStatement: RecordStatement, _ record: PersistenceContainer, _ fetch: (Statement) throws -> Result
  ) throws -> Result {
    let statement = try makeStatement(recordStatement.text)
    statement.arguments = StatementArguments(recordStatement.values(of: record))
    return try fetch(statement)
  }

  /// Returns the name of the column that holds the rowid of a record's table; nil if there is none.
  func rowIDColumn<Record: TableRecord>(of type: Record.Type) throws -> String? {
    let (version, name) = (try versionOfSchema, type.databaseTableName)
    return try recordStatements(version).rowIDColumns.value(
      of: ObjectIdentifier(type), table: name, version: version
    ) { try table(name).rowIDColumn }
  }

  /// Returns a selection as the SQL of a `RETURNING` clause, in which `table.*` is not allowed.
  ///
  /// - Throws: The error of a selection that depends on more than the record's table.
  func returning(_ selection: [any SQLSelectable], from table: String) throws -> String {
    try selection.map(\.sqlSelection).map { selection in
      try selection.sql(of: table, star: "*", self)
    }.joined(separator: ", ")
  }
}
