import KindredAPI
import KindredModel
import KindredCryptography
import KindredHTTPClient
import KindredSQLSyntax
import KindredYAML

/// The section `access` of the configuration file: how clients are authenticated.
///
/// It is a tree, so unlike settings it can't also be an option or an environment variable.
struct AccessSection {
  static let name = "access"

  private let root: ConfigurationNode

  /// - Parameter path: the path of the file, for error messages.
  init(_ node: YAMLNode, in path: String) {
    root = ConfigurationNode(node, in: path, key: Self.name)
  }

  /// Returns the configuration that the section describes.
  ///
  /// - Throws: the first mistake
  func configuration() throws -> AccessConfiguration {
    let mistakes = Mistakes()
    let configuration = configuration(mistakes)
    try mistakes.check()
    return configuration
  }

  /// Returns the configuration that the valid parts of the section describe.
  ///
  /// - Parameter mistakes: receives a `ConfigurationError` for each of the others.
  func configuration(_ mistakes: Mistakes) -> AccessConfiguration {
    var configuration = AccessConfiguration()
    let members = mistakes.attempt {
      try root.members(
        ["jwt", "keys", "anonymous", "operations"], mistakes,
        elsewhere: ["read", "create", "update", "delete", "write"].map {
          (
            $0,
            "it belongs to `access` of the model file, which says what roles may do; `access` of the configuration says who clients are: move it there"
          )
        })
    }
    for (name, value) in members ?? [] {
      mistakes.attempt {
        switch name {
        case "jwt": configuration.tokens = try tokens(value, mistakes)
        case "keys":
          configuration.keys = try value.elements().compactMap { element in
            mistakes.attempt { try key(element, mistakes) }
          }
        case "anonymous": configuration.anonymousRoles = NameSet(try value.texts())
        default: configuration.operatorRoles = NameSet(try value.texts())
        }
      }
    }
    return configuration
  }

  // MARK: Tokens

  private func tokens(
    _ node: ConfigurationNode, _ mistakes: Mistakes
  ) throws -> AccessConfiguration.Tokens {
    var tokens = AccessConfiguration.Tokens(algorithms: [])
    let names = [
      "algorithm", "algorithms", "secret", "secretFile", "keys", "issuer", "audience", "leeway", "roles",
    ]
    let before = mistakes.all.count
    for (name, value) in try node.members(names, mistakes) {
      mistakes.attempt { try set(name, value, in: &tokens) }
    }
    // What depends on several members can be judged only if each is valid.
    if mistakes.all.count == before { try check(tokens, node) }
    return tokens
  }

  private func set(
    _ name: String, _ value: ConfigurationNode, in tokens: inout AccessConfiguration.Tokens
  ) throws {
    switch name {
    case "algorithm": tokens.algorithms.insert(try algorithm(value))
    case "algorithms": tokens.algorithms.formUnion(try value.elements().map(algorithm))
    case "secret": tokens.secret = try secret(Array(try value.text().utf8), beside: tokens, value)
    case "secretFile": tokens.secret = try secret(try secretFile(value), beside: tokens, value)
    case "keys": tokens.keys = try location(value)
    case "issuer": tokens.issuer = try value.text()
    case "audience": tokens.audience = try value.text()
    case "leeway": tokens.leeway = try leeway(value)
    default: tokens.rolesClaim = try value.text()
    }
  }

  private func algorithm(_ node: ConfigurationNode) throws -> SignatureAlgorithm {
    let text = try node.text()
    guard let algorithm = SignatureAlgorithm(rawValue: text) else {
      let names = SignatureAlgorithm.allCases.map(\.rawValue)
      throw node.error(
        "`\(text)` is not a supported algorithm; the algorithms are \(names.joined(separator: ", "))")
    }
    return algorithm
  }

  private func secret(
    _ secret: [UInt8], beside tokens: AccessConfiguration.Tokens, _ node: ConfigurationNode
  ) throws -> [UInt8] {
    guard tokens.secret == nil else { throw node.error("the secret is given twice; keep one of them") }
    return secret
  }

