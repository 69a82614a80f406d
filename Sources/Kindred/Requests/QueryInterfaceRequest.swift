import KindredAssociations
import KindredExecution
import KindredSQLSyntax

/// A request of records, or of what is made of their rows.
///
///     let request = Book.filter(Column("year") > 1850).including(required: Book.author)
///
/// It is a value, and reads nothing until it is fetched.
public struct QueryInterfaceRequest<RowDecoder>: Sendable {
  /// What the request says.
  public var blueprint: RequestBlueprint

  init(blueprint: RequestBlueprint) {
    self.blueprint = blueprint
  }

  /// The same request, whose rows are decoded into another type.
  public func asRequest<Other>(of type: Other.Type = Other.self) -> QueryInterfaceRequest<Other> {
    QueryInterfaceRequest<Other>(blueprint: blueprint)
  }

  /// The request with another selection, whose rows are decoded into another type.
  public func select<Value>(
    _ selection: [any SQLSelectable], as type: Value.Type = Value.self
  ) -> QueryInterfaceRequest<Value> {
    select(selection).asRequest(of: type)
  }

  /// The request with another selection, whose rows are decoded into another type.
  public func select<Value>(
    _ selection: any SQLSelectable..., as type: Value.Type = Value.self
  ) -> QueryInterfaceRequest<Value> {
    select(selection).asRequest(of: type)
  }

  /// The request with another selection, whose rows are decoded into another type.
  public func select<Value>(
    sql: String, arguments: StatementArguments = StatementArguments(), as type: Value.Type = Value.self
  ) -> QueryInterfaceRequest<Value> {
    select(sql: sql, arguments: arguments).asRequest(of: type)
  }

  /// The request with another selection, whose rows are decoded into another type.
  public func select<Value>(
    literal: SQLLiteral, as type: Value.Type = Value.self
  ) -> QueryInterfaceRequest<Value> {
    select(literal: literal).asRequest(of: type)
  }
}

extension QueryInterfaceRequest: DerivableRequest {}

extension QueryInterfaceRequest: FetchRequest {
  /// The statement of the records, with its arguments.
  ///
  /// - Throws: `AssociationError`, `DatabaseError`.
  public func prepare(_ db: Database) throws -> (SelectStatement, (any RowAdapter)?) {
    let prepared = try prepareRequest(db, isForSingleRow: false)
    return (prepared.statement, prepared.layout.map(LayoutAdapter.init))
  }

  /// The statement of the records, and those of what is fetched along.
  ///
  /// - Throws: `AssociationError`, `DatabaseError`.
  public func prepareRequest(_ db: Database, isForSingleRow: Bool) throws -> PreparedRequest {
    let resolver = try RequestResolver(db, blueprint)
    var request = try resolver.request(blueprint)
    // Else SQLite would put all rows in order to give the first.
    if isForSingleRow { request.root.rows.limit = min(request.root.rows.limit ?? 1, 1) }
    return try PlannedRequest(Planner(model: resolver.model).planRows(request), on: db).prepared()
  }

  /// How many rows there are.
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

  /// Whether there is no row.
  ///
  /// - Throws: `AssociationError`, `DatabaseError`.
  public func isEmpty(_ db: Database) throws -> Bool {
    try Row.fetchOne(db, self) == nil
  }

  /// The statements that the request needs.
  func plan(_ db: Database) throws -> Plan {
    let resolver = try RequestResolver(db, blueprint)
    return try Planner(model: resolver.model).planRows(resolver.request(blueprint))
  }
}

extension QueryInterfaceRequest: SQLSubqueryable {
  /// The rows, as a subquery of another request.
  public var subquery: RequestBlueprint { blueprint }
}

/// Requests that other requests can look into.
public protocol SQLSubqueryable {
  /// What the request says.
  var subquery: RequestBlueprint { get }
}

extension SQLSubqueryable {
  /// Whether there is a row: `EXISTS (…)`.
  public func exists() -> SQLExpression {
    let subquery = subquery
    return SQLExpression { resolver in
      Expression(.program(.exists(try resolver.subresolver(subquery).request(subquery))), at: Origin())
    }
  }

  /// Whether an expression is among the values of the first column: `IN (…)`.
  public func contains(_ element: some SQLSpecificExpressible) -> SQLExpression {
    let (subquery, element) = (subquery, element.sqlExpression)
    return SQLExpression { resolver in
      let request = try resolver.subresolver(subquery).request(subquery)
      return Expression(.program(.among(try resolver.expression(element), request)), at: Origin())
    }
  }
}

/// Sees the rows of a request's statement as the request does.
private struct LayoutAdapter: RowAdapter {
  let layout: RowLayout

  func adapt(_ layout: RowLayout) -> RowLayout { self.layout }
}
