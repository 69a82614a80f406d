import KindredSQLSyntax

/// A name as the key of a set or a dictionary: it equals only names of the same bytes, as in JSON and in databases.
///
/// Swift considers canonically equivalent strings equal: `é` precomposed and `é` with a combining accent, or `K` and the
/// KELVIN SIGN. To a database, these are two columns.
public struct ExactName: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
  /// The name.
  public let text: String

  /// Creates the key of a name.
  public init(_ text: String) { self.text = text }

  /// Creates the key of a name that is known.
  public init(stringLiteral text: String) { self.init(text) }

  /// Whether both names have the same bytes.
  public static func == (a: ExactName, b: ExactName) -> Bool { a.text.hasBytes(of: b.text) }

  /// Hashes the bytes of the name.
  public func hash(into hasher: inout Hasher) {
    var text = text
    text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
  }

  /// The name.
  public var description: String { text }
}

extension ExactName: ExactKey {}

extension [String] {
  /// The names as keys.
  package var exact: [ExactName] { map { ExactName($0) } }
}

extension Sequence where Element == String {
  /// Returns whether one of the names has the same bytes.
  package func containsExactly(_ name: String) -> Bool { contains { $0.hasBytes(of: name) } }
}

extension [String] {
  /// Returns the position of the first name of the same bytes.
  package func firstIndex(ofExactly name: String) -> Int? { firstIndex { $0.hasBytes(of: name) } }
}

extension Sequence where Element == Column {
  /// Returns the column whose name has the same bytes.
  package func first(named name: String) -> Column? { first { $0.name.hasBytes(of: name) } }

  /// Returns whether there is a column whose name has the same bytes.
  package func contains(named name: String) -> Bool { first(named: name) != nil }
}

extension [Column] {
  /// Returns the position of the column whose name has the same bytes.
  package func firstIndex(named name: String) -> Int? {
    // By the position, which copies no column.
    indices.first { self[$0].name.hasBytes(of: name) }
  }
}
