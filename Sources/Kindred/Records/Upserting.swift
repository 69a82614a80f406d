import KindredSQLSyntax

/// The columns of an existing row that an upsert overwrites although no assignment names them.
public enum UpsertUpdateStrategy: Sendable {
  /// All columns, with the values of the record.
  case allColumns
  /// No column.
  case noColumnUnlessSpecified
}

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
        let table = try db.table(Self.databaseTableName)
        let set = try Self.assignments(given, strategy, target, container, db)
        let update: SQLText = set.isEmpty ? "NOTHING" : "UPDATE SET \(set)"
        let place: SQLText = target.isEmpty ? "" : .columns(target) + " "
        let rowID = table.rowIDName.map { [SQLText.quoted($0)] } ?? []
        let selected = try db.returning(selection, from: Self.databaseTableName)
        let columns = (selected.isEmpty ? [] : [selected]) + rowID
        let returning = columns.isEmpty ? "" : " RETURNING \(columns.joined(separator: ", "))"
        let names = container.columns.map { "\(identifier: $0)" as SQLText }.joined(separator: ", ")
        let values = container.storage.map { "\(.value($0))" as SQLText }.joined(separator: ", ")
        let insertion: SQLText =
          "INSERT INTO \(identifier: Self.databaseTableName) (\(names)) VALUES (\(values))"
        let (text, bindings) = ("\(insertion) ON CONFLICT \(place)DO \(update)" as SQLText).rendered()
        let statement = try db.makeStatement(sql: text + returning)
        statement.arguments = try StatementArguments(bindings)
        // A table without rowids returns no row if nothing is selected.
        let row = try Row.fetchOne(statement) ?? Row()
        let own = RowLayout(columns: row.layout.columns.dropLast(rowID.count))
        let result = try decode(row.values(in: own))
        let stored = rowID.isEmpty ? nil : try row.decode(Int64.self, atIndex: row.count - 1)
        return (stored ?? db.lastInsertedRowID, result)
      }
    }
  }

  /// Returns the `SET` clause of an upsert.
  private static func assignments(
    _ given: [ColumnAssignment], _ strategy: UpsertUpdateStrategy, _ target: [String],
    _ container: PersistenceContainer, _ db: Database
  ) throws -> SQLText {
    let key = Set(try db.table(databaseTableName).orderedKey + target).map { $0.lowercased() }
    let named = Set(given.map { $0.column.lowercased() })
    var others = container.columns.filter {
      !key.contains($0.lowercased()) && !named.contains($0.lowercased())
    }
    if strategy == .noColumnUnlessSpecified { others = [] }
    // Something must be set for SQLite to return the row: a column to the value that it has.
    let isKept = others.isEmpty && given.allSatisfy { $0.value == nil }
    let kept = isKept ? container.columns.prefix(1) : []
    let itself = kept.map { "\(identifier: $0) = \(identifier: $0)" as SQLText }
    let excluded = others.map { "\(identifier: $0) = \(identifier: "excluded").\(identifier: $0)" as SQLText }
    let clause = try db.clause(of: given, table: databaseTableName)
    return ((clause.isEmpty ? [] : [clause]) + excluded + itself).joined(separator: ", ")
  }
}
