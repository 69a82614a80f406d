/// Header fields in order, looked up by case-insensitive name (RFC 9110 §5).
///
/// All of them are bytes in one array: a request's fields cost one allocation, and become strings only when read.
public struct HTTPHeaders: Sendable {
  /// Where a field's name and value are; their lengths precede them.
  private struct Field {
    let name: Range<Int>
    let value: Range<Int>

    /// Reads the lengths of the field that begins at an offset.
    init(_ bytes: UnsafeRawBufferPointer, at start: Int) {
      let nameStart = start + 2 * MemoryLayout<UInt32>.size
      let nameEnd = nameStart + Int(bytes.loadUnaligned(fromByteOffset: start, as: UInt32.self))
      let valueLength = bytes.loadUnaligned(
        fromByteOffset: start + MemoryLayout<UInt32>.size, as: UInt32.self)
      name = nameStart..<nameEnd
      value = nameEnd..<(nameEnd + Int(valueLength))
    }
  }

  @usableFromInline var bytes: [UInt8] = []

  /// A bit for each length of a name, modulo 64: most names that are looked for are absent, which this usually tells.
  private var lengths: UInt64 = 0

  /// The number of fields.
  public private(set) var count = 0

  /// The approximate size in memory, in bytes.
  package var byteCount: Int { bytes.count }

  /// Creates an empty collection of fields.
  public init() {}

  /// The value of the first field of this name; malformed UTF-8 becomes U+FFFD.
  public subscript(_ name: String) -> String? { value(of: name).map(text) }

  /// Calls `body` with the bytes of the first field of this name, without making a string; returns nil if there is
  /// none.
  @inlinable
  public func withBytes<Result>(
    of name: String, _ body: (UnsafeRawBufferPointer) throws -> Result
  ) rethrows -> Result? {
    guard let value = value(of: name) else { return nil }
    return try bytes.withUnsafeBytes { try body(UnsafeRawBufferPointer(rebasing: $0[value])) }
  }

  /// Calls `body` with the bytes of the only field of this name; returns nil if there is none or more than one.
  public func withBytes<Result>(
    ofOnly name: String, _ body: (UnsafeRawBufferPointer) throws -> Result
  ) rethrows -> Result? {
    guard let value = value(of: name), self.value(of: name, from: value.upperBound) == nil else { return nil }
    return try bytes.withUnsafeBytes { try body(UnsafeRawBufferPointer(rebasing: $0[value])) }
  }

  /// Returns the values of all fields of this name, in order.
  public func values(for name: String) -> [String] {
    var values: [String] = []
    var start = 0
    while let value = value(of: name, from: start) {
      values.append(text(value))
      start = value.upperBound
    }
    return values
  }

  /// Returns where the value of the first field of this name is, from the field at an offset on.
  @usableFromInline
  func value(of name: String, from start: Int = 0) -> Range<Int>? {
    lengths & Self.bit(name.utf8.count) == 0 ? nil : search(name, from: start)
  }

  private static func bit(_ length: Int) -> UInt64 { 1 << UInt64(truncatingIfNeeded: length & 63) }

  private func search(_ name: String, from start: Int) -> Range<Int>? {
    var name = name
    return name.withUTF8 { name in
      bytes.withUnsafeBytes { bytes in
        var start = start
        while start < bytes.count {
          let field = Field(bytes, at: start)
          if field.name.count == name.count,
            zip(bytes[field.name], name).allSatisfy({ $0.lowercased == $1.lowercased })
          {
            return field.value
          }
          start = field.value.upperBound
        }
        return nil
      }
    }
  }

  /// Appends a field; returns false, and appends nothing, if `name` isn't a token (RFC 9110 §5.1).
  ///
  /// A CR, LF, NUL or other control character in `value` becomes a space (RFC 9110 §5.5), so that no
  /// value can end the field or the head.
  @discardableResult
  public mutating func append(_ name: String, _ value: String) -> Bool {
    var (name, value) = (name, value)
    return name.withUTF8 { name in
      value.withUTF8 { value in append(UnsafeRawBufferPointer(name), UnsafeRawBufferPointer(value)) }
    }
  }

