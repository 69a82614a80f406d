/// Records what the grammar allows at the end of a text, for completion.
///
/// Everything that the parser looks for while its next token is the end may be written there.
package final class Expectations {
  /// The signs, such as `,` and `=`.
  package private(set) var signs: Set<String> = []
  /// The keywords, such as `and`, in lower case, in the order in which the parser looks for them.
  package private(set) var keywords: [String] = []
  /// The kind of name, if one is allowed.
  package private(set) var name: Name?

  /// The possible meaning of a name at the end, in the calls whose parentheses are open there, the innermost last:
  /// `books.filter` for `books.filter(`.
  package enum Name {
    /// The beginning of a value: a column, an association, a function.
    case operand(in: [Expression.Path])
    /// A component after the dot of a path.
    case member(of: Expression.Path, in: [Expression.Path])
    /// The key of an association below the given ones; `isRenamed` tells whether a new key precedes the path.
    case key(below: [String], isRenamed: Bool)
  }

  package init() {}

  func expect(_ sign: Token.Sign) { signs.insert(sign.rawValue) }

  func expect(keyword: String) {
    if !keywords.contains(keyword) { keywords.append(keyword) }
  }

  func expect(_ name: Name) { self.name = name }
}
