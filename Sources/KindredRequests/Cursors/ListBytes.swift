import KindredSQLSyntax

/// An injective serialisation of nested lists: different lists of values give different bytes.
@usableFromInline package struct ListBytes {
  package private(set) var bytes: [UInt8] = []

  package init() {}

  private enum Kind {
    static let null: UInt8 = 0
    static let text: UInt8 = 1
    static let integer: UInt8 = 2
    static let real: UInt8 = 3
    static let blob: UInt8 = 4
    static let list: UInt8 = 5
  }

  // Not generic: a generic function of another module isn't specialised, and would append byte by byte.
  package mutating func append(_ text: String) { append(Kind.text, text.utf8) }

  package mutating func append(_ text: Substring) { append(Kind.text, text.utf8) }

  package mutating func append(_ bytes: [UInt8]) { append(Kind.blob, bytes) }

  package mutating func append(_ value: SQLValue) {
    switch value {
    case .null: append(Kind.null, [])
    case .text(let text): append(text)
    case .integer(let value): append(Kind.integer, String(value).utf8)
    case .real(let value): append(Kind.real, String(value.bitPattern).utf8)
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

  @usableFromInline mutating func beginList(count: Int) { begin(Kind.list, count: count) }

  private mutating func append(_ kind: UInt8, _ content: some Collection<UInt8>) {
    begin(kind, count: content.count)
    bytes += content
  }

  private mutating func begin(_ kind: UInt8, count: Int) {
    bytes.append(kind)
    withUnsafeBytes(of: UInt64(count).littleEndian) { bytes += $0 }
  }
}
