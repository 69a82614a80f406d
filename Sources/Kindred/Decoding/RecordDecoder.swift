import Foundation
import KindredSQLSyntax

/// Decodes Decodable types from rows.
///
/// A property is the column of its name; or the collection, or the associated record, that a breadth-first search
/// finds under its name; or, being found nowhere, it is the record of the row itself.
///
/// A class, so that what Swift makes of it for each record and for each container is one reference.
final class RecordDecoder: Decoder {
  let row: Row
  /// Most types name their properties in the order of the columns: where the next one probably is.
  private var expectedPosition = 0

  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  init(row: Row) {
    self.row = row
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
    KeyedDecodingContainer(RowContainer(decoder: self))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    throw RowDecodingError(.keyNotFound, key: "", type: [Row].self)
  }

  func singleValueContainer() -> any SingleValueDecodingContainer {
    ColumnDecoder(row: row, index: 0, key: row.layout.columns.first?.name ?? "")
  }

  /// The position of the column of a name.
  func position(of name: String) -> Int? {
    let columns = row.layout.columns
    if columns.indices.contains(expectedPosition), columns[expectedPosition].name == name {
      expectedPosition += 1
      return expectedPosition - 1
    }
    guard let position = row.layout.position(of: name) else { return nil }
    expectedPosition = position + 1
    return position
  }

  /// The value of a column; nil where there is no such column.
  func column<Value: DatabaseValueConvertible>(_ type: Value.Type, _ name: String) throws
    -> Value?
  {
    try position(of: name).map { try row.decode(type, at: $0, key: name) }
  }

  /// The value of a column that may be NULL; nil where there is no such column.
  func optionalColumn<Value: DatabaseValueConvertible>(
    _ type: Value.Type, _ name: String
  ) throws -> Value?? {
    guard let position = position(of: name) else { return nil }
    return row.hasNull(atIndex: position) ? .some(nil) : try row.decode(type, at: position, key: name)
  }
}

/// How a value is made of a row, as far as its type tells.
enum RowReading {
  /// By the type's own initialiser.
  case record(any FetchableRecord.Type)
  /// Of the first column.
  case column(any DatabaseValueConvertible.Type)
  /// By its properties.
  case properties

  init(_ type: any Decodable.Type) {
    if let type = type as? any FetchableRecord.Type {
      self = .record(type)
    } else if let type = type as? any DatabaseValueConvertible.Type {
      self = .column(type)
    } else {
      self = .properties
    }
  }

  /// The value of `row`, of the type that this is the reading of.
  func value<Value: Decodable>(of row: Row, as type: Value.Type) throws -> Value {
    switch self {
    case .record(let record): try record.read(from: row, as: type)
    case .column(let column): try column.read(from: row, atIndex: 0, as: type)
    case .properties: try Value(from: RecordDecoder(row: row))
    }
  }
}

extension FetchableRecord {
  /// The record as `Value`, which is this type.
  static func read<Value>(from row: Row, as type: Value.Type) throws -> Value {
    try identical(Self(row: row), as: type)
  }
}

extension DatabaseValueConvertible {
  /// The value of a column as `Value`, which is this type.
  static func read<Value>(from row: Row, atIndex index: Int, as type: Value.Type) throws -> Value {
    try identical(row.decode(Self.self, atIndex: index), as: type)
  }
}

/// A value under another name of its type.
private func identical<Value, Other>(_ value: Value, as type: Other.Type) throws -> Other {
  // A cast would look both types up, for each value.
  if Value.self == Other.self { return unsafeBitCast(value, to: Other.self) }
  throw RowDecodingError(.mismatch(found: "another type"), key: "", type: type)
}

/// A collection of rows, for arrays, sets, and any other collection that decodes itself.
final class RowsDecoder: Decoder, UnkeyedDecodingContainer {
  let rows: [Row]
  private(set) var currentIndex = 0
  /// Of the type of the last element, which is that of the next one.
  private var reading: (type: any Decodable.Type, RowReading)?
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

  private func nextRow() throws -> Row {
    guard rows.indices.contains(currentIndex) else {
      throw RowDecodingError(.keyNotFound, key: "\(currentIndex)", type: Row.self)
    }
    defer { currentIndex += 1 }
    return rows[currentIndex]
  }

  func decodeNil() -> Bool {
    guard rows.indices.contains(currentIndex), rows[currentIndex].containsOnlyNulls else { return false }
    currentIndex += 1
    return true
  }

  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    let row = try nextRow()
    if let reading, reading.type == type { return try reading.1.value(of: row, as: type) }
    let reading = RowReading(type)
    self.reading = (type, reading)
    return try reading.value(of: row, as: type)
  }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type
  ) throws -> KeyedDecodingContainer<Nested> { RecordDecoder(row: try nextRow()).container(keyedBy: type) }

  func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    try RecordDecoder(row: try nextRow()).unkeyedContainer()
  }

  func superDecoder() throws -> any Decoder { RecordDecoder(row: try nextRow()) }
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
    if let column = Value.self as? any DatabaseValueConvertible.Type {
      return try column.read(from: row, atIndex: index, as: type)
    }
    return try Value(from: self)
  }
}
