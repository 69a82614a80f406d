/// Header fields in order, looked up by case-insensitive name (RFC 9110 §5).
///
/// Names and values are bytes in one array: a request's fields cost two allocations in all, and become strings only
/// when read.
public struct HTTPHeaders: Sendable {
  private struct Field: Sendable {
    var start: UInt32
    var nameLength: UInt32
    var valueLength: UInt32

    var name: Range<Int> { Int(start)..<Int(start + nameLength) }
    var value: Range<Int> { Int(start + nameLength)..<Int(start + nameLength + valueLength) }
  }

  private var bytes: [UInt8] = []
  private var fields: [Field] = []

  /// Creates an empty collection of fields.
  public init() {}

  /// The number of fields.
  public var count: Int { fields.count }

  /// The value of the first field of this name; malformed UTF-8 becomes U+FFFD.
  public subscript(_ name: String) -> String? {
    fields.first { matches($0, name) }.map(text)
  }

  /// Calls `body` with the bytes of the first field of this name, without making a string; returns nil if there is
  /// none.
  public func withBytes<Result>(
    of name: String, _ body: (UnsafeRawBufferPointer) throws -> Result
  ) rethrows -> Result? {
    guard let field = fields.first(where: { matches($0, name) }) else { return nil }
    return try bytes.withUnsafeBytes { try body(UnsafeRawBufferPointer(rebasing: $0[field.value])) }
  }

  /// Calls `body` with the bytes of the only field of this name; returns nil if there is none or more than one.
  public func withBytes<Result>(
    ofOnly name: String, _ body: (UnsafeRawBufferPointer) throws -> Result
  ) rethrows -> Result? {
    guard let first = fields.firstIndex(where: { matches($0, name) }),
      !fields[(first + 1)...].contains(where: { matches($0, name) })
    else { return nil }
    return try bytes.withUnsafeBytes { try body(UnsafeRawBufferPointer(rebasing: $0[fields[first].value])) }
  }

  /// Returns the values of all fields of this name, in order.
  public func values(for name: String) -> [String] {
    var values: [String] = []
    for field in fields where matches(field, name) { values.append(text(field)) }
    return values
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

  private mutating func append(_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> Bool {
    guard !name.isEmpty, name.allSatisfy(\.isTokenCharacter), let start = UInt32(exactly: bytes.count) else {
      return false
    }
    makeRoom()
    bytes.append(contentsOf: name)
    if value.allSatisfy(\.isFieldCharacter) {
      bytes.append(contentsOf: value)
    } else {
      bytes += value.lazy.map { $0.isFieldCharacter ? $0 : .space }
    }
    fields.append(
      Field(start: start, nameLength: UInt32(name.count), valueLength: UInt32(value.count)))
    return true
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
    fields = fields.filter { !matches($0, name) }
  }

  /// Appends a field whose name and value the parser has validated.
  mutating func append(
    validatedName name: Slice<UnsafeRawBufferPointer>, value: Slice<UnsafeRawBufferPointer>
  ) {
    makeRoom()
    let start = UInt32(bytes.count)
    bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: name))
    bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: value))
    fields.append(
      Field(start: start, nameLength: UInt32(name.count), valueLength: UInt32(value.count)))
  }

  /// Reserves room for a typical header section.
  private mutating func makeRoom() {
    guard fields.isEmpty else { return }
    bytes.reserveCapacity(512)
    fields.reserveCapacity(12)
  }

  /// Calls `body` with the bytes of each field.
  func forEachField(_ body: (_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> Void) {
    bytes.withUnsafeBytes { bytes in
      for field in fields {
        body(
          UnsafeRawBufferPointer(rebasing: bytes[field.name]),
          UnsafeRawBufferPointer(rebasing: bytes[field.value]))
      }
    }
  }

  private func text(_ field: Field) -> String {
    String(decoding: bytes[field.value], as: UTF8.self)
  }

  private func matches(_ field: Field, _ name: String) -> Bool {
    guard Int(field.nameLength) == name.utf8.count else { return false }
    var index = Int(field.start)
    for byte in name.utf8 {
      guard bytes[index].lowercased == byte.lowercased else { return false }
      index += 1
    }
    return true
  }
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
    fields.lazy.map { field in
      (name: String(decoding: bytes[field.name], as: UTF8.self), value: text(field))
    }.makeIterator()
  }
}
