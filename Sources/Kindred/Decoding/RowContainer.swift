/// Decodes the properties of a record from a row.
struct RowContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let decoder: RecordDecoder
  var codingPath: [any CodingKey] { decoder.codingPath }
  var allKeys: [Key] { row.columnNames.compactMap { Key(stringValue: decoder.naming.key(of: $0)) } }

  private var row: Row { decoder.row }

  func contains(_ key: Key) -> Bool {
    let name = key.stringValue
    return decoder.find(name) != nil || row.prefetchedRows[name] != nil
      || row.scopesTree[name] != nil
  }

  func decodeNil(forKey key: Key) -> Bool {
    let name = key.stringValue
    if let position = decoder.find(name) {
      return row.hasNull(atIndex: position)
    }
    if row.prefetchedRows[name] != nil { return false }
    return row.scopesTree[name]?.containsOnlyNulls ?? true
  }

  func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
    try value(type, key)
  }

  private func value<Value: Decodable>(_ type: Value.Type, _ key: Key) throws -> Value {
    let name = key.stringValue
    let position = decoder.position(of: name)
    let reading = RowReading.of(type)
    if let position, let column = reading.column {
      return try decoder.value(column, at: position, as: type)
    }
    if let rows = row.prefetchedRows[name] {
      return try RowDecodingError.below(name) {
        try reading.value(of: rows, as: type, at: decoder.place.below(key))
      }
    }
    if let position {
      return try ColumnDecoder(row: row, index: position, name: name, place: decoder.place.below(key))
        .decodeColumn(type)
    }
    if let scope = row.scopesTree[name] {
      return try RowDecodingError.below(name) {
        try reading.value(of: scope, as: type, at: decoder.place.below(key))
      }
    }
    // The property that holds the requested record itself may have any name.
    if reading.record == nil, reading.column != nil {
      throw RowDecodingError(.columnNotFound, key: name, type: type)
    }
    guard let row = row.forItself else { throw RowDecodingError(.keyNotFound, key: name, type: type) }
    do {
      return try reading.value(of: row, as: type, at: decoder.place.below(key))
    } catch let error as RowDecodingError where error.reason == .keyNotFound {
      throw RowDecodingError(.keyNotFound, key: name, type: type)
    }
  }

  func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
    try valueIfPresent(type, key)
  }

  private func valueIfPresent<Value: Decodable>(_ type: Value.Type, _ key: Key) throws -> Value? {
    if let position = decoder.position(of: key.stringValue) {
      if row.hasNull(atIndex: position) { return nil }
      if let column = RowReading.of(type).column {
        return try decoder.value(column, at: position, as: type)
      }
    }
    return contains(key) && !decodeNil(forKey: key) ? try value(type, key) : nil
  }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) -> KeyedDecodingContainer<Nested> { decoder(below: key).container(keyedBy: type) }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    guard let rows = row.prefetchedRows[key.stringValue] else {
      throw RowDecodingError(.keyNotFound, key: key.stringValue, type: [Row].self)
    }
    return RowsDecoder(rows: rows, at: decoder.place.below(key))
  }

  func superDecoder() -> any Decoder { RecordDecoder(row: row, at: decoder.place) }

  func superDecoder(forKey key: Key) -> any Decoder { decoder(below: key) }

  /// Returns a decoder of the associated record of a key, or else of the row itself.
  private func decoder(below key: Key) -> RecordDecoder {
    RecordDecoder(row: row.scopesTree[key.stringValue] ?? row, at: decoder.place.below(key))
  }
}

/// Shortcuts for the most frequent types of columns, which avoid looking up their conformances.
extension RowContainer {
  func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try scalar(type, key) }
  func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try scalar(type, key) }
  func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 { try scalar(type, key) }
  func decode(_ type: Double.Type, forKey key: Key) throws -> Double { try scalar(type, key) }
  func decode(_ type: String.Type, forKey key: Key) throws -> String { try scalar(type, key) }

  func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? { try optional(type, key) }
  func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? { try optional(type, key) }
  func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? { try optional(type, key) }
  func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? { try optional(type, key) }
  func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? { try optional(type, key) }

  // Inlined, so that the type is known where a column is read, though the keys are the client's.

  @inline(__always)
  private func scalar<Value: DatabaseValueConvertible & Decodable>(
    _ type: Value.Type, _ key: Key
  ) throws -> Value { try decoder.column(type, key.stringValue) ?? value(type, key) }

  @inline(__always)
  private func optional<Value: DatabaseValueConvertible & Decodable>(
    _ type: Value.Type, _ key: Key
  ) throws -> Value? { try decoder.optionalColumn(type, key.stringValue) ?? valueIfPresent(type, key) }
}
