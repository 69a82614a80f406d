import KindredModel
import KindredCryptography
import KindredHTTP
import KindredOutput
import KindredRequests
import KindredSQLSyntax
import Logging
import Synchronization

/// Authenticates requests by their `Authorization` field (RFC 6750 §2.1).
final class Authenticator: Sendable {
  private let configuration: AccessConfiguration
  private let verifier: TokenVerifier?
  private let impersonated: KindredService.Options.Impersonation?
  private let cache = Mutex(Cache())

  /// Verified tokens, so that each signature is verified only once.
  private struct Cache {
    var principals: [ExactText: Principal] = [:]
    /// The generation of keys that they were verified with, and the vocabulary that their claims were reduced to.
    var generation = 0
    var vocabulary = AccessVocabulary()
  }

  /// The largest number of tokens; beyond it the cache is emptied.
  private static let capacity = 2048
  /// The length of the longest cached token in bytes.
  private static let maximumLength = 4096

  /// - Throws: `KeySetError` if the set of keys can't be read.
  init(
    _ configuration: AccessConfiguration, impersonating impersonated: KindredService.Options.Impersonation?,
    logger: Logger
  ) throws {
    self.configuration = configuration
    self.impersonated = impersonated
    verifier = try configuration.tokens.map { try TokenVerifier($0, logger: logger) }
  }

  /// Returns the principal of a request.
  ///
  /// - Parameter vocabulary: The roles and claims that the access rules use.
  /// - Throws: `Problem` (401) for invalid credentials, even where none are needed.
  func principal(of request: HTTPRequest, _ vocabulary: AccessVocabulary) throws -> Principal {
    let principal = try self.principal(byCredentialsOf: request, vocabulary)
    return configuration.databaseRoles?.headers(of: request).map(principal.sending) ?? principal
  }

  private func principal(byCredentialsOf request: HTTPRequest, _ vocabulary: AccessVocabulary) throws
    -> Principal
  {
    let vocabulary = extended(vocabulary)
    if let impersonated { return try principal(impersonated, vocabulary) }
    let fields = request.headers.values(for: "Authorization")
    guard let field = fields.first else {
      return Principal(
        roles: configuration.anonymousRoles, claims: [:], vocabulary: vocabulary, isAuthenticated: false,
        identity: [],
        databaseStanding: configuration.databaseRoles?.standingWithoutCredentials ?? .connection)
    }
    guard fields.count == 1, let token = Self.bearerToken(in: field) else {
      throw Problem.invalidToken("`Authorization` must be `Bearer` followed by a token")
    }
    if let key = key(token) {
      return Principal(
        roles: key.roles, claims: key.claims.mapValues { Claim($0) }, vocabulary: vocabulary,
        isAuthenticated: true,
        identity: key.digest,
        databaseStanding: configuration.databaseRoles?.standing(of: key) ?? .connection)
    }
    guard let verifier else { throw Problem.invalidToken("the token is not one of the server's API keys") }
    return try principal(verifier, token, vocabulary)
  }

  /// Returns what identifies the client, or nil without valid credentials.
  ///
  /// - Parameter verifying: Whether to verify a token that hasn't been seen before.
  func identity(of request: HTTPRequest, _ vocabulary: AccessVocabulary, verifying: Bool) -> [UInt8]? {
    guard impersonated == nil else { return nil }
    if verifying {
      let principal = try? principal(byCredentialsOf: request, vocabulary)
      return principal.flatMap { $0.isAuthenticated ? $0.identity : nil }
    }
    guard let token = request.headers["Authorization"].flatMap(Self.bearerToken) else { return nil }
    if let key = key(token) { return key.digest }
    return verifier.flatMap { known($0, token, $0.generation, extended(vocabulary)) }?.identity
  }

  /// Returns whether the key that signed the principal's token is no longer accepted.
  func isWithdrawn(_ principal: Principal) -> Bool {
    switch principal.signer {
    case .key(let fingerprint)?: verifier?.isWithdrawn(fingerprint) ?? false
    case .secret?, nil: false
    }
  }

  private func extended(_ vocabulary: AccessVocabulary) -> AccessVocabulary {
    var vocabulary = vocabulary
    vocabulary.roles.formUnion(configuration.operatorRoles ?? [])
    return vocabulary
  }

  /// Returns the principal of a token that was verified before and hasn't expired.
  private func known(
    _ verifier: TokenVerifier, _ token: String, _ generation: Int, _ vocabulary: AccessVocabulary
  ) -> Principal? {
    let known = cache.withLock { cache -> Principal? in
      if cache.generation != generation || cache.vocabulary != vocabulary {
        cache = Cache(generation: generation, vocabulary: vocabulary)
      }
      return cache.principals[ExactText(token)]
    }
    return known.flatMap { principal in
      principal.expiry.map { verifier.now < $0 } ?? true ? principal : nil
    }
  }

  private func principal(
    _ verifier: TokenVerifier, _ token: String, _ vocabulary: AccessVocabulary
  ) throws -> Principal {
    let generation = verifier.generation
    if let known = known(verifier, token, generation, vocabulary) { return known }
    do {
      let verified = try verifier.verify(token)
      let claims = verified.claims
      let principal = Principal(
        roles: claims.roles(at: verifier.rolesClaim), claims: claims.values(named: vocabulary.claims),
        vocabulary: vocabulary, isAuthenticated: true, identity: claims.identity,
        databaseStanding: try configuration.databaseRoles?.standing(of: claims) ?? .connection,
        expiry: claims.expiry.map { $0 + verifier.leeway }, signer: verified.signer)
      cache.withLock { cache in
        guard cache.generation == generation, cache.vocabulary == vocabulary,
          token.utf8.count <= Self.maximumLength
        else { return }
        if cache.principals.count >= Self.capacity { cache.principals = [:] }
        cache.principals[ExactText(token)] = principal
      }
      return principal
    } catch let refusal as TokenRefusal {
      throw refusal.isTemporary ? Problem.keysUnavailable : Problem.invalidToken(refusal.message)
    }
  }

  private func principal(
    _ impersonated: KindredService.Options.Impersonation, _ vocabulary: AccessVocabulary
  ) throws -> Principal {
    guard case .claims(let content) = impersonated else { return .operator }
    do {
      let claims = try TokenClaims(content)
      return Principal(
        roles: claims.roles(at: configuration.tokens?.rolesClaim ?? AccessConfiguration.defaultRolesClaim),
        claims: claims.values(named: vocabulary.claims), vocabulary: vocabulary, isAuthenticated: true,
        identity: claims.identity,
        databaseStanding: try configuration.databaseRoles?.standing(of: claims) ?? .connection)
    } catch let refusal as TokenRefusal {
      throw Problem.invalidToken(refusal.message)
    }
  }

  /// Returns the API key with this text.
  ///
  /// All keys are compared, so that the time reveals nothing about them.
  private func key(_ text: String) -> AccessConfiguration.APIKey? {
    guard !configuration.keys.isEmpty else { return nil }
    let digest = HashFunction.sha256.digest(of: Array(text.utf8))
    var found: AccessConfiguration.APIKey?
    for key in configuration.keys where key.digest.isEqualInConstantTime(to: digest) { found = key }
    return found
  }

  /// Returns the token after the case-insensitive scheme (RFC 9110 §11.1), or nil if there is none.
  private static func bearerToken(in field: String) -> String? {
    let parts = field.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: true)
    guard parts.count == 2, parts[0].lowercased() == "bearer" else { return nil }
    let token = parts[1].drop { $0 == " " }
    return token.isEmpty || token.contains(" ") ? nil : String(token)
  }
}
