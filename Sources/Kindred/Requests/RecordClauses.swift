/// Clauses written with the columns of the record: a closure receives them, and a key path begins at them.
extension RequestSource where RowDecoder: TableRecord {
  /// Selects what a closure or key path returns, in place of any selected before: `select(\.title)`.
  public func select(
    _ selection: (RowDecoder.DatabaseComponents) throws -> any SQLSelectable
  ) rethrows -> Refined { try select([selection(RowDecoder.databaseComponents)]) }

  /// Selects what a closure returns, in place of any selected before: `select { [$0.id, $0.title] }`.
  public func select(
    _ selection: (RowDecoder.DatabaseComponents) throws -> [any SQLSelectable]
  ) rethrows -> Refined { try select(selection(RowDecoder.databaseComponents)) }

  /// Selects what a closure or key path returns, in addition to the others.
  public func annotated(
    with selection: (RowDecoder.DatabaseComponents) throws -> any SQLSelectable
  ) rethrows -> Refined { try annotated(with: [selection(RowDecoder.databaseComponents)]) }

  /// Selects what a closure returns, in addition to the others.
  public func annotated(
    with selection: (RowDecoder.DatabaseComponents) throws -> [any SQLSelectable]
  ) rethrows -> Refined { try annotated(with: selection(RowDecoder.databaseComponents)) }

  /// Keeps only records that satisfy a condition: `filter { $0.country == "France" }`.
  public func filter(
    _ predicate: (RowDecoder.DatabaseComponents) throws -> any SQLSpecificExpressible
  ) rethrows -> Refined { try filter(predicate(RowDecoder.databaseComponents).sqlExpression) }

  /// Orders the records by a term, in place of any order given before: `order(\.year.desc)`.
  public func order(
    _ term: (RowDecoder.DatabaseComponents) throws -> any SQLOrderingTerm
  ) rethrows -> Refined { try order([term(RowDecoder.databaseComponents)]) }

  /// Orders the records by terms, in place of any order given before: `order { [$0.year.desc, $0.title] }`.
  public func order(
    _ terms: (RowDecoder.DatabaseComponents) throws -> [any SQLOrderingTerm]
  ) rethrows -> Refined { try order(terms(RowDecoder.databaseComponents)) }

  /// Groups the records that have equal values of an expression into one row (`GROUP BY`).
  public func group(
    _ expression: (RowDecoder.DatabaseComponents) throws -> any SQLExpressible
  ) rethrows -> Refined { try group([expression(RowDecoder.databaseComponents)]) }

  /// Groups the records that have equal values of these expressions into one row (`GROUP BY`).
  public func group(
    _ expressions: (RowDecoder.DatabaseComponents) throws -> [any SQLExpressible]
  ) rethrows -> Refined { try group(expressions(RowDecoder.databaseComponents)) }

  /// Keeps only groups that satisfy a condition, in addition to other conditions (`HAVING`).
  public func having(
    _ predicate: (RowDecoder.DatabaseComponents) throws -> any SQLExpressible
  ) rethrows -> Refined { try having(predicate(RowDecoder.databaseComponents).sqlExpression) }
}

extension RequestSource where Refined == QueryInterfaceRequest<RowDecoder>, RowDecoder: TableRecord {
  /// Selects what a closure or key path returns, and decodes the rows into another type.
  public func select<Value>(
    _ selection: (RowDecoder.DatabaseComponents) throws -> any SQLSelectable, as type: Value.Type = Value.self
  ) rethrows -> QueryInterfaceRequest<Value> {
    try select([selection(RowDecoder.databaseComponents)], as: type)
  }

  /// Selects what a closure returns, and decodes the rows into another type.
  public func select<Value>(
    _ selection: (RowDecoder.DatabaseComponents) throws -> [any SQLSelectable],
    as type: Value.Type = Value.self
  ) rethrows -> QueryInterfaceRequest<Value> {
    try select(selection(RowDecoder.databaseComponents), as: type)
  }

  /// Selects the primary key, and decodes the rows into another type.
  public func selectPrimaryKey<Key>(as type: Key.Type = Key.self) -> QueryInterfaceRequest<Key> {
    select(
      [
        SQLExpression { resolver in try resolver.expression(Column(resolver.singleKeyColumn()).sqlExpression)
        }
      ], as: type)
  }

  /// Updates the records as a closure says.
  ///
  /// - Returns: The number of updated records.
  /// - Throws: The error that `assignments` throws; `AssociationError`, `DatabaseError`.
  @discardableResult
  public func updateAll(
    _ db: Database, onConflict conflict: Database.ConflictResolution? = nil,
    assignments: (RowDecoder.DatabaseComponents) throws -> [ColumnAssignment]
  ) throws -> Int {
    try updateAll(db, onConflict: conflict, assignments(RowDecoder.databaseComponents))
  }

  /// Updates the records as a closure says: `updateAll(db) { $0.score += 1 }`.
  ///
  /// - Returns: The number of updated records.
  /// - Throws: The error that `assignment` throws; `AssociationError`, `DatabaseError`.
  @discardableResult
  public func updateAll(
    _ db: Database, onConflict conflict: Database.ConflictResolution? = nil,
    assignment: (RowDecoder.DatabaseComponents) throws -> ColumnAssignment
  ) throws -> Int {
    try updateAll(db, onConflict: conflict, [assignment(RowDecoder.databaseComponents)])
  }
}

