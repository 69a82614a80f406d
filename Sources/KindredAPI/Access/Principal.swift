import Foundation
import KindredModel
import KindredBackend
import KindredClock
import KindredCryptography
import KindredOutput
import KindredSQLSyntax
import KindredRequests
import KindredHTTP

/// The client of a request, as far as responses depend on it.
///
/// An object, so that passing it on with a request copies only a reference.
final class Principal: Sendable {
  /// Whether the request had credentials.
  let isAuthenticated: Bool
  /// The roles; nil for the operator of the database, whom no rule restricts.
  let roles: NameSet?
  /// The claims that access rules read.
  let claims: [String: Claim]
  /// Identifies what the principal may see: principals with equal rights get equal responses.
  ///
  /// Empty for the operator.
  let rights: [UInt8]
  /// Identifies the principal for as long as its rights are the same; if the database has its own access rules, other
  /// clients differ.
  ///
  /// Unlike the rights, it stays the same when a token is renewed. Cursors, long links and kept answers are bound to
  /// it.
  let standing: [UInt8]
  /// The principal's role in the database.
  private let databaseStanding: DatabaseStanding
  /// Identifies the client, whatever its rights.
  let identity: [UInt8]
  /// When the credentials expire, in seconds since 1970; nil for never.
  let expiry: Double?
  /// What the principal's token was signed with; nil without one.
  let signer: TokenVerifier.Signer?

  /// The user who runs the program, and every client if access isn't configured.
  static let `operator` = Principal()

  private init() {
    isAuthenticated = true
    roles = nil
    claims = [:]
    rights = []
    standing = []
    databaseStanding = .connection
    identity = []
    expiry = nil
    signer = nil
  }

  /// - Parameters:
  ///   - vocabulary: The roles and claims that the access rules use; others are dropped.
  ///   - identity: Bytes that no other client has.
  ///   - databaseStanding: The client's role in the database.
  ///   - signer: What its token was signed with.
  init(
    roles: NameSet, claims: [String: Claim], vocabulary: AccessVocabulary, isAuthenticated: Bool,
    identity: [UInt8], databaseStanding: DatabaseStanding, expiry: Double? = nil,
    signer: TokenVerifier.Signer? = nil
  ) {
    let roles = roles.intersection(vocabulary.roles)
    let claims = claims.filter { vocabulary.claims.contains($0.key) && $0.value.value != .null }
    self.isAuthenticated = isAuthenticated
    self.roles = roles
    self.claims = claims
    self.identity = identity
    self.databaseStanding = databaseStanding
    self.expiry = expiry
    self.signer = signer
    var text = ListBytes()
    text.append(roles.sorted()) { $0.append($1) }
    text.append(claims.sorted { $0.key < $1.key }) { text, claim in
      text.append(claim.key)
      text.append(claim.value.value)
      // An array differs from a text of the same characters.
      text.append(claim.value.document ?? "")
    }
    let own = HashFunction.sha256.digest(of: [isAuthenticated ? 1 : 0] + text.bytes)
    guard case .role(let databaseRole) = databaseStanding else {
      (rights, standing) = (own, own)
      return
    }
    // A policy of the database may depend on any claim.
    var role = ListBytes()
    role.append(databaseRole.name)
    standing = HashFunction.sha256.digest(of: own + role.bytes + identity)
    role.append(databaseRole.claims)
    rights = HashFunction.sha256.digest(of: own + role.bytes)
  }

  /// Returns the principal with the header fields of a request, which policies of the database may depend on.
  func sending(_ headers: String) -> Principal { Principal(self, headers) }

  private init(_ principal: Principal, _ headers: String) {
    isAuthenticated = principal.isAuthenticated
    (roles, claims, identity) = (principal.roles, principal.claims, principal.identity)
    (expiry, signer) = (principal.expiry, principal.signer)
    guard case .role(var role) = principal.databaseStanding else {
      (rights, standing, databaseStanding) = (
        principal.rights, principal.standing, principal.databaseStanding
      )
      return
    }
    role.headers = headers
    databaseStanding = .role(role)
    let sent = HashFunction.sha256.digest(of: Array(headers.utf8))
    rights = HashFunction.sha256.digest(of: principal.rights + sent)
    standing = HashFunction.sha256.digest(of: principal.standing + sent)
  }

