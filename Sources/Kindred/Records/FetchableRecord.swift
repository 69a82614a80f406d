import Foundation

/// A type that can be decoded from a row.
///
/// Decodable types need no more than to name the protocol.
public protocol FetchableRecord {
  /// The record of a row.
  init(row: Row) throws

  /// What `init(from:)` of a `Decodable` record finds in `userInfo` of its decoder; empty unless a type says otherwise.
  static var databaseDecodingUserInfo: [CodingUserInfoKey: any Sendable] { get }

  /// Returns the decoder of a column that holds JSON.
  ///
  /// Unless a type says otherwise, dates are milliseconds since 1970, and data is in Base64.
  static func databaseJSONDecoder(for column: String) -> JSONDecoder
}

extension FetchableRecord {
  /// Empty.
  public static var databaseDecodingUserInfo: [CodingUserInfoKey: any Sendable] { [:] }

  /// Dates are milliseconds since 1970, data is in Base64, and `userInfo` is `databaseDecodingUserInfo`.
  public static func databaseJSONDecoder(for column: String) -> JSONDecoder {
    let decoder = JSONDecoder.ofColumns
    decoder.userInfo = databaseDecodingUserInfo
    return decoder
  }
}

extension FetchableRecord where Self: Decodable {
  /// The record of a row: columns, associated records and collections go to the properties of their names.
  public init(row: Row) throws {
    self = try Self(from: RecordDecoder(row: row, at: DecodingPlace(record: Self.self)))
  }
}

extension FetchableRecord {
  // MARK: Of a request

  /// The records of a request, whatever it is for, one by one.
  ///
  /// - Throws: What the request throws, `DatabaseError`; the cursor throws what decoding throws.
  public static func fetchCursor(
    _ db: Database, _ request: some FetchRequest
  ) throws -> MapCursor<RowCursor, Self> { try Row.fetchCursor(db, request).map(Self.init(row:)) }

  /// All records of a request, whatever it is for.
  ///
  /// - Throws: What the request throws, `DatabaseError`, what decoding throws.
  public static func fetchAll(_ db: Database, _ request: some FetchRequest) throws -> [Self] {
    try Row.fetchCursor(db, request).all(decode)
  }

  /// The first record of a request, whatever it is for.
  ///
  /// - Throws: What the request throws, `DatabaseError`, what decoding throws.
  public static func fetchOne(_ db: Database, _ request: some FetchRequest) throws -> Self? {
    try Row.fetchOne(db, request).map(decode)
  }

  /// The record of a row, or what a subscript met with in there, and could not throw.
  static func decode(_ row: Row) throws -> Self {
    let record = try Self(row: row)
    try row.checkDecoding()
    return record
  }

  // MARK: Of SQL

  /// The records of a query, one by one.
  ///
  /// - Throws: `DatabaseError`; the cursor throws what decoding throws.
  public static func fetchCursor(
    _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(),
    adapter: (any RowAdapter)? = nil
  ) throws -> MapCursor<RowCursor, Self> {
    try fetchCursor(db, SQLRequest<Self>(sql: sql, arguments: arguments, adapter: adapter))
  }

  /// All records of a query.
  ///
  /// - Throws: `DatabaseError`, what decoding throws.
  public static func fetchAll(
    _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(),
    adapter: (any RowAdapter)? = nil
  ) throws -> [Self] {
    try fetchAll(db, SQLRequest<Self>(sql: sql, arguments: arguments, adapter: adapter))
  }

  /// The first record of a query.
  ///
  /// - Throws: `DatabaseError`, what decoding throws.
  public static func fetchOne(
    _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(),
    adapter: (any RowAdapter)? = nil
  ) throws -> Self? {
    try fetchOne(db, SQLRequest<Self>(sql: sql, arguments: arguments, adapter: adapter))
  }

  // MARK: Of a statement

  /// The records of a statement, one by one.
  ///
  /// - Throws: `DatabaseError`; the cursor throws what decoding throws.
  public static func fetchCursor(
    _ statement: SelectStatement, arguments: StatementArguments? = nil, adapter: (any RowAdapter)? = nil
  ) throws -> MapCursor<RowCursor, Self> {
    try Row.fetchCursor(statement, arguments: arguments, adapter: adapter).map(Self.init(row:))
  }

  /// All records of a statement.
  ///
  /// - Throws: `DatabaseError`, what decoding throws.
  public static func fetchAll(
    _ statement: SelectStatement, arguments: StatementArguments? = nil, adapter: (any RowAdapter)? = nil
  ) throws -> [Self] { try Array(fetchCursor(statement, arguments: arguments, adapter: adapter)) }

  /// The first record of a statement.
  ///
  /// - Throws: `DatabaseError`, what decoding throws.
  public static func fetchOne(
    _ statement: SelectStatement, arguments: StatementArguments? = nil, adapter: (any RowAdapter)? = nil
  ) throws -> Self? { try fetchCursor(statement, arguments: arguments, adapter: adapter).next() }
}

extension FetchableRecord where Self: Hashable {
  /// The different records of a request, whatever it is for.
  ///
  /// - Throws: What the request throws, `DatabaseError`, what decoding throws.
  public static func fetchSet(_ db: Database, _ request: some FetchRequest) throws -> Set<Self> {
    Set(try fetchAll(db, request))
  }
}

extension FetchRequest where RowDecoder: FetchableRecord {
  /// The records, one by one.
  ///
  /// - Throws: What the request throws, `DatabaseError`; the cursor throws what decoding throws.
  public func fetchCursor(_ db: Database) throws -> MapCursor<RowCursor, RowDecoder> {
    try RowDecoder.fetchCursor(db, self)
  }

  /// All records.
  ///
  /// - Throws: What the request throws, `DatabaseError`, what decoding throws.
  public func fetchAll(_ db: Database) throws -> [RowDecoder] { try RowDecoder.fetchAll(db, self) }

  /// The first record.
  ///
  /// - Throws: What the request throws, `DatabaseError`, what decoding throws.
  public func fetchOne(_ db: Database) throws -> RowDecoder? { try RowDecoder.fetchOne(db, self) }

  /// The different records.
  ///
  /// - Throws: What the request throws, `DatabaseError`, what decoding throws.
  public func fetchSet(_ db: Database) throws -> Set<RowDecoder> where RowDecoder: Hashable {
    try RowDecoder.fetchSet(db, self)
  }
}
