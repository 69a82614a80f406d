import KindredBackend
import KindredHTTP
import KindredSQLSyntax
import KindredRequests

/// A client's role in the database.
enum DatabaseStanding: Sendable {
  /// None of its own: statements run as the user of the connections.
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
