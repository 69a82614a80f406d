/// What the grammar takes at the end of a text, found out by the parser that reads the text up to there.
///
/// Whatever the parser looks for while the end is its next token may be written there.
package final class Expectations {
  /// Signs such as `,` and `=`.
  package private(set) var signs: Set<String> = []
  /// Words such as `and`, in lower case, in the order in which the parser looks for them.
  package private(set) var keywords: [String] = []
  /// A name, where one may stand.
  package private(set) var name: Name?

  /// What the name at the end would be.
  package enum Name {
    /// The beginning of a value: a column, an association, a function.
    case operand(Place)
    /// What follows the dot of a path.
    case member(of: Expression.Path, Place)
    /// An association's key below those before; `isRenamed` where a new key has been given.
    case key(below: [String], isRenamed: Bool)
  }

  /// The parentheses around the end.
  package struct Place {
    /// The calls that are open, the innermost last: `books.filter` for `books.filter(`.
    package var calls: [Expression.Path] = []
  }

  package init() {}

  func expect(_ sign: Token.Sign) { signs.insert(sign.rawValue) }

  func expect(keyword: String) {
    if !keywords.contains(keyword) { keywords.append(keyword) }
  }

  func expect(_ name: Name) { self.name = name }
}
