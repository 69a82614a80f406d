import Foundation
import KindredSQLSyntax

/// Decodes Decodable types from rows.
///
/// A property is the column of its name; or the collection, or the associated record, that a breadth-first search
/// finds under its name; or, being found nowhere, it is the record of the row itself.
struct RecordDecoder: Decoder {
  let row: Row
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  static func decode<Value: Decodable>(_ type: Value.Type, from row: Row) throws -> Value {
    try Value(from: RecordDecoder(row: row))
  }

  /// The value of a type that may be a record with an initialiser of its own, a value, or any Decodable type.
  static func element<Value: Decodable>(_ type: Value.Type, from row: Row) throws -> Value {
    if let type = Value.self as? any FetchableRecord.Type, let record = try type.init(row: row) as? Value {
      return record
    }
    if let type = Value.self as? any DatabaseValueConvertible.Type {
      return try value(type, atIndex: 0, of: row)
    }
    return try Value(from: RecordDecoder(row: row))
  }

  /// The value of a column, as a type that is known to be `Result`.
  static func value<Result>(
    _ type: any DatabaseValueConvertible.Type, atIndex index: Int, of row: Row
  ) throws -> Result {
    guard let value = try row.decode(type, atIndex: index) as? Result else {
      throw RowDecodingError(.mismatch(found: "another type"), key: "\(index)", type: Result.self)
    }
    return value
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
    KeyedDecodingContainer(RowContainer(row: row))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    throw RowDecodingError(.keyNotFound, key: "", type: [Row].self)
  }

  func singleValueContainer() -> any SingleValueDecodingContainer {
    ColumnDecoder(row: row, index: 0, key: row.layout.columns.first?.name ?? "")
  }
}

/// A collection of rows, for arrays, sets, and any other collection that decodes itself.
struct RowsDecoder: Decoder, UnkeyedDecodingContainer {
  let rows: [Row]
  var currentIndex = 0
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }
  var count: Int? { rows.count }
  var isAtEnd: Bool { currentIndex >= rows.count }

  init(rows: [Row]) {
    self.rows = rows
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    throw RowDecodingError(.mismatch(found: "a collection"), key: "", type: Row.self)
  }

  func unkeyedContainer() -> any UnkeyedDecodingContainer { RowsDecoder(rows: rows) }

  func singleValueContainer() throws -> any SingleValueDecodingContainer {
    throw RowDecodingError(.mismatch(found: "a collection"), key: "", type: Row.self)
  }

  private mutating func nextRow() throws -> Row {
    guard rows.indices.contains(currentIndex) else {
      throw RowDecodingError(.keyNotFound, key: "\(currentIndex)", type: Row.self)
    }
    defer { currentIndex += 1 }
    return rows[currentIndex]
  }

  mutating func decodeNil() -> Bool {
    guard rows.indices.contains(currentIndex), rows[currentIndex].containsOnlyNulls else { return false }
    currentIndex += 1
    return true
  }

  mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    try RecordDecoder.element(type, from: try nextRow())
  }

  mutating func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type
  ) throws -> KeyedDecodingContainer<Nested> { RecordDecoder(row: try nextRow()).container(keyedBy: type) }

  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    try RecordDecoder(row: try nextRow()).unkeyedContainer()
  }

  mutating func superDecoder() throws -> any Decoder { RecordDecoder(row: try nextRow()) }
}

/// A column, for types that are no values of a database by themselves: enumerations of Codable, and JSON.
struct ColumnDecoder: Decoder, SingleValueDecodingContainer {
  /// The column holds something with parts.
  private struct NotSingleValue: Error {}

  let row: Row
  let index: Int
  let key: String
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func decodeColumn<Value: Decodable>(_ type: Value.Type) throws -> Value {
    do {
      return try Value(from: self)
    } catch is NotSingleValue {
      let json: Data = try row.decode(atIndex: index)
      return try JSONDecoder().decode(type, from: json)
    }
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    throw NotSingleValue()
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw NotSingleValue() }

  func singleValueContainer() -> any SingleValueDecodingContainer { self }

  func decodeNil() -> Bool { row.hasNull(atIndex: index) }

  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    if let type = Value.self as? any DatabaseValueConvertible.Type {
      return try RecordDecoder.value(type, atIndex: index, of: row)
    }
    return try Value(from: self)
  }
}
