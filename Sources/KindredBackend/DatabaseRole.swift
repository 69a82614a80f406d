/// Whom a transaction runs as, where the database has roles with rules of their own.
///
/// The database decides whether there is such a role and whether the user of the connection may take it on. Nothing of
/// it outlives the transaction.
public struct DatabaseRole: Hashable, Sendable {
  /// The name, as a client's credentials have it.
  public let name: String
  /// The claims of the credentials, a JSON object, for policies to read.
  public let claims: String

  /// A role and the claims that came with it.
  public init(name: String, claims: String) {
    self.name = name
    self.claims = claims
  }
}
