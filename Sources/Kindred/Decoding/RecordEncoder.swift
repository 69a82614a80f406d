import Foundation
import KindredSQLSyntax

/// Encodes the properties of a record into columns; properties that no column can hold directly become JSON.
final class RecordEncoder: Encoder {
  @exclusivity(unchecked) private var container = PersistenceContainer.withSpace()
  /// The first position at which the record requested a container that no column can represent.
  private var misplaced: [any CodingKey]?
  private let record: any EncodableRecord.Type
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { record.databaseEncodingUserInfo }

  /// How the names of properties become names of columns.
  private let naming: DatabaseColumnEncodingStrategy

  init(_ record: any EncodableRecord.Type) {
    self.record = record
    naming = record.databaseColumnEncodingStrategy
  }

  /// Returns the name of the column of a property.
  private func column(of key: some CodingKey) -> String {
    if case .useDefaultKeys = naming { key.stringValue } else { naming.column(of: key) }
  }

  /// Returns the value of a property in its column.
  private func value<Value: Encodable>(_ value: Value, _ key: some CodingKey, column: String) throws
    -> SQLValue
  {
    switch value {
    case let date as Date:
      return try stored(record.databaseDateEncodingStrategy(for: column).value(of: date), key)
    case let data as Data:
      return try stored(record.databaseDataEncodingStrategy(for: column).value(of: data), key)
    case let uuid as UUID: return record.databaseUUIDEncodingStrategy(for: column).value(of: uuid)
    case let value as any DatabaseValueConvertible: return try stored(value.databaseValue, key)
    default: break
    }
    let detector = CompositeDetector(codingPath: [key], userInfo: userInfo)
    try value.encode(to: detector)
    guard detector.isComposite else { return try stored(detector.value?.databaseValue ?? .null, key) }
    return .text(String(decoding: try record.databaseJSONEncoder(for: column).encode(value), as: UTF8.self))
  }

  /// Returns the value of a property.
  ///
  /// - Throws: `EncodingError` if it can't be stored.
  private func stored(_ value: DatabaseValue, _ key: some CodingKey) throws -> SQLValue {
    guard let failure = value.failure else { return value.sqlValue }
    throw EncodingError.invalidValue(
      value, EncodingError.Context(codingPath: [key], debugDescription: failure.reason))
  }

  /// Returns the columns that have been encoded.
  ///
  /// - Throws: `EncodingError` if something was encoded that no column can represent, which containers can't throw.
  func finished(_ value: some Encodable) throws -> PersistenceContainer {
    guard let misplaced else { return container }
    let place = misplaced.isEmpty ? "a record" : "the column \(misplaced[0].stringValue)"
    throw EncodingError.invalidValue(
      value,
      EncodingError.Context(
        codingPath: misplaced,
        debugDescription: "\(place) can't be encoded in parts; encode one Encodable value per column"))
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    KeyedEncodingContainer(ColumnContainer(encoder: self))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer { discarding(at: []).unkeyedContainer() }

  func singleValueContainer() -> any SingleValueEncodingContainer { Whole(encoder: self) }

  /// Records that the record can't be represented, and returns an encoder that discards its input.
  private func discarding(at path: [any CodingKey]) -> CompositeDetector {
    misplaced = misplaced ?? path
    return CompositeDetector(codingPath: path, userInfo: userInfo)
  }

  /// The container of a record that encodes itself as another value, whose properties become the columns.
  private struct Whole: SingleValueEncodingContainer {
    let encoder: RecordEncoder
    var codingPath: [any CodingKey] { [] }

    func encodeNil() { _ = encoder.discarding(at: []) }

    func encode<Value: Encodable>(_ value: Value) throws {
      if value is any DatabaseValueConvertible {
        _ = encoder.discarding(at: [])
      } else {
        try value.encode(to: encoder)
      }
    }
  }

  private struct ColumnContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let encoder: RecordEncoder
    var codingPath: [any CodingKey] { [] }

    func encodeNil(forKey key: Key) { encoder.container.set(.null, for: encoder.column(of: key)) }

    func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
      let name = encoder.column(of: key)
      encoder.container.set(try encoder.value(value, key, column: name), for: name)
    }

    func encodeIfPresent<Value: Encodable>(_ value: Value?, forKey key: Key) throws {
      if let value { try encode(value, forKey: key) } else { encodeNil(forKey: key) }
    }

    // Without these, Swift prefers its default implementations, which omit NULL, to the generic method above.
    func encodeIfPresent(_ value: Bool?, forKey key: Key) throws { try set(value?.databaseValue, key) }
    func encodeIfPresent(_ value: String?, forKey key: Key) throws { try set(value?.databaseValue, key) }
    func encodeIfPresent(_ value: Double?, forKey key: Key) throws { try set(value?.databaseValue, key) }
    func encodeIfPresent(_ value: Float?, forKey key: Key) throws { try set(value?.databaseValue, key) }
    func encodeIfPresent(_ value: Int?, forKey key: Key) throws { try set(value?.databaseValue, key) }
    func encodeIfPresent(_ value: Int8?, forKey key: Key) throws { try set(value?.databaseValue, key) }
    func encodeIfPresent(_ value: Int16?, forKey key: Key) throws { try set(value?.databaseValue, key) }
    func encodeIfPresent(_ value: Int32?, forKey key: Key) throws { try set(value?.databaseValue, key) }
    func encodeIfPresent(_ value: Int64?, forKey key: Key) throws { try set(value?.databaseValue, key) }
    func encodeIfPresent(_ value: UInt?, forKey key: Key) throws { try set(value?.databaseValue, key) }
    func encodeIfPresent(_ value: UInt8?, forKey key: Key) throws { try set(value?.databaseValue, key) }
    func encodeIfPresent(_ value: UInt16?, forKey key: Key) throws { try set(value?.databaseValue, key) }
    func encodeIfPresent(_ value: UInt32?, forKey key: Key) throws { try set(value?.databaseValue, key) }
    func encodeIfPresent(_ value: UInt64?, forKey key: Key) throws { try set(value?.databaseValue, key) }

    // Shortcuts for the most frequent types, which avoid looking up their conformances.
    func encode(_ value: Bool, forKey key: Key) throws { try set(value.databaseValue, key) }
    func encode(_ value: String, forKey key: Key) throws { try set(value.databaseValue, key) }
    func encode(_ value: Double, forKey key: Key) throws { try set(value.databaseValue, key) }
    func encode(_ value: Int, forKey key: Key) throws { try set(value.databaseValue, key) }
    func encode(_ value: Int64, forKey key: Key) throws { try set(value.databaseValue, key) }

    private func set(_ value: DatabaseValue?, _ key: Key) throws {
      encoder.container.set(
        try value.map { try encoder.stored($0, key) } ?? .null, for: encoder.column(of: key))
    }

    func nestedContainer<Nested: CodingKey>(
      keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> { encoder.discarding(at: [key]).container(keyedBy: type) }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
      encoder.discarding(at: [key]).unkeyedContainer()
    }

    func superEncoder() -> any Encoder { encoder }

    func superEncoder(forKey key: Key) -> any Encoder { encoder }
  }
}
