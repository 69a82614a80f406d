extension FetchableRecord where Self: Decodable {
  /// Creates a record from a row: columns, associated records and collections go to the properties of their names.
  public init(row: Row) throws { try self.init(decoding: row) }

  /// Creates a record from a row by its `init(from:)`.
  init(decoding row: Row) throws {
    self = try RowDecodingError.of(Self.self) {
      try Self(from: RecordDecoder(row: row, at: DecodingPlace(record: Self.self)))
    }
  }
}
