/// Fetching rows as they are.
extension Row {
  // MARK: Of a statement

  /// The rows of a statement, one by one.
  ///
  /// - Parameters:
  ///   - statement: The statement.
  ///   - arguments: The values of its parameters; `nil` for those that it has.
  ///   - adapter: How the rows are seen.
  /// - Throws: `DatabaseError`; what the adapter throws.
  public static func fetchCursor(
    _ statement: SelectStatement, arguments: StatementArguments? = nil, adapter: (any RowAdapter)? = nil
  ) throws -> RowCursor {
    if let arguments { statement.arguments = arguments }
    return try RowCursor(PreparedRequest(statement: statement, adapter: adapter))
  }

  /// All rows of a statement.
  ///
  /// - Throws: `DatabaseError`; what the adapter throws.
  public static func fetchAll(
    _ statement: SelectStatement, arguments: StatementArguments? = nil, adapter: (any RowAdapter)? = nil
  ) throws -> [Row] {
    try fetchCursor(statement, arguments: arguments, adapter: adapter).all()
  }

  /// The first row of a statement.
  ///
  /// - Throws: `DatabaseError`; what the adapter throws.
  public static func fetchOne(
    _ statement: SelectStatement, arguments: StatementArguments? = nil, adapter: (any RowAdapter)? = nil
  ) throws -> Row? {
    try fetchCursor(statement, arguments: arguments, adapter: adapter).next()
  }

  // MARK: Of SQL

  /// The rows of a query, one by one.
  ///
  /// - Throws: `DatabaseError`; what the adapter throws.
  public static func fetchCursor(
    _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(),
    adapter: (any RowAdapter)? = nil
  ) throws -> RowCursor {
    try fetchCursor(db, SQLRequest<Row>(sql: sql, arguments: arguments, adapter: adapter))
  }

  /// All rows of a query.
  ///
  /// - Throws: `DatabaseError`; what the adapter throws.
  public static func fetchAll(
    _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(),
    adapter: (any RowAdapter)? = nil
  ) throws -> [Row] {
    try fetchAll(db, SQLRequest<Row>(sql: sql, arguments: arguments, adapter: adapter))
  }

  /// The first row of a query.
  ///
  /// - Throws: `DatabaseError`; what the adapter throws.
  public static func fetchOne(
    _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(),
    adapter: (any RowAdapter)? = nil
  ) throws -> Row? {
    try fetchOne(db, SQLRequest<Row>(sql: sql, arguments: arguments, adapter: adapter))
  }

  /// The different rows of a query.
  ///
  /// - Throws: `DatabaseError`; what the adapter throws.
  public static func fetchSet(
    _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(),
    adapter: (any RowAdapter)? = nil
  ) throws -> Set<Row> {
    Set(try fetchAll(db, sql: sql, arguments: arguments, adapter: adapter))
  }

  // MARK: Of a request

  /// The rows of a request, whatever it is for, one by one.
  ///
  /// - Throws: What the request throws; `DatabaseError`.
  public static func fetchCursor(_ db: Database, _ request: some FetchRequest) throws -> RowCursor {
    try RowCursor(request.prepareRequest(db, isForSingleRow: false))
  }

  /// All rows of a request, whatever it is for.
  ///
  /// - Throws: What the request throws; `DatabaseError`.
  public static func fetchAll(_ db: Database, _ request: some FetchRequest) throws -> [Row] {
    try fetchCursor(db, request).all()
  }

  /// The first row of a request, whatever it is for.
  ///
  /// - Throws: What the request throws; `DatabaseError`.
  public static func fetchOne(_ db: Database, _ request: some FetchRequest) throws -> Row? {
    try RowCursor(request.prepareRequest(db, isForSingleRow: true)).first()
  }

  /// The different rows of a request, whatever it is for.
  ///
  /// - Throws: What the request throws; `DatabaseError`.
  public static func fetchSet(_ db: Database, _ request: some FetchRequest) throws -> Set<Row> {
    Set(try fetchAll(db, request))
  }
}

extension FetchRequest where RowDecoder == Row {
  /// The rows, one by one.
  ///
  /// - Throws: What the request throws; `DatabaseError`.
  public func fetchCursor(_ db: Database) throws -> RowCursor { try Row.fetchCursor(db, self) }

  /// All rows.
  ///
  /// - Throws: What the request throws; `DatabaseError`.
  public func fetchAll(_ db: Database) throws -> [Row] { try Row.fetchAll(db, self) }

  /// The first row.
  ///
  /// - Throws: What the request throws; `DatabaseError`.
  public func fetchOne(_ db: Database) throws -> Row? { try Row.fetchOne(db, self) }

  /// The different rows.
  ///
  /// - Throws: What the request throws; `DatabaseError`.
  public func fetchSet(_ db: Database) throws -> Set<Row> { try Row.fetchSet(db, self) }
}
