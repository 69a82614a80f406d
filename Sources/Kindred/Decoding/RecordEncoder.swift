import Foundation

/// Gives the properties of a record to a container: those that are no values of a database as JSON.
final class RecordEncoder: Encoder {
  var container = PersistenceContainer()
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    KeyedEncodingContainer(Columns(encoder: self))
  }

  // A record has columns: what encodes itself as anything else has none.
  func unkeyedContainer() -> any UnkeyedEncodingContainer { CompositeDetector().unkeyedContainer() }

  func singleValueContainer() -> any SingleValueEncodingContainer { CompositeDetector() }

  private struct Columns<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let encoder: RecordEncoder
    var codingPath: [any CodingKey] { [] }

    func encodeNil(forKey key: Key) { encoder.container[key.stringValue] = nil }

    func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
      encoder.container[key.stringValue] = try column(value)
    }

    func encodeIfPresent<Value: Encodable>(_ value: Value?, forKey key: Key) throws {
      encoder.container[key.stringValue] = try value.flatMap(column)
    }

    // Swift prefers its own defaults, which leave NULL out, to the generic method above.
    func encodeIfPresent(_ value: Bool?, forKey key: Key) { encoder.container[key.stringValue] = value }
    func encodeIfPresent(_ value: String?, forKey key: Key) { encoder.container[key.stringValue] = value }
    func encodeIfPresent(_ value: Double?, forKey key: Key) { encoder.container[key.stringValue] = value }
    func encodeIfPresent(_ value: Float?, forKey key: Key) { encoder.container[key.stringValue] = value }
    func encodeIfPresent(_ value: Int?, forKey key: Key) { encoder.container[key.stringValue] = value }
    func encodeIfPresent(_ value: Int8?, forKey key: Key) { encoder.container[key.stringValue] = value }
    func encodeIfPresent(_ value: Int16?, forKey key: Key) { encoder.container[key.stringValue] = value }
    func encodeIfPresent(_ value: Int32?, forKey key: Key) { encoder.container[key.stringValue] = value }
    func encodeIfPresent(_ value: Int64?, forKey key: Key) { encoder.container[key.stringValue] = value }
    func encodeIfPresent(_ value: UInt?, forKey key: Key) { encoder.container[key.stringValue] = value }
    func encodeIfPresent(_ value: UInt8?, forKey key: Key) { encoder.container[key.stringValue] = value }
    func encodeIfPresent(_ value: UInt16?, forKey key: Key) { encoder.container[key.stringValue] = value }
    func encodeIfPresent(_ value: UInt32?, forKey key: Key) { encoder.container[key.stringValue] = value }
    func encodeIfPresent(_ value: UInt64?, forKey key: Key) { encoder.container[key.stringValue] = value }

    private func column(_ value: some Encodable) throws -> (any DatabaseValueConvertible)? {
      if let value = value as? any DatabaseValueConvertible { return value }
      let detector = CompositeDetector()
      try value.encode(to: detector)
      guard detector.isComposite else { return detector.value }
      return String(decoding: try JSONEncoder().encode(value), as: UTF8.self)
    }

    func nestedContainer<Nested: CodingKey>(
      keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> { CompositeDetector().container(keyedBy: type) }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
      CompositeDetector().unkeyedContainer()
    }

    func superEncoder() -> any Encoder { encoder }

    func superEncoder(forKey key: Key) -> any Encoder { encoder }
  }
}

/// Encodes one value, and tells whether it is more than one.
private final class CompositeDetector: Encoder, SingleValueEncodingContainer {
  var value: (any DatabaseValueConvertible)?
  var isComposite = false
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    isComposite = true
    return KeyedEncodingContainer(Discarding<Key>(detector: self))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    isComposite = true
    return Discarding<DiscardedKey>(detector: self)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer { self }

  func encodeNil() {}

  func encode<Value: Encodable>(_ value: Value) throws {
    if let value = value as? any DatabaseValueConvertible {
      self.value = value
    } else {
      try value.encode(to: self)
    }
  }

  private struct DiscardedKey: CodingKey {
    var stringValue: String { "" }
    var intValue: Int? { nil }
    init?(stringValue: String) { nil }
    init?(intValue: Int) { nil }
  }

  /// The parts of a composite value are of no interest: JSON will have them.
  private struct Discarding<Key: CodingKey>: KeyedEncodingContainerProtocol, UnkeyedEncodingContainer {
    let detector: CompositeDetector
    var codingPath: [any CodingKey] { [] }
    var count: Int { 0 }

    func encodeNil(forKey key: Key) {}
    func encode<Value: Encodable>(_ value: Value, forKey key: Key) {}
    func encodeNil() {}
    func encode<Value: Encodable>(_ value: Value) {}
    func nestedContainer<Nested: CodingKey>(
      keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> { detector.container(keyedBy: type) }
    func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
      detector.container(keyedBy: type)
    }
    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
      detector.unkeyedContainer()
    }
    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { detector.unkeyedContainer() }
    func superEncoder() -> any Encoder { detector }
    func superEncoder(forKey key: Key) -> any Encoder { detector }
  }
}
