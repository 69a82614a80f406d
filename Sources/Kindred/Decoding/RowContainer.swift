/// The properties of a record in a row.
struct RowContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let row: Row
  var codingPath: [any CodingKey] { [] }
  var allKeys: [Key] { row.columnNames.compactMap(Key.init(stringValue:)) }

  private func position(_ key: Key) -> Int? { row.layout.position(of: key.stringValue) }

  func contains(_ key: Key) -> Bool {
    position(key) != nil || row.prefetchedRows[key.stringValue] != nil
      || row.scopesTree[key.stringValue] != nil
  }

  func decodeNil(forKey key: Key) -> Bool {
    if let position = position(key) { return row.hasNull(atIndex: position) }
    return !isInTree(key)
  }

  func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
    let name = key.stringValue
    if let position = position(key) {
      if let type = Value.self as? any DatabaseValueConvertible.Type {
        return try RecordDecoder.value(type, atIndex: position, of: row)
      }
      if row.prefetchedRows[name] == nil {
        return try ColumnDecoder(row: row, index: position, key: name).decodeColumn(type)
      }
    }
    return try decodeTree(type, forKey: key)
  }

  func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
    guard let position = position(key) else { return try decodeTreeIfPresent(type, forKey: key) }
    return row.hasNull(atIndex: position) ? nil : try decode(type, forKey: key)
  }

  // MARK: The tree

  /// Whether there is a collection, or a record that is there, of that key.
  private func isInTree(_ key: Key) -> Bool {
    let name = key.stringValue
    return row.prefetchedRows[name] != nil || row.scopesTree[name]?.containsOnlyNulls == false
  }

  /// What is no column of the row.
  private func decodeTree<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
    let name = key.stringValue
    if let rows = row.prefetchedRows[name] { return try Value(from: RowsDecoder(rows: rows)) }
    if let scope = row.scopesTree[name] { return try RecordDecoder.element(type, from: scope) }
    guard !(Value.self is any DatabaseValueConvertible.Type) else {
      throw RowDecodingError(.columnNotFound, key: name, type: type)
    }
    // The property that holds the record itself may have any name.
    do {
      return try RecordDecoder.element(type, from: row)
    } catch let error as RowDecodingError where error.reason == .keyNotFound {
      throw RowDecodingError(.keyNotFound, key: name, type: type)
    }
  }

  private func decodeTreeIfPresent<Value: Decodable>(
    _ type: Value.Type, forKey key: Key
  ) throws -> Value? { isInTree(key) ? try decodeTree(type, forKey: key) : nil }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) -> KeyedDecodingContainer<Nested> {
    KeyedDecodingContainer(RowContainer<Nested>(row: row.scopesTree[key.stringValue] ?? row))
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    guard let rows = row.prefetchedRows[key.stringValue] else {
      throw RowDecodingError(.keyNotFound, key: key.stringValue, type: [Row].self)
    }
    return RowsDecoder(rows: rows)
  }

  func superDecoder() -> any Decoder { RecordDecoder(row: row) }

  func superDecoder(forKey key: Key) -> any Decoder {
    RecordDecoder(row: row.scopesTree[key.stringValue] ?? row)
  }
}

// MARK: - Values

/// Values of the types that most properties have, without asking what else the type may be.
extension RowContainer {
  func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try value(type, key) }
  func decode(_ type: String.Type, forKey key: Key) throws -> String { try value(type, key) }
  func decode(_ type: Double.Type, forKey key: Key) throws -> Double { try value(type, key) }
  func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try value(type, key) }
  func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 { try value(type, key) }

  func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? { try optional(type, key) }
  func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? { try optional(type, key) }
  func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? { try optional(type, key) }
  func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? { try optional(type, key) }
  func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? { try optional(type, key) }

  private func value<Value: Decodable & DatabaseValueConvertible>(
    _ type: Value.Type, _ key: Key
  ) throws -> Value {
    guard let position = position(key) else { return try decodeTree(type, forKey: key) }
    return try row.decode(type, atIndex: position)
  }

  private func optional<Value: Decodable & DatabaseValueConvertible>(
    _ type: Value.Type, _ key: Key
  ) throws -> Value? {
    guard let position = position(key) else { return try decodeTreeIfPresent(type, forKey: key) }
    return row.hasNull(atIndex: position) ? nil : try row.decode(type, atIndex: position)
  }
}
