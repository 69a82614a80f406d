/// Decodes Decodable types from rows.
///
/// A property is the column of its name; or the collection, or the associated record, that a breadth-first search
/// finds under its name; or, being found nowhere, it is the record of the row itself.
///
/// A class, so that what Swift makes of it for each record and for each container is one reference.
final class RecordDecoder: Decoder {
  let row: Row
  let place: DecodingPlace
  /// Most types name their properties in the order of the columns: where the next one probably is.
  private var expectedPosition = 0

  var codingPath: [any CodingKey] { place.codingPath }
  var userInfo: [CodingUserInfoKey: Any] { place.userInfo }

  init(row: Row, at place: DecodingPlace) {
    self.row = row
    self.place = place
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

  /// A row that is decoded as one value: of its first column, or a record.
  private struct SingleValue: SingleValueDecodingContainer {
    let row: Row
    let place: DecodingPlace
    var codingPath: [any CodingKey] { place.codingPath }

    func decodeNil() -> Bool { row.hasNull(atIndex: 0) }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
      try RowReading(type).value(of: row, as: type, at: place)
    }
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
  func value<Value: Decodable>(of row: Row, as type: Value.Type, at place: DecodingPlace) throws -> Value {
    switch self {
    case .record(let record): try record.read(from: row, as: type)
    case .column(let column): try column.read(from: row, atIndex: 0, as: type)
    case .properties: try Value(from: RecordDecoder(row: row, at: place))
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
