import Foundation
import KindredCryptography
import KindredRequests
import Logging

/// Verifies JSON Web Tokens (RFC 7519) in their compact serialization (RFC 7515 §7.1).
///
/// The configuration determines the accepted algorithms, and each key its use; the header of a token only
/// selects among them (RFC 8725 §3.1).
struct TokenVerifier: Sendable {
  private let configuration: AccessConfiguration.Tokens
  private let keys: KeySource?

  /// The largest number of keys that a token without `kid` is tried with.
  private static let maximumAttempts = 16

  /// - Throws: `KeySetError` if the set of keys can't be read.
  init(_ configuration: AccessConfiguration.Tokens, logger: Logger) throws {
    self.configuration = configuration
    keys = try configuration.keys.map { try KeySource($0, logger: logger) }
  }

  /// A number that changes with the keys.
  var generation: Int { keys?.current().generation ?? 0 }

  var rolesClaim: String { configuration.rolesClaim }

  var leeway: Double { configuration.leeway }

  /// The current time in seconds since 1970.
  var now: Double { Date().timeIntervalSince1970 }

  /// The claims of a valid token, and what it was verified with.
  struct Verified {
    let claims: TokenClaims
    let signer: Signer
  }

  /// What a token was signed with.
  enum Signer: Sendable {
    /// The secret of the configuration.
    case secret
    /// A key of the set, by its fingerprint.
    case key([UInt8])
  }

  /// Returns whether a key is no longer in the set.
  func isWithdrawn(_ fingerprint: [UInt8]) -> Bool {
    keys.map { !$0.current().set.keys.contains { $0.fingerprint == fingerprint } } ?? false
  }

  /// Returns the claims of a valid token.
  ///
  /// - Throws: `TokenRefusal` if the token is invalid.
  func verify(_ token: String) throws -> Verified {
    let parts = token.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard parts.count == 3 else { throw TokenRefusal("it doesn't have three parts") }
    guard let header = Base64.decodeStrictly(parts[0]), let content = Base64.decodeStrictly(parts[1]),
      let signature = Base64.decodeStrictly(parts[2])
    else { throw TokenRefusal("its parts are not base64url without padding") }
    let head = try TokenHeader(header)
    guard let algorithm = SignatureAlgorithm(rawValue: head.algorithm),
      configuration.algorithms.contains(algorithm)
    else { throw TokenRefusal("the server doesn't accept its algorithm") }
    let signed = Array(token.utf8.prefix(parts[0].count + 1 + parts[1].count))
    guard let signer = try signer(of: signed, signature, algorithm, head.keyID) else {
      throw TokenRefusal("its signature doesn't match any of the server's keys")
    }
    let claims = try TokenClaims(content)
    try check(claims)
    return Verified(claims: claims, signer: signer)
  }

  private func signer(
    of message: [UInt8], _ signature: [UInt8], _ algorithm: SignatureAlgorithm, _ keyID: String?
  ) throws -> Signer? {
    if algorithm.isSymmetric, let secret = configuration.secret {
      let code = algorithm.hash.authenticationCode(of: message, key: secret)
      if code.isEqualInConstantTime(to: signature) { return .secret }
    }
    guard let keys else { return nil }
    func signer(in set: KeySet) -> Signer? {
      set.candidates(for: algorithm, keyID: keyID).prefix(Self.maximumAttempts)
        .first { $0.verifies(signature, of: message, by: algorithm) }.map { .key($0.fingerprint) }
    }
    let set = keys.current().set
    if let signer = signer(in: set) { return signer }
    guard let keyID, !set.hasKey(keyID) else { return nil }
    switch keys.fetchedAnew() {
    case .keys(let set): return signer(in: set)
    case .underWay: throw TokenRefusal("its key is being fetched", isTemporary: true)
    case .unchanged: return nil
    }
  }

  /// Checks the registered claims (RFC 7519 §4.1).
  private func check(_ claims: TokenClaims) throws {
    let now = now
    if let expiry = try claims.number("exp"), now >= expiry + configuration.leeway {
      throw TokenRefusal("it has expired")
    }
    if let start = try claims.number("nbf"), now < start - configuration.leeway {
      throw TokenRefusal("it is not valid yet")
    }
    if let issuer = configuration.issuer, claims.text("iss").map({ Array($0.utf8) }) != Array(issuer.utf8) {
      throw TokenRefusal("it comes from another issuer")
    }
    if let audience = configuration.audience,
      !claims.texts("aud").contains(where: { $0.utf8.elementsEqual(audience.utf8) })
    {
      throw TokenRefusal("it is meant for another audience")
    }
  }
}

/// The header of a token (RFC 7515 §4).
private struct TokenHeader {
  let algorithm: String
  let keyID: String?

  init(_ bytes: [UInt8]) throws {
    guard let document = try? JSONDocumentParser.parse(bytes),
      case .object(let members) = document.root.content
    else { throw TokenRefusal("its header is not a JSON object, or contains a name twice") }
    var algorithm: String?
    var keyID: String?
    for member in members {
      switch (member.name, member.value.content) {
      case ("alg", .string(let text)): algorithm = text
      case ("kid", .string(let text)): keyID = text
      case ("kid", _): throw TokenRefusal("its `kid` is not a string")
      // No extensions are supported, so any `crit` must be refused (§4.1.11).
      case ("crit", _): throw TokenRefusal("its header has `crit`, but the server supports no extensions")
      // Keys that the token contains or refers to are ignored (RFC 8725 §3.10).
      default: break
      }
    }
    guard let algorithm else { throw TokenRefusal("its header names no algorithm") }
    self.algorithm = algorithm
    self.keyID = keyID
  }
}
