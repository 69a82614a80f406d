import Foundation

/// Decodes `Decodable` types from rows.
///
/// A property is decoded from the column of its name; else from the collection, or the associated record, that a
/// breadth-first search finds under its name; else from the row itself.
///
/// It is a class so that the existentials and containers that Swift creates for each record copy one reference
/// only.
final class RecordDecoder: Decoder {
  let row: Row
  let place: DecodingPlace
  /// The likely position of the next property: most types declare their properties in the order of the columns.
  private var expectedPosition = 0
  /// How the names of columns become names of properties.
  let naming: DatabaseColumnDecodingStrategy
  /// The positions of the columns by the names of properties; nil if these are the names of the columns.
  private let positions: [String: Int]?

  var codingPath: [any CodingKey] { place.codingPath }
  var userInfo: [CodingUserInfoKey: Any] { place.userInfo }

  init(row: Row, at place: DecodingPlace) {
    self.row = row
    self.place = place
    naming = place.record?.databaseColumnDecodingStrategy ?? .useDefaultKeys
    if let record = place.record, !naming.isDefault {
      positions = row.layout.positions(for: record, naming.key)
    } else {
      positions = nil
    }
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
    KeyedDecodingContainer(RowContainer(decoder: self))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    throw RowDecodingError(.keyNotFound, key: "", type: [Row].self)
  }

  func singleValueContainer() -> any SingleValueDecodingContainer {
    SingleValue(row: row, place: place)
  }

  /// Decodes a row into one value: a record, or the value of the first column.
  private struct SingleValue: SingleValueDecodingContainer {
    let row: Row
    let place: DecodingPlace
    var codingPath: [any CodingKey] { place.codingPath }

    func decodeNil() -> Bool { row.hasNull(atIndex: 0) }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
      try RowReading.of(type).value(of: row, as: type, at: place)
    }
  }

  /// Returns the position of the column of a property.
  func find(_ name: String) -> Int? {
    if let positions { positions[name] } else { row.layout.position(of: name) }
  }

  /// Returns the position of the column of a property, which is likely to follow the last one.
  func position(of name: String) -> Int? {
    if positions == nil, row.layout.isColumn(at: expectedPosition, named: name) {
      expectedPosition += 1
      return expectedPosition - 1
    }
    guard let position = find(name) else { return nil }
    expectedPosition = position + 1
    return position
  }

  /// Returns the value of a column as a `Value`, which must be `column`; dates and data as the record says.
  func value<Value>(
    _ column: any DatabaseValueConvertible.Type, at position: Int, as type: Value.Type
  ) throws -> Value {
    let isDate = type == Date.self || type == Date?.self
    let isOptional = type == Date?.self || type == Data?.self
    // A strategy may have a value for NULL, but only where the property needs one.
    guard let record = place.record, isDate || type == Data.self || type == Data?.self,
      !(isOptional && row.hasNull(atIndex: position))
    else { return try column.read(from: row, atIndex: position, as: type) }
    let (name, stored) = (row.layout.columns[position].name, DatabaseValue(row.value(at: position)))
    let value: Any? =
      isDate
      ? record.databaseDateDecodingStrategy(for: name).date(stored)
      : record.databaseDataDecodingStrategy(for: name).data(stored)
    guard let known = value, let value = known as? Value else {
      throw RowDecodingError(.mismatch(found: stored.sqlValue.typeName), key: name, type: type)
    }
    return value
  }

  /// Returns the value of a column; nil if there is no such column.
  func column<Value: DatabaseValueConvertible>(_ type: Value.Type, _ name: String) throws
    -> Value?
  {
    try position(of: name).map { try row.decode(type, at: $0, key: name) }
  }

  /// Returns the value of a column, `.some(nil)` for NULL; nil if there is no such column.
  func optionalColumn<Value: DatabaseValueConvertible>(
    _ type: Value.Type, _ name: String
  ) throws -> Value?? {
    guard let position = position(of: name) else { return nil }
    return row.hasNull(atIndex: position) ? .some(nil) : try row.decode(type, at: position, key: name)
  }
}
