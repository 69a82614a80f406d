/// A row decodes to itself, so its cursors need no transformation.
extension Row: RowDecodable {
  /// Returns the row.
  public static func decoded(from row: Row) -> Row { row }

  /// Returns a cursor over the rows of a request, whose `RowDecoder` is ignored.
  ///
  /// - Throws: The error that the request throws; `DatabaseError`.
  public static func fetchCursor(_ db: Database, _ request: some FetchRequest) throws -> RowCursor {
    try RowCursor(request.prepareRequest(db, isForSingleRow: false))
  }

  /// Returns a cursor over the rows of a query.
  ///
  /// - Throws: `DatabaseError`; the error that the adapter throws.
  public static func fetchCursor(
    _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(),
    adapter: (any RowAdapter)? = nil
  ) throws -> RowCursor {
    try fetchCursor(db, SQLRequest<Row>(sql: sql, arguments: arguments, adapter: adapter))
  }

  /// Returns a cursor over the rows of a statement.
  ///
  /// - Throws: `DatabaseError`; the error that the adapter throws.
  public static func fetchCursor(
    _ statement: Statement, arguments: StatementArguments? = nil, adapter: (any RowAdapter)? = nil
  ) throws -> RowCursor {
    if let arguments { statement.arguments = arguments }
    return try RowCursor(PreparedRequest(statement: statement, adapter: adapter))
  }
}

extension FetchRequest where RowDecoder == Row {
  /// Returns a cursor over the rows of the request.
  ///
  /// - Throws: The error that the request throws; `DatabaseError`.
  public func fetchCursor(_ db: Database) throws -> RowCursor { try Row.fetchCursor(db, self) }
}
