/// The two kinds of patterns.
public enum PatternKind: String, Hashable, Sendable, CaseIterable {
  /// A pattern of `LIKE`.
  case like
  /// A pattern of `GLOB`.
  case glob

  /// Returns a pattern for the literal prefix of another one: `abc%` for `abc_d%e`.
  ///
  /// It matches every text that the other pattern matches, can use an index, and is matched in time proportional to the
  /// length of the prefix.
  ///
  /// - Parameter escape: the value of `ESCAPE`.
  public func beginning(of pattern: SQLValue, escape: SQLValue? = nil) -> SQLValue {
    let (any, special) =
      switch self {
      case .like: ("%", "%_")
      case .glob: ("*", "*?[")
      }
    switch pattern {
    case .null: return .null
    case .integer(let number): return .text("\(number)\(any)")
    case .text(let text):
      var signs = Set(special.unicodeScalars)
      if case .text(let escape)? = escape { signs.formUnion(escape.unicodeScalars) }
      let scalars = text.unicodeScalars.prefix(Self.beginningLength).prefix { !signs.contains($0) }
      return .text("\(String.UnicodeScalarView(scalars))\(any)")
    case .real, .blob: return .text(any)
    }
  }

  /// The maximum length of a prefix, in Unicode scalars.
  private static let beginningLength = 50
}
