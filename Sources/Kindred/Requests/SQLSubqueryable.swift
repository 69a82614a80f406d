import KindredModel

/// A request that can be part of another: the operand of a comparison, a list of values, a selected column.
///
///     let best = Player.select(max(Column("score")))
///     let players = try Player.filter(Column("score") == best).fetchAll(db)
///
/// As a value it is the first column of the first row.
public protocol SQLSubqueryable: SQLSpecificExpressible {
  /// The request as a part of another.
  var sqlSubquery: SQLSubquery { get }
}

/// A request as a part of another.
public struct SQLSubquery: Sendable {
  /// How the rows are found.
  enum Form: Sendable {
    case request(RequestBlueprint)
    case literal(SQLLiteral)
    /// The SQL of a request of the program, known when the request runs.
    case deferred(@Sendable (Database) throws -> SQLLiteral)
  }

  let form: Form

  init(_ form: Form) {
    self.form = form
  }

  /// Returns an expression that has the request in it.
  ///
  /// - Parameters:
  ///   - ofRequest: Returns the engine's expression of a request.
  ///   - ofLiteral: Returns the SQL around the SQL of a request.
  func expression(
    ofRequest:
      @escaping @Sendable (BlueprintResolver, KindredModel.FetchRequest) throws
      -> Expression.ProgramExpression,
    ofLiteral: @escaping @Sendable (SQLLiteral) -> SQLLiteral
  ) -> SQLExpression {
    switch form {
    case .request(let blueprint):
      SQLExpression { resolver in
        let request = try resolver.subresolver(blueprint).request(blueprint)
        return Expression(.program(try ofRequest(resolver, request)), at: Origin())
      }
    case .literal(let literal): ofLiteral(literal).sqlExpression
    case .deferred(let literal):
      SQLExpression { resolver in
        try resolver.expression(ofLiteral(literal(resolver.db)).sqlExpression)
      }
    }
  }
}

extension SQLSubqueryable {
  /// The first column of the first row: `(SELECT …)`.
  public var sqlExpression: SQLExpression {
    sqlSubquery.expression(ofRequest: { .scalar($1) }, ofLiteral: { "(\(literal: $0))" })
  }

  /// Returns an expression for whether the request has a row: `EXISTS (…)`.
  public func exists() -> SQLExpression {
    sqlSubquery.expression(ofRequest: { .exists($1) }, ofLiteral: { "EXISTS (\(literal: $0))" })
  }

  /// Returns an expression for whether a value is among those of the first column: `IN (…)`.
  public func contains(_ element: some SQLExpressible) -> SQLExpression {
    let element = element.sqlExpression
    return sqlSubquery.expression(
      ofRequest: { .among(try $0.expression(element), $1) },
      ofLiteral: { "(\(element) IN (\(literal: $0)))" })
  }
}

extension FetchRequest {
  /// The SQL of the request as a part of another.
  public var sqlSubquery: SQLSubquery {
    SQLSubquery(
      .deferred { db in
        let (statement, _) = try prepare(db)
        return SQLLiteral(sql: statement.sql, arguments: statement.arguments)
      })
  }
}

extension QueryInterfaceRequest {
  /// The request as a part of another.
  public var sqlSubquery: SQLSubquery { SQLSubquery(.request(blueprint)) }
}

extension SQLRequest {
  /// The request as a part of another.
  public var sqlSubquery: SQLSubquery { SQLSubquery(.literal(sqlLiteral)) }
}

extension CommonTableExpression {
  /// Returns an expression for whether a value is among those of the only column: `IN name`.
  public func contains(_ element: some SQLExpressible) -> SQLExpression { all().contains(element) }

  /// Returns an expression for whether the table has a row.
  public func exists() -> SQLExpression { all().exists() }
}
