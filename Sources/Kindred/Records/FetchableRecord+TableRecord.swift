/// Fetching the records of a table.
extension FetchableRecord where Self: TableRecord {
  /// All records, one by one.
  ///
  /// - Throws: `DatabaseError`; the cursor throws what decoding throws.
  public static func fetchCursor(_ db: Database) throws -> MapCursor<RowCursor, Self> {
    try all().fetchCursor(db)
  }

  /// All records.
  ///
  /// - Throws: `DatabaseError`, what decoding throws.
  public static func fetchAll(_ db: Database) throws -> [Self] { try all().fetchAll(db) }

  /// The first record.
  ///
  /// - Throws: `DatabaseError`, what decoding throws.
  public static func fetchOne(_ db: Database) throws -> Self? { try all().fetchOne(db) }

  /// The different records.
  ///
  /// - Throws: `DatabaseError`, what decoding throws.
  public static func fetchSet(_ db: Database) throws -> Set<Self> where Self: Hashable {
    try all().fetchSet(db)
  }

  /// The record of a primary key.
  ///
  /// - Throws: `AssociationError` where the primary key is not one column; `DatabaseError`, what decoding throws.
  public static func fetchOne<Key: DatabaseValueConvertible>(_ db: Database, key: Key?) throws -> Self? {
    try filter(key: key).fetchOne(db)
  }

  /// The record that has these values in the columns of a unique index.
  ///
  /// - Throws: `AssociationError` where there is no such index; `DatabaseError`, what decoding throws.
  public static func fetchOne(
    _ db: Database, key: [String: (any DatabaseValueConvertible)?]?
  ) throws -> Self? { try filter(key: key).fetchOne(db) }

  /// The records of primary keys.
  ///
  /// - Throws: `AssociationError` where the primary key is not one column; `DatabaseError`, what decoding throws.
  public static func fetchAll<Keys: Sequence>(_ db: Database, keys: Keys) throws -> [Self]
  where Keys.Element: DatabaseValueConvertible { try filter(keys: keys).fetchAll(db) }
}

extension FetchableRecord where Self: TableRecord & Identifiable, ID: DatabaseValueConvertible {
  /// The record of an identity.
  ///
  /// - Throws: `DatabaseError`, what decoding throws.
  public static func fetchOne(_ db: Database, id: ID?) throws -> Self? { try filter(id: id).fetchOne(db) }

  /// The records of identities.
  ///
  /// - Throws: `DatabaseError`, what decoding throws.
  public static func fetchAll<IDs: Sequence>(_ db: Database, ids: IDs) throws -> [Self]
  where IDs.Element == ID {
    try filter(ids: ids).fetchAll(db)
  }
}
