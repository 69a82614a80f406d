/// A value that identifies something that is kept: two are equal only if all of their bytes are.
///
/// No such type has a `String` or `Substring` in it, which equal canonically equivalent ones.
package protocol ExactKey: Hashable, Sendable {}

/// A text as a key: it equals only texts of the same bytes, and its hash is computed once.
package struct ExactText: ExactKey, ExpressibleByStringLiteral {
  /// The text.
  package let text: Substring
  private let hash: Int

  /// Creates the key of a text.
  package init(_ text: Substring) {
    self.text = text
    var (hasher, text) = (Hasher(), text)
    text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    hash = hasher.finalize()
  }

  /// Creates the key of a whole text.
  package init(_ text: String) { self.init(text[...]) }

  /// Creates the key of a text that is known.
  package init(stringLiteral text: String) { self.init(text) }

  /// The length in bytes.
  package var length: Int { text.utf8.count }

  /// Compares the hashes, then the bytes.
  package static func == (a: ExactText, b: ExactText) -> Bool {
    guard a.hash == b.hash else { return false }
    var (left, right) = (a.text, b.text)
    return left.withUTF8 { left in right.withUTF8 { left.elementsEqual($0) } }
  }

  /// Feeds the stored hash to `hasher`.
  package func hash(into hasher: inout Hasher) { hasher.combine(hash) }
}

extension [String] {
  /// The texts as keys.
  package var exactTexts: [ExactText] { map { ExactText($0) } }
}

extension Optional: ExactKey where Wrapped: ExactKey {}
extension Array: ExactKey where Element: ExactKey {}
extension Dictionary: ExactKey where Key: ExactKey, Value: ExactKey {}
extension Int: ExactKey {}
extension Int64: ExactKey {}
extension UInt8: ExactKey {}
