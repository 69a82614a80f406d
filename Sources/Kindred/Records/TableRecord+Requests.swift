/// Requests of a type's records.
///
/// Each begins with all of them, and selects `databaseSelection` unless it says otherwise.
extension TableRecord {
  /// All records.
  public static func all() -> QueryInterfaceRequest<Self> {
    QueryInterfaceRequest(blueprint: RequestBlueprint(Self.self))
  }

  /// No record.
  public static func none() -> QueryInterfaceRequest<Self> { all().none() }

  // MARK: Selection

  /// With these columns and expressions, instead of the default ones.
  public static func select(_ selection: [any SQLSelectable]) -> QueryInterfaceRequest<Self> {
    all().select(selection)
  }

  /// With these columns and expressions, instead of the default ones.
  public static func select(_ selection: any SQLSelectable...) -> QueryInterfaceRequest<Self> {
    all().select(selection)
  }

  /// With the columns of an SQL snippet.
  public static func select(
    sql: String, arguments: StatementArguments = StatementArguments()
  ) -> QueryInterfaceRequest<Self> { all().select(sql: sql, arguments: arguments) }

  /// With the columns of an SQL literal.
  public static func select(literal: SQLLiteral) -> QueryInterfaceRequest<Self> {
    all().select(literal: literal)
  }

  /// With another selection, whose rows are decoded into another type.
  public static func select<Value>(
    _ selection: [any SQLSelectable], as type: Value.Type = Value.self
  ) -> QueryInterfaceRequest<Value> { all().select(selection, as: type) }

  /// With another selection, whose rows are decoded into another type.
  public static func select<Value>(
    _ selection: any SQLSelectable..., as type: Value.Type = Value.self
  ) -> QueryInterfaceRequest<Value> { all().select(selection, as: type) }

  /// With another selection, whose rows are decoded into another type.
  public static func select<Value>(
    sql: String, arguments: StatementArguments = StatementArguments(), as type: Value.Type = Value.self
  ) -> QueryInterfaceRequest<Value> { all().select(sql: sql, arguments: arguments, as: type) }

  /// With another selection, whose rows are decoded into another type.
  public static func select<Value>(
    literal: SQLLiteral, as type: Value.Type = Value.self
  ) -> QueryInterfaceRequest<Value> { all().select(literal: literal, as: type) }

  /// With these columns and expressions after the others.
  public static func annotated(with selection: [any SQLSelectable]) -> QueryInterfaceRequest<Self> {
    all().annotated(with: selection)
  }

  /// With these columns and expressions after the others.
  public static func annotated(with selection: any SQLSelectable...) -> QueryInterfaceRequest<Self> {
    all().annotated(with: selection)
  }

  // MARK: Filters

  /// The records that satisfy a condition.
  public static func filter(_ predicate: some SQLSpecificExpressible) -> QueryInterfaceRequest<Self> {
    all().filter(predicate)
  }

  /// The records that satisfy a condition about columns: `filter { $0.country == "France" }`.
  public static func filter(_ predicate: (RecordColumns) -> SQLExpression) -> QueryInterfaceRequest<Self> {
    all().filter(predicate)
  }

  /// The records that satisfy an SQL snippet.
  public static func filter(
    sql: String, arguments: StatementArguments = StatementArguments()
  ) -> QueryInterfaceRequest<Self> { all().filter(sql: sql, arguments: arguments) }

  /// The records that satisfy an SQL literal.
  public static func filter(literal: SQLLiteral) -> QueryInterfaceRequest<Self> {
    all().filter(literal: literal)
  }

  /// The record of this primary key; none where it is `nil`.
  public static func filter<Key: DatabaseValueConvertible>(key: Key?) -> QueryInterfaceRequest<Self> {
    all().filter(key: key)
  }

  /// The records of these primary keys.
  public static func filter<Keys: Sequence>(keys: Keys) -> QueryInterfaceRequest<Self>
  where Keys.Element: DatabaseValueConvertible { all().filter(keys: keys) }

  /// The record that has these values in the columns of a unique index; none where it is `nil`.
  public static func filter(key: [String: (any DatabaseValueConvertible)?]?) -> QueryInterfaceRequest<Self> {
    all().filter(key: key)
  }

  /// The records that have these values in the columns of a unique index.
  public static func filter(keys: [[String: (any DatabaseValueConvertible)?]]) -> QueryInterfaceRequest<Self>
  {
    all().filter(keys: keys)
  }

  /// The records whose full-text index matches a pattern: none where it is `nil`.
  public static func matching(_ pattern: FTS3Pattern?) -> QueryInterfaceRequest<Self> {
    all().matching(pattern)
  }

  // MARK: Order

  /// The records in this order.
  public static func order(_ terms: [any SQLOrderingTerm]) -> QueryInterfaceRequest<Self> {
    all().order(terms)
  }

  /// The records in this order.
  public static func order(_ terms: any SQLOrderingTerm...) -> QueryInterfaceRequest<Self> {
    all().order(terms)
  }

  /// The records in the order of an SQL snippet.
  public static func order(
    sql: String, arguments: StatementArguments = StatementArguments()
  ) -> QueryInterfaceRequest<Self> { all().order(sql: sql, arguments: arguments) }

  /// The records in the order of an SQL literal.
  public static func order(literal: SQLLiteral) -> QueryInterfaceRequest<Self> {
    all().order(literal: literal)
  }

  /// The records in the order of the primary key, or of the rowid.
  public static func orderByPrimaryKey() -> QueryInterfaceRequest<Self> { all().orderByPrimaryKey() }

  /// Some of the records: no more than `limit`, and those before `offset` left out.
  public static func limit(_ limit: Int, offset: Int? = nil) -> QueryInterfaceRequest<Self> {
    all().limit(limit, offset: offset)
  }

  // MARK: Tables

  /// All records, under an alias.
  public static func aliased(_ alias: TableAlias) -> QueryInterfaceRequest<Self> { all().aliased(alias) }

  /// All records, with a table of the request's own.
  public static func with<Rows>(_ table: CommonTableExpression<Rows>) -> QueryInterfaceRequest<Self> {
    all().with(table)
  }

  // MARK: Fetching

  /// How many records there are.
  ///
  /// - Throws: `DatabaseError`.
  public static func fetchCount(_ db: Database) throws -> Int { try all().fetchCount(db) }
}

extension TableRecord where Self: Identifiable, ID: DatabaseValueConvertible {
  /// The record of this identity; none where it is `nil`.
  public static func filter(id: ID?) -> QueryInterfaceRequest<Self> { all().filter(id: id) }

  /// The records of these identities.
  public static func filter<IDs: Sequence>(ids: IDs) -> QueryInterfaceRequest<Self> where IDs.Element == ID {
    all().filter(ids: ids)
  }
}
