import KindredBackend
import KindredSQLSyntax

/// Whom the database takes a client for.
enum DatabaseStanding: Sendable {
  /// The user of its connections: clients are no roles of the database.
  case connection
  case role(DatabaseRole)
  /// Nobody, for this reason: nothing is read or written.
  case none(String)
}

/// Whom the database takes a client for, by its credentials.
extension AccessConfiguration.DatabaseRoles {
  /// The standing of the bearer of a token.
  func standing(of claims: TokenClaims) throws -> DatabaseStanding {
    standing(try claims.name(at: claim), claims.text)
  }

  /// The standing of the holder of an API key.
  func standing(of key: AccessConfiguration.APIKey) -> DatabaseStanding {
    let name: String? = if case .text(let name)? = key.claims[claim] { name } else { nil }
    let members = key.claims.sorted { $0.key < $1.key }.map { ($0.key, JSONValue($0.value)) }
    return standing(name, JSONValue.object(members).text)
  }

  private func standing(_ name: String?, _ claims: String) -> DatabaseStanding {
    guard let name = name ?? anonymous else {
      return .none("the credentials name no role of the database: the claim `\(claim)` is missing")
    }
    return .role(DatabaseRole(name: name, claims: claims))
  }

  /// The standing of those without credentials.
  var standingWithoutCredentials: DatabaseStanding {
    guard let anonymous else { return .none("this needs credentials: send a token") }
    // As PostgREST has it, so that policies need not be written anew.
    return .role(DatabaseRole(name: anonymous, claims: JSONValue.object([("role", .string(anonymous))]).text))
  }
}

extension JSONValue {
  fileprivate var text: String { String(decoding: bytes, as: UTF8.self) }
}
