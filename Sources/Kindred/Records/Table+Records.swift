/// Requests of a table whose rows are records, refined by closures and key paths.
extension Table where RowDecoder: TableRecord {
  /// Returns a request that selects what a closure or key path returns.
  public func select(
    _ selection: (RowDecoder.DatabaseComponents) throws -> any SQLSelectable
  ) rethrows -> QueryInterfaceRequest<RowDecoder> { try all().select(selection) }

  /// Returns a request that selects what a closure returns.
  public func select(
    _ selection: (RowDecoder.DatabaseComponents) throws -> [any SQLSelectable]
  ) rethrows -> QueryInterfaceRequest<RowDecoder> { try all().select(selection) }

  /// Returns a request that selects what a closure returns in addition.
  public func annotated(
    with selection: (RowDecoder.DatabaseComponents) throws -> [any SQLSelectable]
  ) rethrows -> QueryInterfaceRequest<RowDecoder> { try all().annotated(with: selection) }

  /// Returns a request of the rows that satisfy a condition.
  public func filter(
    _ predicate: (RowDecoder.DatabaseComponents) throws -> any SQLSpecificExpressible
  ) rethrows -> QueryInterfaceRequest<RowDecoder> { try all().filter(predicate) }

  /// Returns a request of the rows in the order of a term.
  public func order(
    _ term: (RowDecoder.DatabaseComponents) throws -> any SQLOrderingTerm
  ) rethrows -> QueryInterfaceRequest<RowDecoder> { try all().order(term) }

  /// Returns a request of the rows in the order of terms.
  public func order(
    _ terms: (RowDecoder.DatabaseComponents) throws -> [any SQLOrderingTerm]
  ) rethrows -> QueryInterfaceRequest<RowDecoder> { try all().order(terms) }

  /// Returns a request of a row for each group of rows with equal values.
  public func group(
    _ expression: (RowDecoder.DatabaseComponents) throws -> any SQLExpressible
  ) rethrows -> QueryInterfaceRequest<RowDecoder> { try all().group(expression) }

  /// Returns a request of a row for each group of rows with equal values.
  public func group(
    _ expressions: (RowDecoder.DatabaseComponents) throws -> [any SQLExpressible]
  ) rethrows -> QueryInterfaceRequest<RowDecoder> { try all().group(expressions) }

  /// Updates all rows as a closure says, and returns their number.
  ///
  /// - Throws: `DatabaseError`, or the error that the closure throws.
  @discardableResult
  public func updateAll(
    _ db: Database, onConflict conflict: Database.ConflictResolution? = nil,
    assignment: (RowDecoder.DatabaseComponents) throws -> ColumnAssignment
  ) throws -> Int {
    try all().updateAll(db, onConflict: conflict, [assignment(RowDecoder.databaseComponents)])
  }

  /// Updates all rows as a closure says, and returns their number.
  ///
  /// - Throws: `DatabaseError`, or the error that the closure throws.
  @discardableResult
  public func updateAll(
    _ db: Database, onConflict conflict: Database.ConflictResolution? = nil,
    assignments: (RowDecoder.DatabaseComponents) throws -> [ColumnAssignment]
  ) throws -> Int {
    try all().updateAll(db, onConflict: conflict, assignments(RowDecoder.databaseComponents))
  }
}

/// Rows by the `id` of their records.
extension Table where RowDecoder: Identifiable, RowDecoder.ID: DatabaseValueConvertible {
  /// Returns a request of the row with an `id`; of none if it is `nil`.
  public func filter(id: RowDecoder.ID?) -> QueryInterfaceRequest<RowDecoder> { all().filter(id: id) }

  /// Returns a request of the rows with these `id`s.
  public func filter(ids: some Sequence<RowDecoder.ID>) -> QueryInterfaceRequest<RowDecoder> {
    all().filter(ids: ids)
  }

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
  /// Updates all rows, and returns their number.
  ///
  /// - Throws: `DatabaseError`.
  @discardableResult
  public func updateAll(
    _ db: Database, onConflict conflict: Database.ConflictResolution? = nil, _ assignments: [ColumnAssignment]
  ) throws -> Int { try all().updateAll(db, onConflict: conflict, assignments) }

  /// Adds aggregates after the columns of the rows.
  public func annotated(
    with aggregates: [AssociationAggregate<RowDecoder>]
  ) -> QueryInterfaceRequest<RowDecoder> { all().annotated(with: aggregates) }

  /// Returns a request that selects columns and expressions in addition.
  public func annotated(with selection: [any SQLSelectable]) -> QueryInterfaceRequest<RowDecoder> {
    all().annotated(with: selection)
  }

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

extension Table where RowDecoder: RowDecodable {
  /// Returns a cursor over all rows.
  ///
  /// - Throws: `DatabaseError`.
  public func fetchCursor(_ db: Database) throws -> MapCursor<RowCursor, RowDecoder> {
    try all().fetchCursor(db)
  }
}
