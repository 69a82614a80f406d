/// A table by its name, for requests without a record type.
///
///     let names = try String.fetchAll(db, Table("author").select(Column("name")))
///
/// `Table("author")` gives rows; `Table<Author>("author")` gives records, whatever table their type names. It has the
/// methods of requests.
public struct Table<RowDecoder>: Sendable {
  /// The name of the table.
  public let tableName: String

  /// The table with a name, whose rows are decoded into a type.
  public init(_ tableName: String) {
    self.tableName = tableName
  }

  /// The table with a name.
  public init(_ tableName: String) where RowDecoder == Row {
    self.tableName = tableName
  }

  /// Returns a request of all rows.
  public func all() -> QueryInterfaceRequest<RowDecoder> {
    QueryInterfaceRequest(
      blueprint: RequestBlueprint(tableName: tableName, defaultSelection: [AllColumns().sqlSelection]))
  }

  /// Returns an empty request.
  public func none() -> QueryInterfaceRequest<RowDecoder> { all().none() }
}

/// Requests of all rows, refined in the first step; `DerivableRequest` has the same methods.
extension Table {
  /// Returns a request that selects columns and expressions.
  public func select(_ selection: any SQLSelectable...) -> QueryInterfaceRequest<RowDecoder> {
    all().select(selection)
  }

  /// Returns a request that selects columns and expressions.
  public func select(_ selection: [any SQLSelectable]) -> QueryInterfaceRequest<RowDecoder> {
    all().select(selection)
  }

  /// Returns a request that selects columns and expressions, whose rows are decoded into another type.
  public func select<Value>(_ selection: any SQLSelectable..., as type: Value.Type = Value.self)
    -> QueryInterfaceRequest<Value>
  { all().select(selection, as: type) }

  /// Returns a request that selects columns and expressions, whose rows are decoded into another type.
  public func select<Value>(_ selection: [any SQLSelectable], as type: Value.Type = Value.self)
    -> QueryInterfaceRequest<Value>
  { all().select(selection, as: type) }

  /// Returns a request that selects the columns of an SQL snippet.
  public func select(sql: String, arguments: StatementArguments = StatementArguments())
    -> QueryInterfaceRequest<RowDecoder>
  { all().select(sql: sql, arguments: arguments) }

  /// Returns a request that selects columns and expressions in addition.
  public func annotated(with selection: any SQLSelectable...) -> QueryInterfaceRequest<RowDecoder> {
    all().annotated(with: selection)
  }

  /// Returns a request of the rows that satisfy a condition.
  public func filter(_ predicate: some SQLSpecificExpressible) -> QueryInterfaceRequest<RowDecoder> {
    all().filter(predicate)
  }

  /// Returns a request of the rows that satisfy an SQL snippet.
  public func filter(sql: String, arguments: StatementArguments = StatementArguments())
    -> QueryInterfaceRequest<RowDecoder>
  { all().filter(sql: sql, arguments: arguments) }

  /// Returns a request of the rows that satisfy an SQL literal.
  public func filter(literal: SQLLiteral) -> QueryInterfaceRequest<RowDecoder> {
    all().filter(literal: literal)
  }

  /// Returns a request of the row with a primary key.
  public func filter(key: some DatabaseValueConvertible) -> QueryInterfaceRequest<RowDecoder> {
    all().filter(key: key)
  }

  /// Returns a request of the rows with these primary keys.
  public func filter<Keys: Sequence>(keys: Keys) -> QueryInterfaceRequest<RowDecoder>
  where Keys.Element: DatabaseValueConvertible { all().filter(keys: keys) }

  /// Returns a request of the row with these values in the columns of a unique index.
  public func filter(key: [String: (any DatabaseValueConvertible)?]?) -> QueryInterfaceRequest<RowDecoder> {
    all().filter(key: key)
  }

  /// Returns a request of the rows in an order.
  public func order(_ terms: any SQLOrderingTerm...) -> QueryInterfaceRequest<RowDecoder> {
    all().order(terms)
  }

  /// Returns a request of the rows in an order.
  public func order(_ terms: [any SQLOrderingTerm]) -> QueryInterfaceRequest<RowDecoder> {
    all().order(terms)
  }

  /// Returns a request of the rows in the order of an SQL snippet.
  public func order(sql: String, arguments: StatementArguments = StatementArguments())
    -> QueryInterfaceRequest<RowDecoder>
  { all().order(sql: sql, arguments: arguments) }

  /// Returns a request of the rows in the order of the primary key.
  public func orderByPrimaryKey() -> QueryInterfaceRequest<RowDecoder> { all().orderByPrimaryKey() }

  /// Returns a request of a row for each group of rows with equal values.
  public func group(_ expressions: any SQLExpressible...) -> QueryInterfaceRequest<RowDecoder> {
    all().group(expressions)
  }

  /// Returns a request of at most `limit` rows, after skipping the first `offset` ones.
  public func limit(_ limit: Int, offset: Int? = nil) -> QueryInterfaceRequest<RowDecoder> {
    all().limit(limit, offset: offset)
  }

