import KindredSQLSyntax

extension MutablePersistableRecord {
  /// Inserts the record, or updates the row that is in its way, and returns what `decode` makes of the stored row.
  ///
  /// - Parameters:
  ///   - target: The columns of the unique index that may be violated; any if empty.
  ///   - strategy: The columns that are overwritten although no assignment names them.
  ///   - assignments: What an existing row's columns are set to.
  ///   - selection: The columns to return.
  ///   - decode: Decodes the returned row.
  mutating func upsertRecord<Result>(
    _ db: Database, onConflict target: [String] = [], updating strategy: UpsertUpdateStrategy = .allColumns,
    doUpdate assignments: ((_ excluded: TableAlias<Self>) -> [ColumnAssignment])? = nil,
    returning selection: [any SQLSelectable], _ decode: (Row) throws -> Result
  ) throws -> Result {
    let given = assignments?(TableAlias(qualifier: "excluded")) ?? []
    return try savingMutably(db) { record in
      try record.inserting(db) { container in
        let operation = RecordStatement.Operation(
          kind: .upsert(onConflict: target, updating: strategy),
          returning: try db.returning(selection, from: Self.databaseTableName))
        let (upsert, values) = try Self.upsert(db, container, given, operation)
        let statement = try db.makeStatement(upsert.text)
        statement.arguments = StatementArguments(values)
        // A table without rowids returns no row if nothing is selected.
        let row = try Row.fetchOne(statement) ?? Row()
        let own = RowLayout(columns: row.layout.columns.dropLast(upsert.returnsRowID ? 1 : 0))
        let result = try decode(row.values(in: own))
        let stored = upsert.returnsRowID ? try row.decode(Int64.self, atIndex: row.count - 1) : nil
        return (stored ?? db.lastInsertedRowID, result)
      }
    }
  }

  /// Returns the statement of an upsert, and the values that it binds.
  ///
  /// Without assignments, it is made once for the columns of the record.
  private static func upsert(
    _ db: Database, _ container: PersistenceContainer, _ given: [ColumnAssignment],
    _ operation: RecordStatement.Operation
  ) throws -> (RecordStatement, [SQLValue]) {
    guard given.isEmpty else {
      let values = container.storage.map { "\(.value($0))" as SQLText }
      let (statement, bindings) = try Self.upsert(db, container.columns, values, given, operation)
      return (statement, try StatementArguments(bindings).positional)
    }
    let version = try db.versionOfSchema
    let statement = try db.recordStatements(version).writes.statement(
      of: ObjectIdentifier(Self.self), table: Self.databaseTableName, operation, columns: container.columns,
      version: version
    ) { try Self.upsert(db, container.columns, container.columns.map { _ in "?" }, [], operation).0 }
    return (statement, container.storage)
  }

  /// Returns the statement of an upsert, and its bindings.
  private static func upsert(
    _ db: Database, _ columns: [String], _ values: [SQLText], _ given: [ColumnAssignment],
    _ operation: RecordStatement.Operation
  ) throws -> (RecordStatement, [SQLText.Binding]) {
    guard case .upsert(let target, let strategy) = operation.kind else {
      throw DatabaseError.misuse("an operation that is no upsert")
    }
    let set = try assignments(given, strategy, target, columns, db)
    let update: SQLText = set.isEmpty ? "NOTHING" : "UPDATE SET \(set)"
    let place: SQLText = target.isEmpty ? "" : .columns(target) + " "
    let rowID = try db.table(databaseTableName).rowIDName.map { [SQLText.quoted($0)] } ?? []
    let returned = (operation.returning.isEmpty ? [] : [operation.returning]) + rowID
    let returning = returned.isEmpty ? "" : " RETURNING \(returned.joined(separator: ", "))"
    let names = columns.map { "\(identifier: $0)" as SQLText }.joined(separator: ", ")
    let insertion: SQLText =
      "INSERT INTO \(identifier: databaseTableName) (\(names)) VALUES (\(values.joined(separator: ", ")))"
    let (text, bindings) = ("\(insertion) ON CONFLICT \(place)DO \(update)" as SQLText).rendered()
    let statement = RecordStatement(
      text: StatementText(text + returning), bound: Array(columns.indices), returnsRowID: !rowID.isEmpty)
    return (statement, bindings)
  }

  /// Returns the `SET` clause of an upsert.
  private static func assignments(
    _ given: [ColumnAssignment], _ strategy: UpsertUpdateStrategy, _ target: [String],
    _ columns: [String], _ db: Database
  ) throws -> SQLText {
    let key = Set(try db.table(databaseTableName).orderedKey + target).map { $0.lowercased() }
    let named = Set(given.map { $0.column.lowercased() })
    var others = columns.filter {
      !key.contains($0.lowercased()) && !named.contains($0.lowercased())
    }
    if strategy == .noColumnUnlessSpecified { others = [] }
    // Something must be set for SQLite to return the row: a column to the value that it has.
    let isKept = others.isEmpty && given.allSatisfy { $0.value == nil }
    let kept = isKept ? columns.prefix(1) : []
    let itself = kept.map { "\(identifier: $0) = \(identifier: $0)" as SQLText }
    let excluded = others.map { "\(identifier: $0) = \(identifier: "excluded").\(identifier: $0)" as SQLText }
    let clause = try db.clause(of: given, table: databaseTableName)
    return ((clause.isEmpty ? [] : [clause]) + excluded + itself).joined(separator: ", ")
  }
}
