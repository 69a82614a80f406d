extension Expression {
  /// The first component of a path that names a claim: `auth.sub`.
  static let claimsName = "auth"

  /// Returns the name of the claim that a path refers to; nil if it refers to something else.
  package static func claim(_ path: Path) -> String? {
    guard path.parents == 0, path.components.count > 1, path.components[0].name == claimsName,
      path.components.allSatisfy({ $0.arguments == nil })
    else { return nil }
    return path.components.dropFirst().map(\.name).joined(separator: ".")
  }

  /// The first path in it that isn't a claim, with its place; nil if it reads claims alone.
  package var firstNameOfRecord: (name: String, origin: Origin)? {
    if case .path(let path) = kind, Self.claim(path) == nil {
      return (path.components.map(\.name).joined(separator: "."), origin)
    }
    return parts.lazy.compactMap(\.firstNameOfRecord).first
  }

  /// Adds the names of the claims that it refers to.
  func collectClaims(into claims: inout Set<String>) {
    if case .path(let path) = kind {
      if let claim = Self.claim(path) { claims.insert(claim) }
      for argument in path.components.flatMap({ $0.arguments ?? [] }) {
        argument.collectClaims(into: &claims)
      }
    }
    for part in parts { part.collectClaims(into: &claims) }
  }
}
