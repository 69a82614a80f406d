import KindredModel
import KindredPlanning
import KindredSQLiteDialect
import KindredSQLiteBackend
import KindredSQLSyntax

/// A request of the records of a table, built with Swift methods instead of SQL.
///
///     let request = Book.filter(Column("year") > 1850).including(required: Book.author)
///
/// It is a value, and nothing is read until it is fetched.
public struct QueryInterfaceRequest<RowDecoder>: Sendable {
  /// How the records are selected, filtered and ordered.
  public var blueprint: RequestBlueprint

  init(blueprint: RequestBlueprint) {
    self.blueprint = blueprint
  }

  /// Returns the same request with rows that are decoded into another type.
  public func asRequest<Other>(of type: Other.Type = Other.self) -> QueryInterfaceRequest<Other> {
    QueryInterfaceRequest<Other>(blueprint: blueprint)
  }

}

extension RequestSource where Refined == QueryInterfaceRequest<RowDecoder> {
  /// Selects other columns and expressions, and decodes the rows into another type.
  public func select<Value>(
    _ selection: [any SQLSelectable], as type: Value.Type = Value.self
  ) -> QueryInterfaceRequest<Value> {
    select(selection).asRequest(of: type)
  }

  /// Selects other columns and expressions, and decodes the rows into another type.
  public func select<Value>(
    _ selection: any SQLSelectable..., as type: Value.Type = Value.self
  ) -> QueryInterfaceRequest<Value> {
    select(selection).asRequest(of: type)
  }

  /// Selects other columns and expressions, and decodes the rows into another type.
  public func select<Value>(
    sql: String, arguments: StatementArguments = StatementArguments(), as type: Value.Type = Value.self
  ) -> QueryInterfaceRequest<Value> {
    select(sql: sql, arguments: arguments).asRequest(of: type)
  }

  /// Selects other columns and expressions, and decodes the rows into another type.
  public func select<Value>(
    literal: SQLLiteral, as type: Value.Type = Value.self
  ) -> QueryInterfaceRequest<Value> {
    select(literal: literal).asRequest(of: type)
  }
}

extension QueryInterfaceRequest: DerivableRequest {}

extension QueryInterfaceRequest: FetchRequest {
  /// Returns the statement of the records with its arguments bound.
  ///
  /// - Throws: `AssociationError`, `DatabaseError`.
  public func prepare(_ db: Database) throws -> (Statement, (any RowAdapter)?) {
    let prepared = try prepareRequest(db, isForSingleRow: false)
    return (prepared.statement, prepared.layout.map(LayoutAdapter.init))
  }

  /// Returns the statement of the records together with those of its collections.
  ///
  /// - Throws: `AssociationError`, `DatabaseError`.
  public func prepareRequest(_ db: Database, isForSingleRow: Bool) throws -> PreparedRequest {
    var blueprint = blueprint
    // Without a limit, SQLite would sort all rows to return the first.
    if isForSingleRow { blueprint.limitToOne() }
    return try db.recordStatements(db.versionOfSchema).plans.request(blueprint, on: db).prepared()
  }

  /// Returns the number of rows.
  ///
  /// - Throws: `AssociationError`, `DatabaseError`.
  public func fetchCount(_ db: Database) throws -> Int {
    let planned = try db.recordStatements(db.versionOfSchema).plans.statement(blueprint, for: .count, on: db)
    guard let (text, values) = planned else { throw DatabaseError.misuse("a count without a statement") }
    let statement = try db.makeStatement(text)
    statement.arguments = StatementArguments(values)
    return try Int.fetchOne(statement) ?? 0
  }

  /// Returns the tables and columns that the statements of the records and of their collections read; none for a
  /// statement that returns no row whatever the tables contain, such as that of ``RequestSource/none()``.
  ///
  /// - Throws: `AssociationError`, `DatabaseError`.
  public func databaseRegion(_ db: Database) throws -> DatabaseRegion {
    let plan = try plan(db)
    try db.prepareTransients(of: plan)
    return try db.region(of: plan.textsRead)
  }

  /// Returns whether there are no rows.
  ///
  /// - Throws: `AssociationError`, `DatabaseError`.
  public func isEmpty(_ db: Database) throws -> Bool {
    try Row.fetchOne(db, self) == nil
  }

  /// Returns the plan of the request's statements.
  func plan(_ db: Database) throws -> Plan {
    let resolver = try BlueprintResolver(db, blueprint)
    return try Planner(model: resolver.model, dialect: .sqlite).planRows(resolver.request(blueprint))
  }
}

/// An adapter that gives the rows of a statement the layout of its request.
private struct LayoutAdapter: RowAdapter {
  let layout: RowLayout

  func adapt(_ layout: RowLayout) -> RowLayout { self.layout }
}
