/// The two kinds of patterns that texts are compared with.
public enum PatternKind: Hashable, Sendable {
  /// That of `LIKE`.
  case like
  /// That of `GLOB`.
  case glob

  /// A pattern of all texts that begin as those do that `pattern` matches: `abc%` of `abc_d%e`.
  ///
  /// An index finds them, and comparing a text with it takes no longer than the pattern is.
  ///
  /// - Parameter escape: the value of `ESCAPE`.
  public func beginning(of pattern: SQLValue, escape: SQLValue? = nil) -> SQLValue {
    let any = self == .like ? "%" : "*"
    switch pattern {
    case .null: return .null
    case .integer(let number): return .text("\(number)\(any)")
    case .text(let text):
      var signs = Set((self == .like ? "%_" : "*?[").unicodeScalars)
      if case .text(let escape)? = escape { signs.formUnion(escape.unicodeScalars) }
      let scalars = text.unicodeScalars.prefix(Self.beginningLength).prefix { !signs.contains($0) }
      return .text("\(String.UnicodeScalarView(scalars))\(any)")
    case .real, .blob: return .text(any)
    }
  }

  /// Characters at most.
  private static let beginningLength = 50
}
