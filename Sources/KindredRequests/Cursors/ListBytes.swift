import KindredSQLSyntax

/// An injective serialisation of nested lists: different lists of values give different bytes.
@usableFromInline package struct ListBytes {
  package private(set) var bytes: [UInt8] = []

  package init() {}

  private enum Kind: UInt8 {
    case null, text, integer, real, blob, list
  }

  // Not generic: a generic function of another module isn't specialised, and would append byte by byte.
  package mutating func append(_ text: String) { append(.text, text.utf8) }

  package mutating func append(_ text: Substring) { append(.text, text.utf8) }

  package mutating func append(_ bytes: [UInt8]) { append(.blob, bytes) }

  package mutating func append(_ value: SQLValue) {
    switch value {
    case .null: append(.null, [])
    case .text(let text): append(text)
    case .integer(let value): append(.integer, String(value).utf8)
    case .real(let value): append(.real, String(value.bitPattern).utf8)
    case .blob(let bytes): append(bytes)
    }
  }

  /// Appends a list, each element by `body`.
  @inlinable package mutating func append<Elements: Collection>(
    _ elements: Elements, _ body: (inout ListBytes, Elements.Element) -> Void
  ) {
    beginList(count: elements.count)
    for element in elements { body(&self, element) }
  }

  @usableFromInline mutating func beginList(count: Int) { begin(.list, count: count) }

  private mutating func append(_ kind: Kind, _ content: some Collection<UInt8>) {
    begin(kind, count: content.count)
    bytes += content
  }

  private mutating func begin(_ kind: Kind, count: Int) {
    bytes.append(kind.rawValue)
    withUnsafeBytes(of: UInt64(count).littleEndian) { bytes += $0 }
  }
}
