import KindredSQLSyntax

/// A request in SQL.
///
///     let request = SQLRequest<Row>(sql: "SELECT * FROM author WHERE name = ?", arguments: ["Melville"])
///     let rows = try request.fetchAll(db)
public struct SQLRequest<RowDecoder>: FetchRequest {
  /// The text.
  public var sql: String
  /// The values of its parameters.
  public var arguments: StatementArguments
  /// How the rows are seen.
  public var adapter: (any RowAdapter)?

  /// A request in SQL.
  ///
  /// - Parameters:
  ///   - sql: One statement that gives rows. Values go in by `arguments`, never into the text.
  ///   - arguments: The values of its parameters.
  ///   - adapter: How the rows are seen.
  public init(
    sql: String, arguments: StatementArguments = StatementArguments(), adapter: (any RowAdapter)? = nil
  ) {
    self.sql = sql
    self.arguments = arguments
    self.adapter = adapter
  }

  /// The statement, and how its rows are seen.
  ///
  /// - Throws: `DatabaseError` where the text is erroneous.
  public func prepare(_ db: Database) throws -> (SelectStatement, (any RowAdapter)?) {
    let statement = try db.makeSelectStatement(sql: sql)
    statement.arguments = arguments
    return (statement, adapter)
  }
}

extension SQLRequest: Sendable where RowDecoder: Sendable {}
