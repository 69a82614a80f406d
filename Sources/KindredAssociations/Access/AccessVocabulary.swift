/// The roles and claims that make a difference: those that the rules of a model name.
public struct AccessVocabulary: Sendable, Hashable {
  /// The names of the roles.
  public var roles: Set<String> = []
  /// The paths of the claims.
  public var claims: Set<String> = []

  /// No roles and no claims.
  public init() {}
}
