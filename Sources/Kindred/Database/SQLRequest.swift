import KindredSQLSyntax

/// A request written in SQL.
///
///     let request = SQLRequest<Row>(sql: "SELECT * FROM author WHERE name = ?", arguments: ["Melville"])
///     let rows = try request.fetchAll(db)
public struct SQLRequest<RowDecoder>: FetchRequest {
  /// The SQL of the request.
  public var sql: String
  /// The values of the statement's parameters.
  public var arguments: StatementArguments
  /// The adapter of the rows; nil if they are used as they are.
  public var adapter: (any RowAdapter)?

  /// A request written in SQL.
  ///
  /// - Parameters:
  ///   - sql: One statement that returns rows. Pass values in `arguments`, never in the text.
  ///   - arguments: The values of its parameters.
  ///   - adapter: The adapter of the rows.
  public init(
    sql: String, arguments: StatementArguments = StatementArguments(), adapter: (any RowAdapter)? = nil
  ) {
    self.sql = sql
    self.arguments = arguments
    self.adapter = adapter
  }

  /// Returns the prepared statement and the adapter of its rows.
  ///
  /// - Throws: `DatabaseError` if the SQL is invalid.
  public func prepare(_ db: Database) throws -> (SelectStatement, (any RowAdapter)?) {
    let statement = try db.makeSelectStatement(sql: sql)
    statement.arguments = arguments
    return (statement, adapter)
  }
}

extension SQLRequest: Sendable where RowDecoder: Sendable {}
