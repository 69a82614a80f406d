// MARK: - From a request

extension RowDecodable {
  /// Returns a cursor over the values of a request, whose `RowDecoder` is ignored.
  ///
  /// - Throws: The error that the request throws; `DatabaseError`. The cursor throws errors of decoding.
  public static func fetchCursor(
    _ db: Database, _ request: some FetchRequest
  ) throws -> MapCursor<RowCursor, Self> {
    try Row.fetchCursor(db, request).decoding(decoded)
  }

  /// Returns all values of a request, whose `RowDecoder` is ignored.
  ///
  /// - Throws: The error that the request or decoding throws; `DatabaseError`.
  public static func fetchAll(_ db: Database, _ request: some FetchRequest) throws -> [Self] {
    try Row.fetchCursor(db, request).all(decoded)
  }

  /// Returns the first value of a request, whose `RowDecoder` is ignored; `nil` if there is no row, or its single
  /// value is NULL.
  ///
  /// - Throws: The error that the request or decoding throws; `DatabaseError`.
  public static func fetchOne(_ db: Database, _ request: some FetchRequest) throws -> Self? {
    try RowCursor(request.prepareRequest(db, isForSingleRow: true)).first(decodedIfPresent)
  }

  /// Returns the distinct values of a request, whose `RowDecoder` is ignored.
  ///
  /// - Throws: The error that the request or decoding throws; `DatabaseError`.
  public static func fetchSet(_ db: Database, _ request: some FetchRequest) throws -> Set<Self>
  where Self: Hashable {
    Set(try fetchAll(db, request))
  }
}

// MARK: - From SQL

extension RowDecodable {
  /// Returns a cursor over the values of a query.
  ///
  /// - Parameters:
  ///   - db: The database.
  ///   - sql: The query.
  ///   - arguments: The values of its parameters.
  ///   - adapter: The adapter of the rows.
  /// - Throws: `DatabaseError`; the error that the adapter throws. The cursor throws errors of decoding.
  public static func fetchCursor(
    _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(),
    adapter: (any RowAdapter)? = nil
  ) throws -> MapCursor<RowCursor, Self> {
    try fetchCursor(db, SQLRequest<Self>(sql: sql, arguments: arguments, adapter: adapter))
  }

  /// Returns all values of a query.
  ///
  /// - Throws: `DatabaseError`; the error that the adapter or decoding throws.
  public static func fetchAll(
    _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(),
    adapter: (any RowAdapter)? = nil
  ) throws -> [Self] {
    try fetchAll(db, SQLRequest<Self>(sql: sql, arguments: arguments, adapter: adapter))
  }

  /// Returns the first value of a query; `nil` if there is no row, or its single value is NULL.
  ///
  /// - Throws: `DatabaseError`; the error that the adapter or decoding throws.
  public static func fetchOne(
    _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(),
    adapter: (any RowAdapter)? = nil
  ) throws -> Self? {
    try fetchOne(db, SQLRequest<Self>(sql: sql, arguments: arguments, adapter: adapter))
  }

  /// Returns the distinct values of a query.
  ///
  /// - Throws: `DatabaseError`; the error that the adapter or decoding throws.
  public static func fetchSet(
    _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(),
    adapter: (any RowAdapter)? = nil
  ) throws -> Set<Self> where Self: Hashable {
    try fetchSet(db, SQLRequest<Self>(sql: sql, arguments: arguments, adapter: adapter))
  }
}

// MARK: - From a statement

extension RowDecodable {
  /// Returns a cursor over the values of a statement.
  ///
  /// - Parameters:
  ///   - statement: The statement.
  ///   - arguments: The values of its parameters; `nil` keeps the current ones.
  ///   - adapter: The adapter of the rows.
  /// - Throws: `DatabaseError`; the error that the adapter throws. The cursor throws errors of decoding.
  public static func fetchCursor(
    _ statement: Statement, arguments: StatementArguments? = nil, adapter: (any RowAdapter)? = nil
  ) throws -> MapCursor<RowCursor, Self> {
    try Row.fetchCursor(statement, arguments: arguments, adapter: adapter).decoding(decoded)
  }

  /// Returns all values of a statement.
  ///
  /// - Throws: `DatabaseError`; the error that the adapter or decoding throws.
  public static func fetchAll(
    _ statement: Statement, arguments: StatementArguments? = nil, adapter: (any RowAdapter)? = nil
  ) throws -> [Self] {
    try Row.fetchCursor(statement, arguments: arguments, adapter: adapter).all(decoded)
  }

  /// Returns the first value of a statement; `nil` if there is no row, or its single value is NULL.
  ///
  /// - Throws: `DatabaseError`; the error that the adapter or decoding throws.
  public static func fetchOne(
    _ statement: Statement, arguments: StatementArguments? = nil, adapter: (any RowAdapter)? = nil
  ) throws -> Self? {
    try Row.fetchCursor(statement, arguments: arguments, adapter: adapter).first(decodedIfPresent)
  }

  /// Returns the distinct values of a statement.
  ///
  /// - Throws: `DatabaseError`; the error that the adapter or decoding throws.
  public static func fetchSet(
    _ statement: Statement, arguments: StatementArguments? = nil, adapter: (any RowAdapter)? = nil
  ) throws -> Set<Self> where Self: Hashable {
    Set(try fetchAll(statement, arguments: arguments, adapter: adapter))
  }
}

// MARK: - From the request itself

extension FetchRequest where RowDecoder: RowDecodable {
  /// Returns a cursor over the values of the request.
  ///
  /// - Throws: The error that the request throws; `DatabaseError`. The cursor throws errors of decoding.
  public func fetchCursor(_ db: Database) throws -> MapCursor<RowCursor, RowDecoder> {
    try RowDecoder.fetchCursor(db, self)
  }

  /// Returns all values of the request.
  ///
  /// - Throws: The error that the request or decoding throws; `DatabaseError`.
  public func fetchAll(_ db: Database) throws -> [RowDecoder] { try RowDecoder.fetchAll(db, self) }

  /// Returns the first value of the request; `nil` if there is no row, or its single value is NULL.
  ///
  /// - Throws: The error that the request or decoding throws; `DatabaseError`.
  public func fetchOne(_ db: Database) throws -> RowDecoder? { try RowDecoder.fetchOne(db, self) }

  /// Returns the distinct values of the request.
  ///
  /// - Throws: The error that the request or decoding throws; `DatabaseError`.
  public func fetchSet(_ db: Database) throws -> Set<RowDecoder> where RowDecoder: Hashable {
    try RowDecoder.fetchSet(db, self)
  }
}