  private func secretFile(_ node: ConfigurationNode) throws -> [UInt8] {
    let path = try node.text()
    let bytes: [UInt8]
    do throws(TextFileError) {
      bytes = try TextFile.bytes(of: path)
    } catch {
      throw node.error("\(path): \(error)")
    }
    // Editors end the last line with a line break.
    return bytes.last == UInt8(ascii: "\n") ? bytes.dropLast(bytes.suffix(2) == [13, 10] ? 2 : 1) : bytes
  }

  private func location(_ node: ConfigurationNode) throws -> AccessConfiguration.KeyLocation {
    let text = try node.text()
    if text.lowercased().hasPrefix("https://") {
      return .url(text) { try HTTPClient.get($0, timeout: $1, maximumLength: $2) }
    }
    guard !text.contains("://") else {
      throw node.error(
        "keys must come from a file or an https URL, so that nobody can replace them on the way")
    }
    // It is read when the server starts; what is wrong with it belongs to this line of the configuration.
    do throws(TextFileError) {
      _ = try TextFile.bytes(of: text)
    } catch {
      throw node.error("\(text): \(error)")
    }
    return .file(text)
  }

  private func leeway(_ node: ConfigurationNode) throws -> Double {
    guard let limit = TimeLimit(setting: try node.text()) else {
      throw node.error("it must be \(TimeLimit.expectation)")
    }
    return limit.span.map { Double($0.milliseconds) / 1000 } ?? 0
  }

  /// Checks that each algorithm has a key or a secret, and that secrets are long enough.
  private func check(_ tokens: AccessConfiguration.Tokens, _ node: ConfigurationNode) throws {
    guard !tokens.algorithms.isEmpty else {
      throw node.error("`algorithm` is missing; it can't be taken from the tokens, which are not trusted")
    }
    let symmetric = tokens.algorithms.filter(\.isSymmetric)
    if let secret = tokens.secret {
      guard let longest = symmetric.map(\.hash.digestLength).max() else {
        throw node.error("a secret requires HS256, HS384 or HS512, and `algorithms` contains none of them")
      }
      // RFC 7518 §3.2
      guard secret.count >= longest else {
        throw node.error(
          "the secret has \(secret.count) bytes, and its algorithm needs at least \(longest); create one with `openssl rand -base64 \(longest)`"
        )
      }
    } else if !symmetric.isEmpty, tokens.keys == nil {
      throw node.error(
        "`secret` or `secretFile` is missing for \(symmetric.map(\.rawValue).sorted().joined(separator: ", "))"
      )
    }
    if let algorithm = tokens.algorithms.first(where: { !$0.isSymmetric }), tokens.keys == nil {
      throw node.error(
        "`keys` is missing; \(algorithm.rawValue) needs a JWK set, in a file or at an https URL")
    }
  }

  // MARK: API keys

  private func key(
    _ node: ConfigurationNode, _ mistakes: Mistakes
  ) throws -> AccessConfiguration.APIKey {
    var digest: [UInt8]?
    var roles: NameSet = []
    var claims: [String: SQLValue] = [:]
    func set(_ value: [UInt8], _ node: ConfigurationNode) throws {
      guard digest == nil else { throw node.error("write `sha256` or `key`, not both") }
      digest = value
    }
    for (name, value) in try node.members(["sha256", "key", "roles", "claims"], mistakes) {
      switch name {
      case "sha256":
        guard let bytes = [UInt8](hexadecimal: try value.text()), bytes.count == 32 else {
          throw value.error(
            "it must be 64 hexadecimal digits in lower case; `kindred key` creates a key and its digest")
        }
        try set(bytes, value)
      case "key": try set(AccessConfiguration.APIKey(key: try value.text(), roles: []).digest, value)
      case "roles": roles = NameSet(try value.texts())
      default:
        for (claim, value) in try value.members(nil, mistakes) { claims[claim] = try value.scalar() }
      }
    }
    guard let digest else {
      throw node.error("`sha256` is missing; `kindred key` creates a key and its digest")
    }
    return AccessConfiguration.APIKey(digest: digest, roles: roles, claims: claims)
  }
}
