/// A role of the database with which a transaction runs, so that the role's privileges and policies apply.
///
/// The database decides whether the role exists and whether the user of the connection may switch to it. The role is
/// reset at the end of the transaction.
public struct DatabaseRole: Hashable, Sendable {
  /// The name from the credentials of the client.
  public let name: String
  /// The claims of the credentials as a JSON object, which policies can read.
  public let claims: String
  /// The header fields of the request that policies can read, as a JSON object; nil if there are none for them.
  public var headers: String?

  /// Creates a role with the claims of the credentials that name it.
  public init(name: String, claims: String) {
    self.name = name
    self.claims = claims
  }
}
