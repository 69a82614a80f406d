/// Encodes a value to find out whether it is a single value or has parts.
final class CompositeDetector: Encoder, SingleValueEncodingContainer {
  var value: (any DatabaseValueConvertible)?
  var isComposite = false
  let codingPath: [any CodingKey]
  let userInfo: [CodingUserInfoKey: Any]

  init(codingPath: [any CodingKey], userInfo: [CodingUserInfoKey: Any]) {
    self.codingPath = codingPath
    self.userInfo = userInfo
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    isComposite = true
    return KeyedEncodingContainer(Discarding<Key>(detector: self))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    isComposite = true
    return Discarding<ElementKey>(detector: self)
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

  /// Ignores the parts of a composite value, which is then encoded as JSON.
  private struct Discarding<Key: CodingKey>: KeyedEncodingContainerProtocol, UnkeyedEncodingContainer {
    let detector: CompositeDetector
    var codingPath: [any CodingKey] { detector.codingPath }
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