extension QueryInterfaceRequest where RowDecoder: Identifiable {
  /// Selects the primary key, and decodes the rows into `id`s.
  public func selectID() -> QueryInterfaceRequest<RowDecoder.ID> where RowDecoder: TableRecord {
    selectPrimaryKey(as: RowDecoder.ID.self)
  }
}

/// Clauses written with the columns of the record: a closure receives them, and a key path begins at them.
extension TableRecord {
  /// Returns a request that selects what a closure or key path returns instead of the default columns.
  public static func select(
    _ selection: (DatabaseComponents) throws -> any SQLSelectable
  ) rethrows -> QueryInterfaceRequest<Self> { try all().select(selection) }

  /// Returns a request that selects what a closure or key path returns instead of the default columns.
  public static func select(
    _ selection: (DatabaseComponents) throws -> [any SQLSelectable]
  ) rethrows -> QueryInterfaceRequest<Self> { try all().select(selection) }

  /// Returns a request that selects what a closure or key path returns in addition to the default columns.
  public static func annotated(
    with selection: (DatabaseComponents) throws -> any SQLSelectable
  ) rethrows -> QueryInterfaceRequest<Self> { try all().annotated(with: selection) }

  /// Returns a request that selects what a closure or key path returns in addition to the default columns.
  public static func annotated(
    with selection: (DatabaseComponents) throws -> [any SQLSelectable]
  ) rethrows -> QueryInterfaceRequest<Self> { try all().annotated(with: selection) }

  /// Returns a request of the records that satisfy a condition: `filter { $0.country == "France" }`.
  public static func filter(
    _ predicate: (DatabaseComponents) throws -> any SQLSpecificExpressible
  ) rethrows -> QueryInterfaceRequest<Self> { try all().filter(predicate) }

  /// Returns a request of the records in an order: `order(\.year.desc)`.
  public static func order(
    _ term: (DatabaseComponents) throws -> any SQLOrderingTerm
  ) rethrows -> QueryInterfaceRequest<Self> { try all().order(term) }

  /// Returns a request of the records in an order: `order(\.year.desc)`.
  public static func order(
    _ terms: (DatabaseComponents) throws -> [any SQLOrderingTerm]
  ) rethrows -> QueryInterfaceRequest<Self> { try all().order(terms) }

  /// Returns a request of a row for each group of records with equal values.
  public static func group(
    _ expression: (DatabaseComponents) throws -> any SQLExpressible
  ) rethrows -> QueryInterfaceRequest<Self> { try all().group(expression) }

  /// Returns a request of a row for each group of records with equal values.
  public static func group(
    _ expressions: (DatabaseComponents) throws -> [any SQLExpressible]
  ) rethrows -> QueryInterfaceRequest<Self> { try all().group(expressions) }

  /// Returns a request of the groups that satisfy a condition.
  public static func having(
    _ predicate: (DatabaseComponents) throws -> any SQLExpressible
  ) rethrows -> QueryInterfaceRequest<Self> { try all().having(predicate) }

  /// Returns a request that selects what a closure or key path returns, whose rows are decoded into another type.
  public static func select<Value>(
    _ selection: (DatabaseComponents) throws -> any SQLSelectable, as type: Value.Type = Value.self
  ) rethrows -> QueryInterfaceRequest<Value> { try all().select(selection, as: type) }

  /// Returns a request that selects what a closure returns, whose rows are decoded into another type.
  public static func select<Value>(
    _ selection: (DatabaseComponents) throws -> [any SQLSelectable], as type: Value.Type = Value.self
  ) rethrows -> QueryInterfaceRequest<Value> { try all().select(selection, as: type) }

  /// Returns a request of the primary keys.
  public static func selectPrimaryKey<Key>(as type: Key.Type = Key.self) -> QueryInterfaceRequest<Key> {
    all().selectPrimaryKey(as: type)
  }

  /// Returns a request of a row for each group of records with equal values.
  public static func group(_ expressions: any SQLExpressible...) -> QueryInterfaceRequest<Self> {
    all().group(expressions)
  }

  /// Returns a request of a row for each group of records with equal values.
  public static func group(_ expressions: [any SQLExpressible]) -> QueryInterfaceRequest<Self> {
    all().group(expressions)
  }

  /// Returns a request of the distinct rows of the records.
  public static func distinct() -> QueryInterfaceRequest<Self> { all().distinct() }

  /// Returns a request of all records, or of none of them.
  @_disfavoredOverload
  public static func filter(_ predicate: Bool) -> QueryInterfaceRequest<Self> { all().filter(predicate) }

  /// Returns whether there are no records.
  ///
  /// - Throws: `DatabaseError`.
  public static func isEmpty(_ db: Database) throws -> Bool { try all().isEmpty(db) }
}

extension TableRecord where Self: Identifiable {
  /// Returns a request of the `id`s.
  public static func selectID() -> QueryInterfaceRequest<ID> { all().selectID() }
}
