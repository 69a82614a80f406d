/// Requests of all records of a type, refined in the first step.
///
/// They select `databaseSelection` unless they are given another selection.
extension TableRecord {
  /// Returns a request of all records.
  public static func all() -> QueryInterfaceRequest<Self> {
    QueryInterfaceRequest(blueprint: RequestBlueprint(Self.self))
  }

  /// Returns an empty request.
  public static func none() -> QueryInterfaceRequest<Self> { all().none() }

  // MARK: Selection

  /// Returns a request that selects columns and expressions instead of the default ones.
  public static func select(_ selection: [any SQLSelectable]) -> QueryInterfaceRequest<Self> {
    all().select(selection)
  }

  /// Returns a request that selects columns and expressions instead of the default ones.
  public static func select(_ selection: any SQLSelectable...) -> QueryInterfaceRequest<Self> {
    all().select(selection)
  }

  /// Returns a request that selects the columns of an SQL snippet.
  public static func select(
    sql: String, arguments: StatementArguments = StatementArguments()
  ) -> QueryInterfaceRequest<Self> { all().select(sql: sql, arguments: arguments) }

  /// Returns a request that selects the columns of an SQL literal.
  public static func select(literal: SQLLiteral) -> QueryInterfaceRequest<Self> {
    all().select(literal: literal)
  }

  /// Returns a request with another selection, whose rows are decoded into another type.
  public static func select<Value>(
    _ selection: [any SQLSelectable], as type: Value.Type = Value.self
  ) -> QueryInterfaceRequest<Value> { all().select(selection, as: type) }

  /// Returns a request with another selection, whose rows are decoded into another type.
  public static func select<Value>(
    _ selection: any SQLSelectable..., as type: Value.Type = Value.self
  ) -> QueryInterfaceRequest<Value> { all().select(selection, as: type) }

  /// Returns a request with another selection, whose rows are decoded into another type.
  public static func select<Value>(
    sql: String, arguments: StatementArguments = StatementArguments(), as type: Value.Type = Value.self
  ) -> QueryInterfaceRequest<Value> { all().select(sql: sql, arguments: arguments, as: type) }

  /// Returns a request with another selection, whose rows are decoded into another type.
  public static func select<Value>(
    literal: SQLLiteral, as type: Value.Type = Value.self
  ) -> QueryInterfaceRequest<Value> { all().select(literal: literal, as: type) }

  /// Returns a request that selects columns and expressions in addition to the default ones.
  public static func annotated(with selection: [any SQLSelectable]) -> QueryInterfaceRequest<Self> {
    all().annotated(with: selection)
  }

  /// Returns a request that selects columns and expressions in addition to the default ones.
  public static func annotated(with selection: any SQLSelectable...) -> QueryInterfaceRequest<Self> {
    all().annotated(with: selection)
  }

  // MARK: Filters

  /// Returns a request of the records that satisfy a condition.
  public static func filter(_ predicate: some SQLSpecificExpressible) -> QueryInterfaceRequest<Self> {
    all().filter(predicate)
  }

  /// Returns a request of the records that satisfy an SQL snippet.
  public static func filter(
    sql: String, arguments: StatementArguments = StatementArguments()
  ) -> QueryInterfaceRequest<Self> { all().filter(sql: sql, arguments: arguments) }

  /// Returns a request of the records that satisfy an SQL literal.
  public static func filter(literal: SQLLiteral) -> QueryInterfaceRequest<Self> {
    all().filter(literal: literal)
  }

  /// Returns a request of the record with a primary key; of no record if it is `nil`.
  public static func filter<Key: DatabaseValueConvertible>(key: Key?) -> QueryInterfaceRequest<Self> {
    all().filter(key: key)
  }

  /// Returns a request of the records with these primary keys.
  public static func filter<Keys: Sequence>(keys: Keys) -> QueryInterfaceRequest<Self>
  where Keys.Element: DatabaseValueConvertible { all().filter(keys: keys) }

  /// Returns a request of the record with these values in the columns of a unique index; of no record if it is
  /// `nil`.
  public static func filter(key: [String: (any DatabaseValueConvertible)?]?) -> QueryInterfaceRequest<Self> {
    all().filter(key: key)
  }

  /// Returns a request of the records with these values in the columns of a unique index.
  public static func filter(keys: [[String: (any DatabaseValueConvertible)?]]) -> QueryInterfaceRequest<Self>
  {
    all().filter(keys: keys)
  }

  /// Returns a request of the records whose full-text index matches a pattern; of no record if it is `nil`.
  public static func matching(_ pattern: FTS3Pattern?) -> QueryInterfaceRequest<Self> {
    all().matching(pattern)
  }

  // MARK: Order

  /// Returns a request of the records in an order.
  public static func order(_ terms: [any SQLOrderingTerm]) -> QueryInterfaceRequest<Self> {
    all().order(terms)
  }

  /// Returns a request of the records in an order.
  public static func order(_ terms: any SQLOrderingTerm...) -> QueryInterfaceRequest<Self> {
    all().order(terms)
  }

  /// Returns a request of the records in the order of an SQL snippet.
  public static func order(
    sql: String, arguments: StatementArguments = StatementArguments()
  ) -> QueryInterfaceRequest<Self> { all().order(sql: sql, arguments: arguments) }

  /// Returns a request of the records in the order of an SQL literal.
  public static func order(literal: SQLLiteral) -> QueryInterfaceRequest<Self> {
    all().order(literal: literal)
  }

  /// Returns a request of the records in the order of the primary key, or of the rowid if there is none.
  public static func orderByPrimaryKey() -> QueryInterfaceRequest<Self> { all().orderByPrimaryKey() }

  /// Returns a request of at most `limit` records, after skipping the first `offset` ones.
  public static func limit(_ limit: Int, offset: Int? = nil) -> QueryInterfaceRequest<Self> {
    all().limit(limit, offset: offset)
  }

  // MARK: Tables

  /// Returns a request of all records, to which expressions can refer by an alias.
  public static func aliased(_ alias: TableAlias<Void>) -> QueryInterfaceRequest<Self> {
    all().aliased(alias)
  }

  /// Returns a request of all records, to which expressions can refer by an alias.
  public static func aliased(_ alias: TableAlias<Self>) -> QueryInterfaceRequest<Self> {
    all().aliased(alias)
  }

  /// Returns a request of all records that defines a common table expression.
  public static func with<Rows>(_ table: CommonTableExpression<Rows>) -> QueryInterfaceRequest<Self> {
    all().with(table)
  }

  // MARK: Fetching

  /// Returns the number of records.
  ///
  /// - Throws: `DatabaseError`.
  public static func fetchCount(_ db: Database) throws -> Int { try all().fetchCount(db) }
}

extension TableRecord where Self: Identifiable, ID: DatabaseValueConvertible {
  /// Returns a request of the record with an `id`; of no record if it is `nil`.
  public static func filter(id: ID?) -> QueryInterfaceRequest<Self> { all().filter(id: id) }

  /// Returns a request of the records with these `id`s.
  public static func filter<IDs: Sequence>(ids: IDs) -> QueryInterfaceRequest<Self> where IDs.Element == ID {
    all().filter(ids: ids)
  }
}