  /// Returns a request of the distinct rows.
  public func distinct() -> QueryInterfaceRequest<RowDecoder> { all().distinct() }

  /// Returns a request of all rows, to which expressions can refer by an alias.
  public func aliased(_ alias: TableAlias<Void>) -> QueryInterfaceRequest<RowDecoder> { all().aliased(alias) }

  /// Returns a request of all rows, to which expressions can refer by an alias.
  public func aliased(_ alias: TableAlias<RowDecoder>) -> QueryInterfaceRequest<RowDecoder> {
    all().aliased(alias)
  }

  /// Returns a request of all rows that defines a common table expression.
  public func with<Rows>(_ table: CommonTableExpression<Rows>) -> QueryInterfaceRequest<RowDecoder> {
    all().with(table)
  }

  /// Includes an associated record in each row.
  public func including<A: Association>(required association: A) -> QueryInterfaceRequest<RowDecoder>
  where A.OriginRowDecoder == RowDecoder { all().including(required: association) }

  /// Includes an associated record in each row.
  public func including<A: Association>(optional association: A) -> QueryInterfaceRequest<RowDecoder>
  where A.OriginRowDecoder == RowDecoder { all().including(optional: association) }

  /// Joins an associated record to each row.
  public func joining<A: Association>(required association: A) -> QueryInterfaceRequest<RowDecoder>
  where A.OriginRowDecoder == RowDecoder { all().joining(required: association) }

  /// Joins an associated record to each row.
  public func joining<A: Association>(optional association: A) -> QueryInterfaceRequest<RowDecoder>
  where A.OriginRowDecoder == RowDecoder { all().joining(optional: association) }

  /// Adds the columns of an associated record to each row.
  public func annotated<A: Association>(withRequired association: A) -> QueryInterfaceRequest<RowDecoder>
  where A.OriginRowDecoder == RowDecoder { all().annotated(withRequired: association) }

  /// Adds the columns of an associated record to each row.
  public func annotated<A: Association>(withOptional association: A) -> QueryInterfaceRequest<RowDecoder>
  where A.OriginRowDecoder == RowDecoder { all().annotated(withOptional: association) }

  /// Includes a collection of all associated records.
  public func including<A: AssociationToMany>(all association: A) -> QueryInterfaceRequest<RowDecoder>
  where A.OriginRowDecoder == RowDecoder { all().including(all: association) }

  /// Adds aggregates after the columns of the rows.
  public func annotated(with aggregates: AssociationAggregate<RowDecoder>...) -> QueryInterfaceRequest<
    RowDecoder
  > { all().annotated(with: aggregates) }

  /// Keeps only the rows whose associated records satisfy a condition.
  public func having(_ predicate: AssociationAggregate<RowDecoder>) -> QueryInterfaceRequest<RowDecoder> {
    all().having(predicate)
  }

  /// Returns the number of rows.
  ///
  /// - Throws: `DatabaseError`.
  public func fetchCount(_ db: Database) throws -> Int { try all().fetchCount(db) }

  /// Returns whether there are no rows.
  ///
  /// - Throws: `DatabaseError`.
  public func isEmpty(_ db: Database) throws -> Bool { try all().isEmpty(db) }

  /// Deletes all rows, and returns their number.
  ///
  /// - Throws: `DatabaseError`.
  @discardableResult
  public func deleteAll(_ db: Database) throws -> Int { try all().deleteAll(db) }

  /// Deletes the row with a primary key, and returns whether there was one.
  ///
  /// - Throws: `RecordKeyError` if the primary key is not one column; `DatabaseError`.
  @discardableResult
  public func deleteOne(_ db: Database, key: some DatabaseValueConvertible) throws -> Bool {
    try filter(key: key).deleteAll(db) > 0
  }

  /// Returns whether there is a row with a primary key.
  ///
  /// - Throws: `RecordKeyError` if the primary key is not one column; `DatabaseError`.
  public func exists(_ db: Database, key: some DatabaseValueConvertible) throws -> Bool {
    try !filter(key: key).isEmpty(db)
  }

  /// Updates all rows, and returns their number.
  ///
  /// - Throws: `DatabaseError`.
  @discardableResult
  public func updateAll(
    _ db: Database, onConflict conflict: Database.ConflictResolution? = nil,
    _ assignments: ColumnAssignment...
  ) throws -> Int { try all().updateAll(db, onConflict: conflict, assignments) }
}

extension Table where RowDecoder: RowDecodable {
  /// Returns all rows.
  ///
  /// - Throws: `DatabaseError`, or the error that decoding throws.
  public func fetchAll(_ db: Database) throws -> [RowDecoder] { try all().fetchAll(db) }

  /// Returns the first row; `nil` if there is none.
  ///
  /// - Throws: `DatabaseError`, or the error that decoding throws.
  public func fetchOne(_ db: Database) throws -> RowDecoder? { try all().fetchOne(db) }

  /// Returns the distinct rows.
  ///
  /// - Throws: `DatabaseError`, or the error that decoding throws.
  public func fetchSet(_ db: Database) throws -> Set<RowDecoder> where RowDecoder: Hashable {
    try all().fetchSet(db)
  }
}
