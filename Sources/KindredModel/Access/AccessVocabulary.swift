/// The roles and claims that affect an answer, because the access rules of a model mention them.
public struct AccessVocabulary: Sendable, Hashable {
  /// The names of the roles.
  public var roles: NameSet = []
  /// The paths of the claims.
  public var claims: Set<String> = []

  /// No roles and no claims.
  public init() {}
}
