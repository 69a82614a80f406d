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
    let (text, values) = try all().deletion(db)
    try db.run(text, values)
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
    guard let (text, values) = try all().update(db, conflict, assignments) else { return 0 }
    try db.run(text, values)
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
  /// Returns the `DELETE`, and the values that it binds.
  func deletion(_ db: Database) throws -> (text: StatementText, values: [SQLValue]) {
    if blueprint.isOnlyFiltered,
      let statement = try statement(of: blueprint.withoutSelection, for: .deletion, db)
    {
      return statement
    }
    return try ("DELETE FROM \(identifier: blueprint.tableName)\(condition(db))" as SQLText).bound()
  }

  /// Returns the `UPDATE`, and the values that it binds; nil if nothing is assigned.
  func update(
    _ db: Database, _ conflict: Database.ConflictResolution?, _ assignments: [ColumnAssignment]
  ) throws -> (text: StatementText, values: [SQLValue])? {
    let policy = (RowDecoder.self as? any MutablePersistableRecord.Type)?.persistenceConflictPolicy
    let conflict = conflict ?? policy?.conflictResolutionForUpdate ?? .abort
    let selection = assignments.compactMap { assignment in
      assignment.value.map { SQLSelection(.expression($0, name: assignment.column)) }
    }
    guard !selection.isEmpty else { return nil }
    if blueprint.isOnlyFiltered {
      var update = blueprint.withoutSelection
      update.selection = selection
      if let statement = try statement(of: update, for: .update(conflict), db) { return statement }
    }
    let set = try db.clause(of: assignments, table: blueprint.tableName)
    let head = SQLText(trusted: "UPDATE \(conflict.clause)")
    let update: SQLText = "\(head)\(identifier: blueprint.tableName) SET \(set)\(try condition(db))"
    return try update.bound()
  }

  /// Returns the statement with the conditions of the request; nil if they read other rows, which it may have changed
  /// already.
  private func statement(
    of blueprint: RequestBlueprint, for purpose: RequestPurpose, _ db: Database
  ) throws -> (text: StatementText, values: [SQLValue])? {
    // The error of a missing table says so.
    _ = try db.table(blueprint.tableName)
    return try db.recordStatements(db.versionOfSchema).plans.statement(blueprint, for: purpose, on: db)
  }

  /// Returns the `WHERE` clause that finds the records by their keys among the rows of the request; empty if the
  /// request has all records.
  private func condition(_ db: Database) throws -> SQLText {
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

extension SQLText {
  /// Returns the text, and the values that it binds.
  fileprivate func bound() throws -> (text: StatementText, values: [SQLValue]) {
    let (sql, bindings) = rendered()
    return (StatementText(sql), try StatementArguments(bindings).positional)
  }
}

extension RequestBlueprint {
  /// Whether conditions that the table's own rows meet alone determine the records.
  fileprivate var isOnlyFiltered: Bool {
    !isLimitedOrGrouped && offset == nil && origin == nil && failure == nil && !hasAggregates
      && aliases.isEmpty && commonTables.isEmpty && children.allSatisfy(\.isPrefetched)
  }

  /// The conditions alone.
  fileprivate var withoutSelection: RequestBlueprint {
    var conditions = self
    (conditions.selection, conditions.defaultSelection, conditions.annotations) = (nil, [], [])
    (conditions.ordering, conditions.children) = (RequestOrdering(), [])
    return conditions
  }

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
