/// A request written in SQL.
///
///     let request: SQLRequest<Author> = "SELECT * FROM author WHERE name = \(name)"
///     let authors = try request.fetchAll(db)
public struct SQLRequest<RowDecoder>: FetchRequest, Sendable {
  private enum Source: Sendable {
    case sql(String, StatementArguments)
    case literal(SQLLiteral)
  }

  private let source: Source
  /// The adapter of the rows; nil if they are used as they are.
  public var adapter: (any RowAdapter)?

  /// Creates a request of SQL and the values of its parameters.
  ///
  /// - Parameters:
  ///   - sql: One statement that returns rows. Pass values in `arguments`, never in the text.
  ///   - arguments: The values of its parameters.
  ///   - adapter: The adapter of the rows.
  ///   - isCached: Ignored, because every statement is cached.
  public init(
    sql: String, arguments: StatementArguments = StatementArguments(), adapter: (any RowAdapter)? = nil,
    cached isCached: Bool = true
  ) {
    source = .sql(sql, arguments)
    self.adapter = adapter
  }

  /// Creates a request of a literal.
  ///
  /// - Parameters:
  ///   - literal: One statement that returns rows, with its values.
  ///   - adapter: The adapter of the rows.
  ///   - isCached: Ignored, because every statement is cached.
  public init(literal: SQLLiteral, adapter: (any RowAdapter)? = nil, cached isCached: Bool = true) {
    source = .literal(literal)
    self.adapter = adapter
  }

  /// The SQL of the request, with its values.
  public var sqlLiteral: SQLLiteral {
    switch source {
    case .sql(let sql, let arguments): SQLLiteral(sql: sql, arguments: arguments)
    case .literal(let literal): literal
    }
  }

  /// Returns the prepared statement and the adapter of its rows.
  ///
  /// - Throws: `DatabaseError` if the SQL is invalid.
  public func prepare(_ db: Database) throws -> (Statement, (any RowAdapter)?) {
    let (sql, arguments) =
      switch source {
      case .sql(let sql, let arguments): (sql, arguments)
      case .literal(let literal): try literal.build(db)
      }
    let statement = try db.makeStatement(sql: sql)
    statement.arguments = arguments
    return (statement, adapter)
  }
}

extension SQLRequest where RowDecoder == Row {
  /// Creates a request of rows.
  ///
  /// - Parameters:
  ///   - sql: One statement that returns rows. Pass values in `arguments`, never in the text.
  ///   - arguments: The values of its parameters.
  ///   - adapter: The adapter of the rows.
  ///   - isCached: Ignored, because every statement is cached.
  public init(
    sql: String, arguments: StatementArguments = StatementArguments(), adapter: (any RowAdapter)? = nil,
    cached isCached: Bool = true
  ) {
    source = .sql(sql, arguments)
    self.adapter = adapter
  }

  /// Creates a request of rows.
  ///
  /// - Parameters:
  ///   - literal: One statement that returns rows, with its values.
  ///   - adapter: The adapter of the rows.
  ///   - isCached: Ignored, because every statement is cached.
  public init(literal: SQLLiteral, adapter: (any RowAdapter)? = nil, cached isCached: Bool = true) {
    source = .literal(literal)
    self.adapter = adapter
  }
}

extension SQLRequest: ExpressibleByStringInterpolation {
  /// Creates a request of SQL text.
  public init(stringLiteral sql: String) { self.init(sql: sql) }

  /// Creates a request of SQL with interpolated values, which are bound as parameters.
  public init(stringInterpolation interpolation: SQLLiteral.StringInterpolation) {
    self.init(literal: SQLLiteral(stringInterpolation: interpolation))
  }
}
