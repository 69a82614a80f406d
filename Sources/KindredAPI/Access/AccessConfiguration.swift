import KindredCryptography
import KindredSQLSyntax

/// Who clients are, by their tokens and keys (§10 of the contract): what the configuration file says of access.
///
/// What they may do is said by the model file.
public struct AccessConfiguration: Sendable {
  /// The tokens that are taken; nil for none.
  public var tokens: Tokens?
  /// The API keys that are taken.
  public var keys: [APIKey] = []
  /// The roles of those without credentials.
  public var anonymousRoles: Set<String> = []
  /// The roles that may see plans and metrics; nil where the configuration doesn't say.
  public var operatorRoles: Set<String>?

  /// How clients become roles of the database, which has rules of its own; nil where all requests run as the user of
  /// its connections.
  public var databaseRoles: DatabaseRoles?

  /// The claim that holds the roles, unless the configuration names another.
  public static let defaultRolesClaim = "roles"

  /// A configuration that takes no credentials.
  public init() {}

  /// JSON Web Tokens (RFC 7519), as far as they are taken.
  public struct Tokens: Sendable {
    /// The algorithms of signatures; what a token says of itself decides nothing.
    public var algorithms: Set<SignatureAlgorithm>
    /// The secret of the symmetric algorithms.
    public var secret: [UInt8]?
    /// Where the set of keys is; nil where there is none.
    public var keys: KeyLocation?
    /// What `iss` must be.
    public var issuer: String?
    /// What must be among `aud`.
    public var audience: String?
    /// How many seconds the clocks may differ.
    public var leeway = 0.0
    /// The path of the claim that holds the roles.
    public var rolesClaim = AccessConfiguration.defaultRolesClaim

    /// Tokens that are signed by one of these algorithms.
    public init(algorithms: Set<SignatureAlgorithm>) {
      self.algorithms = algorithms
    }
  }

  /// Which role of the database a client becomes.
  public struct DatabaseRoles: Sendable {
    /// The path of the claim that names it.
    public var claim: String
    /// The role of those whose credentials name none; nil where they are refused.
    public var anonymous: String?

    /// Roles that this claim names.
    public init(claim: String, anonymous: String? = nil) {
      self.claim = claim
      self.anonymous = anonymous
    }
  }

  /// Where a JWK set (RFC 7517 §5) is.
  public enum KeyLocation: Sendable, Hashable {
    /// A file, which is read again when it changes.
    case file(String)
    /// An `https` URL, whose content is cached.
    case url(String)
  }

  /// A key that a client sends as a bearer token; only its digest is kept.
  public struct APIKey: Sendable {
    /// The SHA-256 of the key.
    public let digest: [UInt8]
    /// The roles of the holder of the key.
    public let roles: Set<String>
    /// The claims of the holder of the key.
    public let claims: [String: SQLValue]

    /// A key by its digest.
    public init(digest: [UInt8], roles: Set<String>, claims: [String: SQLValue] = [:]) {
      self.digest = digest
      self.roles = roles
      self.claims = claims
    }

    /// A key in clear.
    public init(key: String, roles: Set<String>, claims: [String: SQLValue] = [:]) {
      self.init(digest: HashFunction.sha256.digest(of: Array(key.utf8)), roles: roles, claims: claims)
    }

    /// Returns a new key; nil where the system has no randomness to give.
    public static func random() -> String? {
      [UInt8].random(count: 32).map { "kindred_" + Base64.encodeForURL($0) }
    }
  }
}
