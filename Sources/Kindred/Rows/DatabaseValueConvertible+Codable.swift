import Foundation

/// Types that are stored as they encode themselves: a single value as such, anything else as JSON.
///
///     struct Color: Codable, DatabaseValueConvertible { var red, green, blue: Double }
extension DatabaseValueConvertible where Self: Encodable {
  /// The single value that this one encodes itself as, or else its JSON.
  ///
  /// If it can't be encoded, the statement that it is bound to throws.
  public var databaseValue: DatabaseValue {
    do {
      let detector = CompositeDetector(codingPath: [], userInfo: [:])
      try encode(to: detector)
      guard detector.isComposite else { return detector.value?.databaseValue ?? .null }
      return String(decoding: try Self.databaseJSONEncoder().encode(self), as: UTF8.self).databaseValue
    } catch {
      return DatabaseValue(UnstorableValue(Self.self, error.encodingReason))
    }
  }
}

extension Error {
  /// The message of an error of encoding, without the value.
  fileprivate var encodingReason: String {
    guard case .invalidValue(_, let context)? = self as? EncodingError else { return "\(self)" }
    return context.debugDescription
  }
}

extension DatabaseValueConvertible where Self: Decodable {
  /// Returns the value that a single value or a JSON text stands for.
  public static func fromDatabaseValue(_ value: DatabaseValue) -> Self? {
    guard !value.isNull else { return nil }
    let row = Row(["value": value])
    let place = DecodingPlace(ofValues: Self.self)
    return try? ColumnDecoder(row: row, index: 0, name: "value", place: place).decodeColumn(Self.self)
  }
}

// Swift's own types, and enumerations with raw values, are stored by these rules also if they are `Codable`.

extension DatabaseValueConvertible
where Self: Encodable & RawRepresentable, RawValue: DatabaseValueConvertible {
  /// The raw value.
  public var databaseValue: DatabaseValue { rawValue.databaseValue }
}

extension DatabaseValueConvertible
where Self: Decodable & RawRepresentable, RawValue: DatabaseValueConvertible {
  /// Returns the case with the stored raw value.
  public static func fromDatabaseValue(_ value: DatabaseValue) -> Self? {
    RawValue.fromDatabaseValue(value).flatMap(Self.init(rawValue:))
  }
}

extension DatabaseValueConvertible where Self: Encodable & BinaryInteger {
  /// An integer; a number that does not fit into 64 bits with a sign can't be stored, and the statement throws.
  public var databaseValue: DatabaseValue { integerValue }
}

extension DatabaseValueConvertible where Self: Decodable & BinaryInteger {
  /// Returns the value of an integer in the type's range, or of a real that equals one.
  public static func fromDatabaseValue(_ value: DatabaseValue) -> Self? { integer(of: value) }
}

extension DatabaseValueConvertible where Self: Encodable & BinaryFloatingPoint {
  /// A real; NULL for NaN.
  public var databaseValue: DatabaseValue { realValue }
}

extension DatabaseValueConvertible where Self: Decodable & BinaryFloatingPoint {
  /// Returns the value of an integer or a real.
  public static func fromDatabaseValue(_ value: DatabaseValue) -> Self? { real(of: value) }
}
