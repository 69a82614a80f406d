import KindredModel
import KindredPlanning
import KindredSQLSyntax

/// Writes of all records of a request, which run no callbacks of records.
extension RequestSource where Refined == QueryInterfaceRequest<RowDecoder> {
  /// Deletes the records.
  ///
  /// - Returns: The number of deleted records.
  /// - Throws: `AssociationError`, `DatabaseError`.
  @discardableResult
  public func deleteAll(_ db: Database) throws -> Int {
    let records = all()
    try db.execute("DELETE FROM \(identifier: records.blueprint.tableName)\(records.condition(db))")
    return db.changesCount
  }

  /// Updates the records.
  ///
  ///     try Book.filter { $0.year < 1900 }.updateAll(db, Column("price") *= 2)
  ///
  /// - Returns: The number of updated records.
  /// - Throws: `AssociationError`, `DatabaseError`.
  @discardableResult
  public func updateAll(
    _ db: Database, onConflict conflict: Database.ConflictResolution? = nil, _ assignments: [ColumnAssignment]
  ) throws -> Int {
    guard let update = try all().update(db, conflict, assignments) else { return 0 }
    try db.execute(update)
    return db.changesCount
  }

  /// Updates the records.
  ///
  /// - Returns: The number of updated records.
  /// - Throws: `AssociationError`, `DatabaseError`.
  @discardableResult
  public func updateAll(
    _ db: Database, onConflict conflict: Database.ConflictResolution? = nil,
    _ assignments: ColumnAssignment...
  ) throws -> Int { try updateAll(db, onConflict: conflict, assignments) }
}

// MARK: - SQL

extension QueryInterfaceRequest {
  /// Returns the `UPDATE`; nil if nothing is assigned.
  func update(
    _ db: Database, _ conflict: Database.ConflictResolution?, _ assignments: [ColumnAssignment]
  ) throws -> SQLText? {
    let set = try db.clause(of: assignments, table: blueprint.tableName)
    let policy = (RowDecoder.self as? any MutablePersistableRecord.Type)?.persistenceConflictPolicy
    let clause = (conflict ?? policy?.conflictResolutionForUpdate ?? .abort).clause
    let condition = try condition(db)
    return set.isEmpty
      ? nil : "UPDATE \(SQLText(trusted: clause))\(identifier: blueprint.tableName) SET \(set)\(condition)"
  }

  /// Returns the `WHERE` clause that finds the records by their keys among the rows of the request; empty if the
  /// request has all records.
  func condition(_ db: Database) throws -> SQLText {
    guard !blueprint.hasAllRecords else { return "" }
    let key = try db.table(blueprint.tableName).identity
    guard !key.isEmpty else {
      throw RecordKeyError.missingPrimaryKey(databaseTableName: blueprint.tableName, columns: [])
    }
    var keys = blueprint
    (keys.selection, keys.annotations) = (key.map { Column($0).sqlSelection }, [])
    keys.children.removeAll(where: \.isPrefetched)
    let plan = try QueryInterfaceRequest(blueprint: keys).plan(db)
    guard let rows = plan.nodes.first?.statement else { return "" }
    try db.prepareTransients(of: plan)
    let literal = SQLLiteral(sql: rows.sql, arguments: try StatementArguments(rows.bindings))
    let names = key.map { "\(identifier: $0)" as SQLText }.joined(separator: ", ")
    let columns: SQLText = key.count == 1 ? names : "(\(names))"
    return " WHERE \(columns) IN (\(try literal.text()))"
  }
}

extension RequestBlueprint {
  /// Whether the request has each record of its table once.
  fileprivate var hasAllRecords: Bool {
    filters.isEmpty && !isLimitedOrGrouped && origin == nil && failure == nil && offset == nil
      && children.allSatisfy(\.isPrefetched)
  }
}

extension TableSchema {
  /// The columns that identify a row, of which the rowid is the fastest.
  fileprivate var identity: [String] { rowIDName.map { [$0] } ?? orderedKey }
}
