/// Fetching values: those of the first column.
///
///     let names = try String.fetchAll(db, sql: "SELECT name FROM author")
///     let birthYears = try Int?.fetchAll(db, sql: "SELECT birthYear FROM author")
///     let count = try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM author")
extension DatabaseValueConvertible {
  // MARK: Of a statement

  /// The values of a statement, one by one.
  ///
  /// - Parameters:
  ///   - statement: The statement.
  ///   - arguments: The values of its parameters; `nil` for those that it has.
  ///   - adapter: How the rows are seen.
  /// - Throws: `DatabaseError`; what the adapter throws. The cursor throws a `RowDecodingError` where a value
  ///   is of another type.
  public static func fetchCursor(
    _ statement: SelectStatement, arguments: StatementArguments? = nil, adapter: (any RowAdapter)? = nil
  ) throws -> MapCursor<RowCursor, Self> {
    try Row.fetchCursor(statement, arguments: arguments, adapter: adapter).map(decode)
  }

  /// All values of a statement.
  ///
  /// - Throws: `DatabaseError`; `RowDecodingError` where a value is of another type; what the adapter throws.
  public static func fetchAll(
    _ statement: SelectStatement, arguments: StatementArguments? = nil, adapter: (any RowAdapter)? = nil
  ) throws -> [Self] {
    try Array(fetchCursor(statement, arguments: arguments, adapter: adapter))
  }

  /// The first value of a statement; `nil` where there is no row, or the value is NULL.
  ///
  /// - Throws: `DatabaseError`; `RowDecodingError` where the value is of another type; what the adapter throws.
  public static func fetchOne(
    _ statement: SelectStatement, arguments: StatementArguments? = nil, adapter: (any RowAdapter)? = nil
  ) throws -> Self? {
    try Row.fetchOne(statement, arguments: arguments, adapter: adapter).flatMap(decodeUnlessNull)
  }

  // MARK: Of SQL

  /// The values of a query, one by one.
  ///
  /// - Throws: `DatabaseError`; what the adapter throws. The cursor throws a `RowDecodingError` where a value
  ///   is of another type.
  public static func fetchCursor(
    _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(),
    adapter: (any RowAdapter)? = nil
  ) throws -> MapCursor<RowCursor, Self> {
    try fetchCursor(db, SQLRequest<Self>(sql: sql, arguments: arguments, adapter: adapter))
  }

  /// All values of a query.
  ///
  /// - Throws: `DatabaseError`; `RowDecodingError` where a value is of another type; what the adapter throws.
  public static func fetchAll(
    _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(),
    adapter: (any RowAdapter)? = nil
  ) throws -> [Self] {
    try fetchAll(db, SQLRequest<Self>(sql: sql, arguments: arguments, adapter: adapter))
  }

  /// The first value of a query; `nil` where there is no row, or the value is NULL.
  ///
  /// - Throws: `DatabaseError`; `RowDecodingError` where the value is of another type; what the adapter throws.
  public static func fetchOne(
    _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(),
    adapter: (any RowAdapter)? = nil
  ) throws -> Self? {
    try fetchOne(db, SQLRequest<Self>(sql: sql, arguments: arguments, adapter: adapter))
  }

  // MARK: Of a request

  /// The values of a request, whatever it is for, one by one.
  ///
  /// - Throws: What the request throws; `DatabaseError`. The cursor throws a `RowDecodingError` where a value
  ///   is of another type.
  public static func fetchCursor(
    _ db: Database, _ request: some FetchRequest
  ) throws -> MapCursor<RowCursor, Self> {
    try Row.fetchCursor(db, request).map(decode)
  }

  /// All values of a request, whatever it is for.
  ///
  /// - Throws: What the request throws; `DatabaseError`; `RowDecodingError` where a value is of another type.
  public static func fetchAll(_ db: Database, _ request: some FetchRequest) throws -> [Self] {
    try Array(fetchCursor(db, request))
  }

  /// The first value of a request, whatever it is for; `nil` where there is no row, or the value is NULL.
  ///
  /// - Throws: What the request throws; `DatabaseError`; `RowDecodingError` where the value is of another type.
  public static func fetchOne(_ db: Database, _ request: some FetchRequest) throws -> Self? {
    try Row.fetchOne(db, request).flatMap(decodeUnlessNull)
  }

  private static func decode(_ row: Row) throws -> Self { try row.decode(atIndex: 0) }

  private static func decodeUnlessNull(_ row: Row) throws -> Self? {
    row.hasNull(atIndex: 0) ? nil : try decode(row)
  }
}

extension DatabaseValueConvertible where Self: Hashable {
  /// The different values of a query.
  ///
  /// - Throws: `DatabaseError`; `RowDecodingError` where a value is of another type; what the adapter throws.
  public static func fetchSet(
    _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(),
    adapter: (any RowAdapter)? = nil
  ) throws -> Set<Self> {
    try Set(fetchCursor(db, sql: sql, arguments: arguments, adapter: adapter))
  }

  /// The different values of a request, whatever it is for.
  ///
  /// - Throws: What the request throws; `DatabaseError`; `RowDecodingError` where a value is of another type.
  public static func fetchSet(_ db: Database, _ request: some FetchRequest) throws -> Set<Self> {
    try Set(fetchCursor(db, request))
  }
}

extension FetchRequest where RowDecoder: DatabaseValueConvertible {
  /// The values, one by one.
  ///
  /// - Throws: What the request throws; `DatabaseError`. The cursor throws a `RowDecodingError` where a value
  ///   is of another type.
  public func fetchCursor(_ db: Database) throws -> MapCursor<RowCursor, RowDecoder> {
    try RowDecoder.fetchCursor(db, self)
  }

  /// All values.
  ///
  /// - Throws: What the request throws; `DatabaseError`; `RowDecodingError` where a value is of another type.
  public func fetchAll(_ db: Database) throws -> [RowDecoder] { try RowDecoder.fetchAll(db, self) }

  /// The first value; `nil` where there is no row, or the value is NULL.
  ///
  /// - Throws: What the request throws; `DatabaseError`; `RowDecodingError` where the value is of another type.
  public func fetchOne(_ db: Database) throws -> RowDecoder? { try RowDecoder.fetchOne(db, self) }

  /// The different values.
  ///
  /// - Throws: What the request throws; `DatabaseError`; `RowDecodingError` where a value is of another type.
  public func fetchSet(_ db: Database) throws -> Set<RowDecoder> where RowDecoder: Hashable {
    try RowDecoder.fetchSet(db, self)
  }
}
