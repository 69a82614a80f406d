/// Fetches the records of a table.
extension FetchableRecord where Self: TableRecord {
  /// Returns a cursor over all records.
  ///
  /// - Throws: `DatabaseError`. The cursor throws errors of decoding.
  public static func fetchCursor(_ db: Database) throws -> MapCursor<RowCursor, Self> {
    try all().fetchCursor(db)
  }

  /// Returns all records.
  ///
  /// - Throws: `DatabaseError`, or the error that decoding throws.
  public static func fetchAll(_ db: Database) throws -> [Self] { try all().fetchAll(db) }

  /// Returns the first record; `nil` if there is none.
  ///
  /// - Throws: `DatabaseError`, or the error that decoding throws.
  public static func fetchOne(_ db: Database) throws -> Self? { try all().fetchOne(db) }

  /// Returns the distinct records.
  ///
  /// - Throws: `DatabaseError`, or the error that decoding throws.
  public static func fetchSet(_ db: Database) throws -> Set<Self> where Self: Hashable {
    try all().fetchSet(db)
  }

  /// Returns the record with a primary key; `nil` if there is none, or the key is `nil`.
  ///
  /// - Throws: `RecordKeyError` if the primary key is not one column; `DatabaseError`, or the error that decoding
  ///   throws.
  public static func fetchOne<Key: DatabaseValueConvertible>(_ db: Database, key: Key?) throws -> Self? {
    guard let value = try key?.databaseValue.stored, value != .null else { return nil }
    return try fetchRecord(db, key: value)
  }

  /// Returns the record with these values in the columns of a unique index; `nil` if there is none.
  ///
  /// - Throws: `RecordKeyError` if there is no such index; `DatabaseError`, or the error that decoding throws.
  public static func fetchOne(
    _ db: Database, key: [String: (any DatabaseValueConvertible)?]?
  ) throws -> Self? { try filter(key: key).fetchOne(db) }

  /// Returns the records with these primary keys.
  ///
  /// - Throws: `RecordKeyError` if the primary key is not one column; `DatabaseError`, or the error that decoding
  ///   throws.
  public static func fetchAll<Keys: Sequence>(_ db: Database, keys: Keys) throws -> [Self]
  where Keys.Element: DatabaseValueConvertible { try filter(keys: keys).fetchAll(db) }

  /// Returns the records with these values in the columns of a unique index.
  ///
  /// - Throws: `RecordKeyError` if there is no such index; `DatabaseError`, or the error that decoding throws.
  public static func fetchAll(
    _ db: Database, keys: [[String: (any DatabaseValueConvertible)?]]
  ) throws -> [Self] { try filter(keys: keys).fetchAll(db) }

  /// Returns the distinct records with these primary keys.
  ///
  /// - Throws: `RecordKeyError` if the primary key is not one column; `DatabaseError`, or the error that decoding
  ///   throws.
  public static func fetchSet<Keys: Sequence>(_ db: Database, keys: Keys) throws -> Set<Self>
  where Keys.Element: DatabaseValueConvertible, Self: Hashable { try filter(keys: keys).fetchSet(db) }

  /// Returns a cursor over the records with these primary keys.
  ///
  /// - Throws: `RecordKeyError` if the primary key is not one column; `DatabaseError`. The cursor throws errors of
  ///   decoding.
  public static func fetchCursor<Keys: Sequence>(
    _ db: Database, keys: Keys
  ) throws -> MapCursor<RowCursor, Self>
  where Keys.Element: DatabaseValueConvertible { try filter(keys: keys).fetchCursor(db) }

  /// Returns the record with a primary key.
  ///
  /// - Throws: `RecordError.recordNotFound` if there is none; `RecordKeyError` if the primary key is not one column;
  ///   `DatabaseError`, or the error that decoding throws.
  public static func find(_ db: Database, key: some DatabaseValueConvertible) throws -> Self {
    guard let record = try fetchOne(db, key: key) else { throw recordNotFound(db, key: key) }
    return record
  }

  /// Returns the record with these values in the columns of a unique index.
  ///
  /// - Throws: `RecordError.recordNotFound` if there is none; `RecordKeyError` if there is no such index;
  ///   `DatabaseError`, or the error that decoding throws.
  public static func find(
    _ db: Database, key: [String: (any DatabaseValueConvertible)?]
  ) throws -> Self {
    guard let record = try fetchOne(db, key: key) else { throw recordNotFound(key: key) }
    return record
  }
}

extension FetchableRecord where Self: TableRecord & Identifiable, ID: DatabaseValueConvertible {
  /// Returns the record with an `id`; `nil` if there is none.
  ///
  /// - Throws: `DatabaseError`, or the error that decoding throws.
  public static func fetchOne(_ db: Database, id: ID?) throws -> Self? { try fetchOne(db, key: id) }

  /// Returns the records with these `id`s.
  ///
  /// - Throws: `DatabaseError`, or the error that decoding throws.
  public static func fetchAll<IDs: Sequence>(_ db: Database, ids: IDs) throws -> [Self]
  where IDs.Element == ID {
    try filter(ids: ids).fetchAll(db)
  }

  /// Returns the distinct records with these `id`s.
  ///
  /// - Throws: `DatabaseError`, or the error that decoding throws.
  public static func fetchSet<IDs: Sequence>(_ db: Database, ids: IDs) throws -> Set<Self>
  where IDs.Element == ID, Self: Hashable {
    try filter(ids: ids).fetchSet(db)
  }

  /// Returns a cursor over the records with these `id`s.
  ///
  /// - Throws: `DatabaseError`. The cursor throws errors of decoding.
  public static func fetchCursor<IDs: Sequence>(_ db: Database, ids: IDs) throws -> MapCursor<RowCursor, Self>
  where IDs.Element == ID {
    try filter(ids: ids).fetchCursor(db)
  }

  /// Returns the record with an `id`.
  ///
  /// - Throws: `RecordError.recordNotFound` if there is none; `DatabaseError`, or the error that decoding throws.
  public static func find(_ db: Database, id: ID) throws -> Self { try find(db, key: id) }
}
