import Synchronization

/// How a type is decoded from a row: by the initializer of a record type, from the first column, or else by its properties.
struct RowReading: @unchecked Sendable {
  // Types have no state.
  /// The type if it is a record.
  let record: (any FetchableRecord.Type)?
  /// The type if its values are stored in columns.
  let column: (any DatabaseValueConvertible.Type)?
  /// The type if it is a list of values that are decoded from rows.
  let list: (any RowList.Type)?

  private static let known = Mutex<[ObjectIdentifier: RowReading]>([:])

  /// Returns how a type is decoded.
  static func of(_ type: any Decodable.Type) -> RowReading {
    // A conformance takes longer to find than a value in a dictionary.
    let id = ObjectIdentifier(type)
    if let reading = known.withLock({ $0[id] }) { return reading }
    let reading = RowReading(
      record: type as? any FetchableRecord.Type, column: type as? any DatabaseValueConvertible.Type,
      list: type as? any RowList.Type)
    known.withLock { $0[id] = reading }
    return reading
  }

  /// Returns the value of a row.
  ///
  /// `type` must be the type that this value was created for.
  func value<Value: Decodable>(
    of row: Row, as type: Value.Type, at place: @autoclosure () -> DecodingPlace
  ) throws -> Value {
    if let record { return try record.read(from: row, as: type) }
    if let column { return try column.read(from: row, atIndex: 0, as: type) }
    return try Value(from: RecordDecoder(row: row, at: place()))
  }

  /// Returns the value of a list of rows.
  ///
  /// `type` must be the type that this value was created for.
  func value<Value: Decodable>(
    of rows: [Row], as type: Value.Type, at place: DecodingPlace
  ) throws -> Value {
    try list?.read(from: rows, as: type, at: place) ?? Value(from: RowsDecoder(rows: rows, at: place))
  }
}

extension FetchableRecord {
  /// Returns the record as a `Value`, which must be this type.
  fileprivate static func read<Value>(from row: Row, as type: Value.Type) throws -> Value {
    try identical(Self(row: row), as: type)
  }
}

extension DatabaseValueConvertible {
  /// Returns the value of a column as a `Value`, which must be this type.
  static func read<Value>(from row: Row, atIndex index: Int, as type: Value.Type) throws -> Value {
    try identical(row.decode(Self.self, atIndex: index), as: type)
  }
}

/// A list whose elements are decoded from one row each, as ``RowsDecoder`` decodes them, but without a container.
protocol RowList {
  /// Returns the list of the values of rows as a `Value`, which must be this type.
  static func read<Value>(from rows: [Row], as type: Value.Type, at place: DecodingPlace) throws -> Value
}

extension Array: RowList where Element: Decodable {
  static func read<Value>(from rows: [Row], as type: Value.Type, at place: DecodingPlace) throws -> Value {
    let reading = RowReading.of(Element.self)
    var elements: [Element] = []
    elements.reserveCapacity(rows.count)
    for (index, row) in rows.enumerated() {
      let element = try RowDecodingError.below(String(index)) {
        try reading.value(of: row, as: Element.self, at: place.below(ElementKey(index)))
      }
      elements.append(element)
    }
    return try identical(elements, as: type)
  }
}

/// Returns a value as its known type.
private func identical<Value, Other>(_ value: Value, as type: Other.Type) throws -> Other {
  // A dynamic cast would look up both types for each value.
  if Value.self == Other.self { return unsafeBitCast(value, to: Other.self) }
  throw RowDecodingError(.mismatch(found: "another type"), key: "", type: type)
}