  /// Returns the principal's role in the database, or nil for the user of its connections.
  ///
  /// - Throws: `RequestError` (`forbidden`) if the principal has no role there.
  func databaseRole() throws -> DatabaseRole? {
    switch databaseStanding {
    case .connection: nil
    case .role(let role): role
    case .none(let reason): throw RequestError(.forbidden, reason)
    }
  }

  /// The digest of what the principal's rights follow from, whatever its identity: its roles and the claims that the access
  /// rules read, in any order; with a role in the database, all claims except the ones that differ in each token.
  var grantsDigest: [UInt8] {
    var text = ListBytes()
    text.append((roles ?? []).sorted()) { $0.append($1) }
    text.append(claims.sorted { $0.key < $1.key }) { text, claim in
      text.append(claim.key)
      text.append(claim.value.document.map(TokenClaims.sortedText) ?? "")
    }
    if case .role(let role) = databaseStanding {
      text.append(role.name)
      text.append(TokenClaims.lastingText(of: role.claims))
      text.append(role.headers ?? "")
    }
    return HashFunction.sha256.digest(of: [isAuthenticated ? 1 : 0] + text.bytes)
  }

  /// Whether the credentials have expired.
  var hasExpired: Bool { expiry.map { Date().timeIntervalSince1970 >= $0 } ?? false }

  /// The expiry in nanoseconds of the monotonic clock; nil for never.
  var monotonicExpiry: UInt64? {
    expiry.map { MonotonicTime.after($0 - Date().timeIntervalSince1970) }
  }

  /// Returns whether the principal has one of these roles.
  func hasRole(among others: NameSet) -> Bool { roles.map { !$0.isDisjoint(with: others) } ?? true }
}

/// A client's role in the database.
enum DatabaseStanding: Sendable {
  /// No particular role: statements run as the user of the connections.
  case connection
  case role(DatabaseRole)
  /// No role, for this reason, so that nothing can be read or written.
  case none(String)
}

/// Determines a client's role in the database from its credentials.
extension AccessConfiguration.DatabaseRoles {
  /// Returns the standing of the bearer of a token.
  func standing(of claims: TokenClaims) throws -> DatabaseStanding {
    standing(try claims.name(at: claim), claims.text)
  }

  /// Returns the standing of the holder of an API key.
  func standing(of key: AccessConfiguration.APIKey) -> DatabaseStanding {
    let name: String? = if case .text(let name)? = key.claims[claim] { name } else { nil }
    let members = key.claims.sorted { $0.key < $1.key }.map { ($0.key, JSONValue($0.value)) }
    return standing(name, JSONValue.object(members).text)
  }

  private func standing(_ name: String?, _ claims: String) -> DatabaseStanding {
    guard let name = name ?? anonymous else {
      return .none("the token names no database role; its claim `\(claim)` is missing")
    }
    return .role(DatabaseRole(name: name, claims: claims))
  }

  /// The standing of clients without credentials.
  var standingWithoutCredentials: DatabaseStanding {
    guard let anonymous else { return .none("credentials are required; send a token") }
    // The same claims as in PostgREST, so that existing policies work unchanged.
    return .role(DatabaseRole(name: anonymous, claims: JSONValue.object([("role", .string(anonymous))]).text))
  }
}

extension AccessConfiguration.DatabaseRoles {
  /// Returns those header fields of a request that policies can read, as a JSON object with names in lower case; nil if
  /// none are configured.
  func headers(of request: HTTPRequest) -> String? {
    guard !headers.isEmpty else { return nil }
    let members = headers.compactMap { name -> (String, JSONValue)? in
      let values = request.headers.values(for: name)
      return values.isEmpty ? nil : (name.lowercased(), .string(values.joined(separator: ", ")))
    }
    return JSONValue.object(members).text
  }
}

extension JSONValue {
  fileprivate var text: String { String(decoding: bytes, as: UTF8.self) }
}
