import KindredModel
import KindredCryptography
import KindredSQLSyntax
import KindredRequests

/// How clients authenticate: the `access` section of the configuration file (docs/access.md).
///
/// What they may do is defined in the model file.
public struct AccessConfiguration: Sendable {
  /// The accepted tokens; nil for none.
  public var tokens: Tokens?
  /// The accepted API keys.
  public var keys: [APIKey] = []
  /// The roles of clients without credentials.
  public var anonymousRoles: NameSet = []
  /// The roles that may see plans and metrics; nil if the configuration doesn't say.
  public var operatorRoles: NameSet?

  /// How clients are mapped to roles of the database, which has its own access rules; nil if all requests run as the
  /// user of its connections.
  public var databaseRoles: DatabaseRoles?

  /// The claim that holds the roles, unless the configuration names another.
  public static let defaultRolesClaim = "roles"

  /// Creates a configuration that accepts no credentials.
  public init() {}

  /// Which JSON Web Tokens (RFC 7519) are accepted.
  public struct Tokens: Sendable {
    /// The accepted signature algorithms, whatever a token claims.
    public var algorithms: Set<SignatureAlgorithm>
    /// The secret of the symmetric algorithms.
    public var secret: [UInt8]?
    /// The location of the JWK set, if there is one.
    public var keys: KeyLocation?
    /// The required value of `iss`; nil accepts any.
    public var issuer: String?
    /// The value that `aud` must contain; nil accepts any.
    public var audience: String?
    /// The tolerated clock skew in seconds.
    public var leeway = 0.0
    /// The path of the claim that holds the roles.
    public var rolesClaim = AccessConfiguration.defaultRolesClaim

    /// Creates the settings of tokens that are signed with one of these algorithms.
    public init(algorithms: Set<SignatureAlgorithm>) {
      self.algorithms = algorithms
    }
  }

  /// Determines a client's role in the database.
  public struct DatabaseRoles: Sendable {
    /// The path of the claim that names the role.
    public var claim: String
    /// The role of clients without credentials, or whose credentials name none; nil if such clients are refused.
    public var anonymous: String?
    /// The names of the header fields that policies of the database can read.
    public var headers: [String]

    /// Creates a mapping by a claim.
    public init(claim: String, anonymous: String? = nil, headers: [String] = []) {
      self.claim = claim
      self.anonymous = anonymous
      self.headers = headers
    }
  }

  /// The location of a JWK set (RFC 7517 §5).
  public enum KeyLocation: Sendable {
    /// A file, which is read again when it changes.
    case file(String)
    /// An `https` URL, whose content is cached, and what fetches it.
    case url(String, fetch: Fetch)

    /// Returns the content at a URL, of at most a length in bytes, within a time in seconds.
    public typealias Fetch = @Sendable (_ url: String, _ time: Double, _ maximumLength: Int) throws -> [UInt8]

    /// The path or the URL.
    var name: String {
      switch self {
      case .file(let path): path
      case .url(let url, _): url
      }
    }
  }

  /// A key that a client sends as a bearer token; only its digest is kept.
  public struct APIKey: Sendable {
    /// The SHA-256 of the key.
    public let digest: [UInt8]
    /// The roles of the holder of the key.
    public let roles: NameSet
    /// The claims of the holder of the key.
    public let claims: [String: SQLValue]

    /// Creates a key from its digest.
    public init(digest: [UInt8], roles: NameSet, claims: [String: SQLValue] = [:]) {
      self.digest = digest
      self.roles = roles
      self.claims = claims
    }

    /// Creates a key from its text.
    public init(key: String, roles: NameSet, claims: [String: SQLValue] = [:]) {
      self.init(digest: HashFunction.sha256.digest(of: Array(key.utf8)), roles: roles, claims: claims)
    }

    /// Returns a new random key.
    public static func random() -> String { "kindred_" + Base64.encodeForURL(.random(count: 32)) }
  }
}