  /// Appends a field whose name is a token and whose value has only visible ASCII characters.
  package mutating func append(valid name: StaticString, _ value: UnsafeRawBufferPointer) {
    assert(value.allSatisfy { $0 > 0x20 && $0 < 0x7F }, "not a valid value of a field")
    begin(UInt32(name.utf8CodeUnitCount), UInt32(value.count))
    bytes.append(contentsOf: UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount))
    bytes.append(contentsOf: value)
  }

  /// Appends the fields of another collection, which validated them.
  public mutating func append(contentsOf others: HTTPHeaders) {
    bytes += others.bytes
    count += others.count
    lengths |= others.lengths
  }

  private mutating func append(_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> Bool {
    guard !name.isEmpty, name.allSatisfy(\.isTokenCharacter), let valueLength = UInt32(exactly: value.count),
      let nameLength = UInt32(exactly: name.count)
    else { return false }
    begin(nameLength, valueLength)
    bytes.append(contentsOf: name)
    if value.isFieldValue {
      bytes.append(contentsOf: value)
    } else {
      bytes += value.lazy.map { $0.isFieldCharacter ? $0 : .space }
    }
    return true
  }

  /// Appends the lengths of a new field's name and value.
  private mutating func begin(_ nameLength: UInt32, _ valueLength: UInt32) {
    // Room for a typical header section.
    if bytes.isEmpty { bytes.reserveCapacity(512) }
    withUnsafeBytes(of: (nameLength, valueLength)) { bytes.append(contentsOf: $0) }
    count += 1
    lengths |= Self.bit(Int(nameLength))
  }

  /// Replaces all fields of this name by one; returns false, and changes nothing, if `name` isn't a token.
  @discardableResult
  public mutating func set(_ name: String, _ value: String) -> Bool {
    guard !name.isEmpty, name.utf8.allSatisfy(\.isTokenCharacter) else { return false }
    remove(name)
    return append(name, value)
  }

  /// Removes the fields of this name.
  public mutating func remove(_ name: String) {
    guard value(of: name) != nil else { return }
    var others = HTTPHeaders()
    let name = name.utf8.map(\.lowercased)
    forEachField { other, value in
      if !other.lazy.map(\.lowercased).elementsEqual(name) {
        others.append(validatedName: other[...], value: value[...])
      }
    }
    self = others
  }

  /// Appends a field whose name and value the parser has validated.
  mutating func append(
    validatedName name: Slice<UnsafeRawBufferPointer>, value: Slice<UnsafeRawBufferPointer>
  ) {
    begin(UInt32(name.count), UInt32(value.count))
    bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: name))
    bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: value))
  }

  /// Calls `body` with the bytes of each field.
  func forEachField(_ body: (_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> Void) {
    bytes.withUnsafeBytes { bytes in
      var start = 0
      while start < bytes.count {
        let field = Field(bytes, at: start)
        body(
          UnsafeRawBufferPointer(rebasing: bytes[field.name]),
          UnsafeRawBufferPointer(rebasing: bytes[field.value]))
        start = field.value.upperBound
      }
    }
  }

  private func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }
}

extension HTTPHeaders: ExpressibleByDictionaryLiteral {
  /// Creates fields in the order of the literal, omitting those whose name isn't a token.
  public init(dictionaryLiteral elements: (String, String)...) {
    for (name, value) in elements { append(name, value) }
  }
}

extension HTTPHeaders: Sequence {
  /// Returns an iterator over the fields, in order, as text.
  public func makeIterator() -> some IteratorProtocol<(name: String, value: String)> {
    var fields: [(name: String, value: String)] = []
    forEachField { name, value in
      fields.append((String(decoding: name, as: UTF8.self), String(decoding: value, as: UTF8.self)))
    }
    return fields.makeIterator()
  }
}
