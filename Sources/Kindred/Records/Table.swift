/// A table by its name, for requests without a record type.
///
///     let names = try String.fetchAll(db, Table("author").select(Column("name")))
///
/// `Table("author")` gives rows; `Table<Author>("author")` gives records, whatever table their type names. It has the
/// methods of requests.
public struct Table<RowDecoder>: RequestSource {
  /// The name of the table.
  public let tableName: String

  /// The table with a name, whose rows are decoded into a type.
  public init(_ tableName: String) {
    self.tableName = tableName
  }

  /// The table with a name.
  public init(_ tableName: String) where RowDecoder == Row {
    self.tableName = tableName
  }

  /// Returns a request of all rows.
  public func all() -> QueryInterfaceRequest<RowDecoder> {
    QueryInterfaceRequest(
      blueprint: RequestBlueprint(tableName: tableName, defaultSelection: [AllColumns().sqlSelection]))
  }
}

extension Table {
  /// Returns the number of rows.
  ///
  /// - Throws: `DatabaseError`.
  public func fetchCount(_ db: Database) throws -> Int { try all().fetchCount(db) }

  /// Returns whether there are no rows.
  ///
  /// - Throws: `DatabaseError`.
  public func isEmpty(_ db: Database) throws -> Bool { try all().isEmpty(db) }

  /// Deletes the row with a primary key, and returns whether there was one.
  ///
  /// - Throws: `RecordKeyError` if the primary key is not one column; `DatabaseError`.
  @discardableResult
  public func deleteOne(_ db: Database, key: some DatabaseValueConvertible) throws -> Bool {
    try filter(key: key).deleteAll(db) > 0
  }

  /// Returns whether there is a row with a primary key.
  ///
  /// - Throws: `RecordKeyError` if the primary key is not one column; `DatabaseError`.
  public func exists(_ db: Database, key: some DatabaseValueConvertible) throws -> Bool {
    try !filter(key: key).isEmpty(db)
  }
}

extension Table where RowDecoder: RowDecodable {
  /// Returns a cursor over all rows.
  ///
  /// - Throws: `DatabaseError`.
  public func fetchCursor(_ db: Database) throws -> MapCursor<RowCursor, RowDecoder> {
    try all().fetchCursor(db)
  }

  /// Returns all rows.
  ///
  /// - Throws: `DatabaseError`, or the error that decoding throws.
  public func fetchAll(_ db: Database) throws -> [RowDecoder] { try all().fetchAll(db) }

  /// Returns the first row; `nil` if there is none.
  ///
  /// - Throws: `DatabaseError`, or the error that decoding throws.
  public func fetchOne(_ db: Database) throws -> RowDecoder? { try all().fetchOne(db) }

  /// Returns the distinct rows.
  ///
  /// - Throws: `DatabaseError`, or the error that decoding throws.
  public func fetchSet(_ db: Database) throws -> Set<RowDecoder> where RowDecoder: Hashable {
    try all().fetchSet(db)
  }
}
