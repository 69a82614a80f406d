/// Associated records and collections by the keys of their associations, found by breadth-first search.
///
///     let author: Author = try row["author"]
///     let country: Country? = row["country"]
///     let books: [Book] = row["books"]
extension Row {
  /// The associated record of a key.
  ///
  /// - Throws: `RowDecodingError` if there is no record of that key; the error that decoding throws.
  public subscript<Record: FetchableRecord>(key: String) -> Record {
    get throws { try decode(forKey: key) }
  }

  /// Returns the associated record of a key.
  ///
  /// - Throws: `RowDecodingError` if there is no record of that key; the error that decoding throws.
  public func decode<Record: FetchableRecord>(
    _ type: Record.Type = Record.self, forKey key: String
  ) throws -> Record {
    guard let scope = scopesTree[key] else {
      throw RowDecodingError(.keyNotFound, key: key, type: Record.self)
    }
    return try RowDecodingError.below(key) { try Record.decoded(from: scope) }
  }

  /// Returns the associated record of a key; `nil` if there is none, or all of its columns are NULL.
  ///
  /// - Throws: The error that decoding throws.
  public func decodeIfPresent<Record: FetchableRecord>(
    _ type: Record.Type = Record.self, forKey key: String
  ) throws -> Record? {
    guard let scope = scopesTree[key], !scope.containsOnlyNulls else { return nil }
    return try RowDecodingError.below(key) { try Record.decoded(from: scope) }
  }

  /// The associated record of a key; `nil` if there is none, or all of its columns are NULL.
  ///
  /// An error of decoding is thrown by the fetch.
  public subscript<Record: FetchableRecord>(key: String) -> Record? {
    recordingFailures { try decodeIfPresent(forKey: key) } ?? nil
  }

  /// The records of the collection of a key; if there is no such collection, an empty array, and the fetch throws.
  ///
  /// An error of decoding is thrown by the fetch.
  public subscript<Record: FetchableRecord>(key: String) -> [Record] {
    recordingFailures { try records(key) } ?? []
  }

  /// The distinct records of the collection of a key; if there is no such collection, an empty set, and the fetch
  /// throws.
  ///
  /// An error of decoding is thrown by the fetch.
  public subscript<Record: FetchableRecord & Hashable>(key: String) -> Set<Record> {
    Set(recordingFailures { try records(key) } ?? [])
  }

  /// Returns the records of the collection of a key.
  ///
  /// - Throws: `RowDecodingError` if there is no such collection; the error that decoding throws.
  public func decode<Record: FetchableRecord>(
    _ type: [Record].Type = [Record].self, forKey key: String
  ) throws -> [Record] { try records(key) }

  /// Returns the distinct records of the collection of a key.
  ///
  /// - Throws: `RowDecodingError` if there is no such collection; the error that decoding throws.
  public func decode<Record: FetchableRecord & Hashable>(
    _ type: Set<Record>.Type = Set<Record>.self, forKey key: String
  ) throws -> Set<Record> { Set(try records(key)) }

  private func records<Record: FetchableRecord>(_ key: String) throws -> [Record] {
    guard let rows = prefetchedRows[key] else {
      throw RowDecodingError(.keyNotFound, key: key, type: [Record].self)
    }
    return try RowDecodingError.below(key) {
      try rows.enumerated().map { index, row in
        try RowDecodingError.below(String(index)) { try Record.decoded(from: row) }
      }
    }
  }

  private func recordingFailures<Value>(_ decode: () throws -> Value) -> Value? {
    do {
      return try decode()
    } catch {
      failures.record(error)
      return nil
    }
  }
}
