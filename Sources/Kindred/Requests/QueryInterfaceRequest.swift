import KindredAssociations
import KindredExecution
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
    let resolver = try RequestResolver(db, blueprint)
    var request = try resolver.request(blueprint)
    // Without a limit, SQLite would sort all rows to return the first.
    if isForSingleRow { request.root.rows.limit = min(request.root.rows.limit ?? 1, 1) }
    return try PlannedRequest(Planner(model: resolver.model).planRows(request), on: db).prepared()
  }

  /// Returns the number of rows.
  ///
  /// - Throws: `AssociationError`, `DatabaseError`.
  public func fetchCount(_ db: Database) throws -> Int {
    let resolver = try RequestResolver(db, blueprint)
    var request = try resolver.request(blueprint)
    request.count = true
    let plan = try Planner(model: resolver.model).planRows(request)
    guard let count = plan.count else { return 0 }
    try db.prepareTransients(of: plan)
    let statement = try db.makeSelectStatement(sql: count.sql)
    statement.arguments = try StatementArguments(count.bindings)
    return try Int.fetchOne(statement) ?? 0
  }

  /// Returns whether there are no rows.
  ///
  /// - Throws: `AssociationError`, `DatabaseError`.
  public func isEmpty(_ db: Database) throws -> Bool {
    try Row.fetchOne(db, self) == nil
  }

  /// Returns the plan of the request's statements.
  func plan(_ db: Database) throws -> Plan {
    let resolver = try RequestResolver(db, blueprint)
    return try Planner(model: resolver.model).planRows(resolver.request(blueprint))
  }
}

extension QueryInterfaceRequest: SQLSubqueryable {
  /// The blueprint of the request as a subquery of another.
  public var subquery: RequestBlueprint { blueprint }
}

/// A request that can be a subquery of another.
public protocol SQLSubqueryable {
  /// How the records are selected, filtered and ordered.
  var subquery: RequestBlueprint { get }
}

extension SQLSubqueryable {
  /// Returns an expression for whether the request has a row: `EXISTS (…)`.
  public func exists() -> SQLExpression {
    let subquery = subquery
    return SQLExpression { resolver in
      Expression(.program(.exists(try resolver.subresolver(subquery).request(subquery))), at: Origin())
    }
  }

  /// Returns an expression for whether a value is among those of the first column: `IN (…)`.
  public func contains(_ element: some SQLSpecificExpressible) -> SQLExpression {
    let (subquery, element) = (subquery, element.sqlExpression)
    return SQLExpression { resolver in
      let request = try resolver.subresolver(subquery).request(subquery)
      return Expression(.program(.among(try resolver.expression(element), request)), at: Origin())
    }
  }
}

/// An adapter that gives the rows of a statement the layout of its request.
private struct LayoutAdapter: RowAdapter {
  let layout: RowLayout

  func adapt(_ layout: RowLayout) -> RowLayout { self.layout }
}
