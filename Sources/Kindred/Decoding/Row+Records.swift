/// Associated records and collections by the keys of their associations, found breadth-first.
///
///     let author: Author = try row["author"]
///     let country: Country? = row["country"]
///     let books: [Book] = row["books"]
extension Row {
  /// An associated record.
  ///
  /// - Throws: `RowDecodingError` where there is none of that key; what decoding throws.
  public subscript<Record: FetchableRecord>(key: String) -> Record {
    get throws {
      guard let scope = scopesTree[key] else {
        throw RowDecodingError(.keyNotFound, key: key, type: Record.self)
      }
      return try Record(row: scope)
    }
  }

  /// An associated record; `nil` where there is none of that key, or all of its columns are NULL.
  ///
  /// What decoding throws is thrown by the fetch.
  public subscript<Record: FetchableRecord>(key: String) -> Record? {
    guard let scope = scopesTree[key], !scope.containsOnlyNulls else { return nil }
    return recordingFailures { try Record(row: scope) }
  }

  /// The records of a collection: none where there is no collection of that key, and then the fetch throws.
  ///
  /// What decoding throws is thrown by the fetch.
  public subscript<Record: FetchableRecord>(key: String) -> [Record] {
    recordingFailures { try records(key) } ?? []
  }

  /// The different records of a collection: none where there is no collection of that key, and then the fetch throws.
  ///
  /// What decoding throws is thrown by the fetch.
  public subscript<Record: FetchableRecord & Hashable>(key: String) -> Set<Record> {
    Set(recordingFailures { try records(key) } ?? [])
  }

  private func records<Record: FetchableRecord>(_ key: String) throws -> [Record] {
    guard let rows = prefetchedRows[key] else {
      throw RowDecodingError(.keyNotFound, key: key, type: [Record].self)
    }
    return try rows.map(Record.decoded)
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
