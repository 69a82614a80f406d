import CKindredOpenSSL

/// A public key that verifies signatures: RSA, an elliptic curve of NIST, or an Edwards curve.
public final class PublicKey: @unchecked Sendable {
  /// The kinds of keys, each of which verifies its own algorithms.
  public enum Kind: Sendable, Hashable {
    case rsa
    /// The curve P-256.
    case p256
    /// The curve P-384.
    case p384
    /// Ed25519 or Ed448.
    case edwards
  }

  /// The reason why a key can't be used.
  public struct Refusal: Error, CustomStringConvertible {
    /// A clause that states the reason.
    public let description: String

    /// Creates a refusal for this reason.
    public init(_ description: String) {
      self.description = description
    }
  }

  /// The kind of the key.
  public let kind: Kind
  /// Verifying doesn't modify the key, so it may be shared between threads.
  private let key: OpaquePointer

  /// The accepted lengths of RSA keys in bits: RFC 7518 §3.3 forbids shorter ones, and longer ones are slow to verify.
  private static let modulusLengths = 2048...8192

  /// Creates an RSA key from its modulus and exponent, as unsigned big-endian numbers (RFC 8017 §3.1).
  public init(modulus: [UInt8], exponent: [UInt8]) throws(Refusal) {
    let digits = modulus.drop { $0 == 0 }
    let length = digits.count * 8 - (digits.first?.leadingZeroBitCount ?? 0)
    guard Self.modulusLengths.contains(length) else {
      throw Refusal(
        "an RSA key must have \(Self.modulusLengths.lowerBound) to \(Self.modulusLengths.upperBound) bits, not \(length)"
      )
    }
    // With the exponent 1 any signature would be valid, and an even one is invalid for RSA.
    guard let last = exponent.last, last & 1 == 1, Array(exponent.drop { $0 == 0 }) != [1],
      exponent.count <= 8
    else {
      throw Refusal("the exponent of an RSA key must be an odd number of at least 3, with at most 8 bytes")
    }
    kind = .rsa
    key = try Self.decoded(
      algorithm: [0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01, 0x05, 0x00],
      key: DER.sequence(DER.integer(modulus) + DER.integer(exponent)))
  }

  /// Creates a key from a point on an elliptic curve of NIST (RFC 7518 §6.2.1).
  public init(curve: String, x: [UInt8], y: [UInt8]) throws(Refusal) {
    let identifier: [UInt8]
    let length: Int
    switch curve {
    case "P-256":
      (kind, length) = (.p256, 32)
      identifier = [0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07]
    case "P-384":
      (kind, length) = (.p384, 48)
      identifier = [0x06, 0x05, 0x2B, 0x81, 0x04, 0x00, 0x22]
    default: throw Refusal("the curve `\(curve)` is not supported")
    }
    guard x.count == length, y.count == length else {
      throw Refusal("the coordinates of a point on \(curve) must have \(length) bytes")
    }
    key = try Self.decoded(
      algorithm: [0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01] + identifier, key: [4] + x + y)
  }

  /// Creates a key of an Edwards curve (RFC 8037 §2).
  public init(curve: String, x: [UInt8]) throws(Refusal) {
    kind = .edwards
    let type: Int32
    switch curve {
    case "Ed25519": type = EVP_PKEY_ED25519
    case "Ed448": type = EVP_PKEY_ED448
    default: throw Refusal("the curve `\(curve)` is not supported")
    }
    guard let key = EVP_PKEY_new_raw_public_key(type, nil, x, x.count) else {
      ERR_clear_error()
      throw Refusal("`x` is not a key of \(curve)")
    }
    self.key = key
  }

  deinit { EVP_PKEY_free(key) }

  /// Decodes a SubjectPublicKeyInfo (RFC 5280 §4.1.2.7): OpenSSL checks that a point is on its curve.
  private static func decoded(algorithm: [UInt8], key: [UInt8]) throws(Refusal) -> OpaquePointer {
    let info = DER.sequence(DER.sequence(algorithm) + DER.bitString(key))
    let decoded = info.withUnsafeBufferPointer { bytes in
      var start = bytes.baseAddress
      return d2i_PUBKEY(nil, &start, bytes.count)
    }
    guard let decoded else {
      ERR_clear_error()
      throw Refusal("its numbers are not a valid key")
    }
    return decoded
  }

  /// Returns whether a signature of a message is valid for this key.
  ///
  /// - Parameter signature: the form of RFC 7518 §3 and RFC 8037 §3.1; for a NIST curve, two numbers of equal length.
  public func verifies(
    _ signature: [UInt8], of message: [UInt8], by algorithm: SignatureAlgorithm
  ) -> Bool {
    guard algorithm.keyKind == kind, let context = EVP_MD_CTX_new() else { return false }
    defer {
      EVP_MD_CTX_free(context)
      ERR_clear_error()
    }
    var keyContext: OpaquePointer?
    let hash = kind == .edwards ? nil : algorithm.hash.algorithm
    guard EVP_DigestVerifyInit(context, &keyContext, hash, nil, key) == 1 else { return false }
    var signature = signature
    switch kind {
    case .rsa:
      let padding = algorithm.isProbabilistic ? RSA_PKCS1_PSS_PADDING : RSA_PKCS1_PADDING
      guard EVP_PKEY_CTX_set_rsa_padding(keyContext, padding) == 1 else { return false }
      if algorithm.isProbabilistic {
        // The salt is as long as the digest (RFC 7518 §3.5).
        guard EVP_PKEY_CTX_set_rsa_pss_saltlen(keyContext, RSA_PSS_SALTLEN_DIGEST) == 1 else { return false }
      }
    case .p256, .p384:
      let length = kind == .p256 ? 32 : 48
      guard signature.count == 2 * length else { return false }
      signature = DER.sequence(
        DER.integer(Array(signature[..<length])) + DER.integer(Array(signature[length...])))
    case .edwards: break
    }
    return EVP_DigestVerify(context, signature, signature.count, message, message.count) == 1
  }
}

/// Encodes the ASN.1 types of keys and signatures (ITU-T X.690 §8 to §10).
private enum DER {
  static func sequence(_ content: [UInt8]) -> [UInt8] { tagged(0x30, content) }

  static func bitString(_ content: [UInt8]) -> [UInt8] { tagged(0x03, [0] + content) }

  /// Encodes an unsigned number without leading zeros, except one where the first bit would be read as a sign.
  static func integer(_ bytes: [UInt8]) -> [UInt8] {
    let digits = Array(bytes.drop { $0 == 0 })
    guard let first = digits.first else { return tagged(0x02, [0]) }
    return tagged(0x02, first & 0x80 == 0 ? digits : [0] + digits)
  }

  private static func tagged(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
    guard content.count >= 0x80 else { return [tag, UInt8(content.count)] + content }
    var length: [UInt8] = []
    var rest = content.count
    while rest > 0 {
      length.insert(UInt8(rest & 0xFF), at: 0)
      rest >>= 8
    }
    return [tag, 0x80 | UInt8(length.count)] + length + content
  }
}
