/// Decodes a list of rows into an array, a set, or any other `Decodable` collection.
final class RowsDecoder: Decoder, UnkeyedDecodingContainer {
  let rows: [Row]
  let place: DecodingPlace
  private(set) var currentIndex = 0
  /// How the last element was decoded; the next one usually has the same type.
  private var reading: (type: any Decodable.Type, RowReading)?
  var codingPath: [any CodingKey] { place.codingPath }
  var userInfo: [CodingUserInfoKey: Any] { place.userInfo }
  var count: Int? { rows.count }
  var isAtEnd: Bool { currentIndex >= rows.count }

  init(rows: [Row], at place: DecodingPlace) {
    self.rows = rows
    self.place = place.settled
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    throw RowDecodingError(.mismatch(found: "a collection"), key: "", type: Row.self)
  }

  func unkeyedContainer() -> any UnkeyedDecodingContainer { RowsDecoder(rows: rows, at: place) }

  func singleValueContainer() throws -> any SingleValueDecodingContainer {
    throw RowDecodingError(.mismatch(found: "a collection"), key: "", type: Row.self)
  }

  /// Returns the next row and its position.
  private func next() throws -> (row: Row, place: DecodingPlace) {
    guard rows.indices.contains(currentIndex) else {
      throw RowDecodingError(.keyNotFound, key: "\(currentIndex)", type: Row.self)
    }
    defer { currentIndex += 1 }
    return (rows[currentIndex], place.below(ElementKey(currentIndex)))
  }

  private func nextDecoder() throws -> RecordDecoder {
    let (row, place) = try next()
    return RecordDecoder(row: row, at: place)
  }

  func decodeNil() -> Bool {
    guard rows.indices.contains(currentIndex), rows[currentIndex].containsOnlyNulls else { return false }
    currentIndex += 1
    return true
  }

  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    let (row, place) = try next()
    let reading = reading.flatMap { $0.type == type ? $0.1 : nil } ?? RowReading(type)
    self.reading = (type, reading)
    return try RowDecodingError.below(String(currentIndex - 1)) {
      try reading.value(of: row, as: type, at: place)
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
