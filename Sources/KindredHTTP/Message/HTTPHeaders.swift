/// Header fields in their order, looked up without regard to case (RFC 9110 §5).
///
/// Names and values are kept as bytes in one array: a request's fields cost two allocations in all, and
/// become strings only when somebody asks for them.
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

  /// No fields.
  public init() {}

  /// How many fields there are.
  public var count: Int { fields.count }

  /// The value of the first field of this name; bytes that aren't UTF-8 become U+FFFD.
  public subscript(_ name: String) -> String? {
    fields.first { matches($0, name) }.map(text)
  }

  /// What `body` makes of the bytes of the first field of this name, for which no string is made; nil without one.
  public func withBytes<Result>(
    of name: String, _ body: (UnsafeRawBufferPointer) throws -> Result
  ) rethrows -> Result? {
    guard let field = fields.first(where: { matches($0, name) }) else { return nil }
    return try bytes.withUnsafeBytes { try body(UnsafeRawBufferPointer(rebasing: $0[field.value])) }
  }

  /// The same, but nil where several fields have this name.
  public func withBytes<Result>(
    ofOnly name: String, _ body: (UnsafeRawBufferPointer) throws -> Result
  ) rethrows -> Result? {
    guard let first = fields.firstIndex(where: { matches($0, name) }),
      !fields[(first + 1)...].contains(where: { matches($0, name) })
    else { return nil }
    return try bytes.withUnsafeBytes { try body(UnsafeRawBufferPointer(rebasing: $0[fields[first].value])) }
  }

  /// The values of all fields of this name, in their order.
  public func values(for name: String) -> [String] {
    var values: [String] = []
    for field in fields where matches(field, name) { values.append(text(field)) }
    return values
  }

  /// Adds a field at the end and says whether it did: not where `name` isn't a token (RFC 9110 §5.1).
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

  /// Removes the fields of this name and adds one; false, and nothing changed, where `name` isn't a token.
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

  /// Adds a field whose name and value the parser has found valid.
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
  /// The fields in the order of the literal; those whose name isn't a token are left out.
  public init(dictionaryLiteral elements: (String, String)...) {
    for (name, value) in elements { append(name, value) }
  }
}

extension HTTPHeaders: Sequence {
  /// The fields in their order, as text.
  public func makeIterator() -> some IteratorProtocol<(name: String, value: String)> {
    fields.lazy.map { field in
      (name: String(decoding: bytes[field.name], as: UTF8.self), value: text(field))
    }.makeIterator()
  }
}
