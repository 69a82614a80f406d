/// A signature algorithm of tokens, by its registered name (RFC 7518 §3.1, RFC 8037 §3.1).
///
/// `none` is not among them.
public enum SignatureAlgorithm: String, Sendable, Hashable, CaseIterable {
  case hs256 = "HS256"
  case hs384 = "HS384"
  case hs512 = "HS512"
  case rs256 = "RS256"
  case rs384 = "RS384"
  case rs512 = "RS512"
  case ps256 = "PS256"
  case ps384 = "PS384"
  case ps512 = "PS512"
  case es256 = "ES256"
  case es384 = "ES384"
  case edDSA = "EdDSA"

  /// Whether the same secret signs and verifies.
  public var isSymmetric: Bool { keyKind == nil }

  /// The kind of key that verifies its signatures; nil for a secret.
  public var keyKind: PublicKey.Kind? {
    switch self {
    case .hs256, .hs384, .hs512: nil
    case .rs256, .rs384, .rs512, .ps256, .ps384, .ps512: .rsa
    case .es256: .p256
    case .es384: .p384
    case .edDSA: .edwards
    }
  }

  /// The hash function of the message; not used by EdDSA, which has its own.
  public var hash: HashFunction {
    switch self {
    case .hs256, .rs256, .ps256, .es256, .edDSA: .sha256
    case .hs384, .rs384, .ps384, .es384: .sha384
    case .hs512, .rs512, .ps512: .sha512
    }
  }

  /// Whether an RSA signature uses PSS padding.
  var isProbabilistic: Bool { [.ps256, .ps384, .ps512].contains(self) }
}
