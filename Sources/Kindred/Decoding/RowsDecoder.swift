/// Decodes a list of rows into an array, a set, or any other `Decodable` collection.
final class RowsDecoder: Decoder, UnkeyedDecodingContainer {
  let rows: [Row]
  let place: DecodingPlace
  private(set) var currentIndex = 0
  /// Whether the decoder is in use as a container.
  private var isUsed = false
  var codingPath: [any CodingKey] { place.codingPath }
  var userInfo: [CodingUserInfoKey: Any] { place.userInfo }
  var count: Int? { rows.count }
  var isAtEnd: Bool { currentIndex >= rows.count }

  init(rows: [Row], at place: DecodingPlace) {
    self.rows = rows
    self.place = place
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    throw RowDecodingError(.mismatch(found: "a collection"), key: "", type: Row.self)
  }

  func unkeyedContainer() -> any UnkeyedDecodingContainer {
    defer { isUsed = true }
    // Each container begins with the first row.
    return isUsed ? RowsDecoder(rows: rows, at: place) : self
  }

  func singleValueContainer() throws -> any SingleValueDecodingContainer {
    throw RowDecodingError(.mismatch(found: "a collection"), key: "", type: Row.self)
  }

  private func next() throws -> Row {
    guard rows.indices.contains(currentIndex) else {
      throw RowDecodingError(.keyNotFound, key: "\(currentIndex)", type: Row.self)
    }
    defer { currentIndex += 1 }
    return rows[currentIndex]
  }

  private func nextDecoder() throws -> RecordDecoder {
    let place = place.below(ElementKey(currentIndex))
    return RecordDecoder(row: try next(), at: place)
  }

  func decodeNil() -> Bool {
    guard rows.indices.contains(currentIndex), rows[currentIndex].containsOnlyNulls else { return false }
    currentIndex += 1
    return true
  }

  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    let index = currentIndex
    let row = try next()
    return try RowDecodingError.below(String(index)) {
      try RowReading.of(type).value(of: row, as: type, at: place.below(ElementKey(index)))
    }
  }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type
  ) throws -> KeyedDecodingContainer<Nested> { try nextDecoder().container(keyedBy: type) }

  func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    try nextDecoder().unkeyedContainer()
  }

  func superDecoder() throws -> any Decoder { try nextDecoder() }
}
