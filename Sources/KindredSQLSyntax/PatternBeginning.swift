/// A pattern of all texts that begin as those do that another pattern matches: `abc%` of `abc_d%e`.
///
/// An index finds them, and comparing a text with it takes no longer than it is.
public struct PatternBeginning: Hashable, Sendable {
  /// What a pattern is made of.
  public enum Kind: Sendable {
    /// That of `LIKE`.
    case like
    /// That of `GLOB`.
    case glob
  }

  private let kind: Kind
  private let pattern: SQLValue?
  private let patternNumber: Int
  private let escape: SQLValue?
  private let escapeNumber: Int?
}
