import KindredCryptography
import KindredRequests

/// A set of keys to verify tokens with (RFC 7517 §5).
struct KeySet: Sendable {
  /// A key and its permitted use.
  struct Key: Sendable {
    enum Material: Sendable {
      case secret([UInt8])
      case publicKey(PublicKey)
    }

    let material: Material
    let id: String?
    /// The only algorithm that the key is for; nil for all algorithms of its type.
    let algorithm: String?
    /// Identifies the key: the hash of its JWK.
    let fingerprint: [UInt8]

    func verifies(_ signature: [UInt8], of message: [UInt8], by algorithm: SignatureAlgorithm) -> Bool {
      switch material {
      case .publicKey(let key): key.verifies(signature, of: message, by: algorithm)
      case .secret(let secret):
        algorithm.hash.authenticationCode(of: message, key: secret).isEqualInConstantTime(to: signature)
      }
    }

    fileprivate func isFor(_ algorithm: SignatureAlgorithm) -> Bool {
      guard self.algorithm == nil || self.algorithm == algorithm.rawValue else { return false }
      switch material {
      case .publicKey(let key): return key.kind == algorithm.keyKind
      // RFC 7518 §3.2: the key must be at least as long as the digest.
      case .secret(let secret): return algorithm.isSymmetric && secret.count >= algorithm.hash.digestLength
      }
    }
  }

  private(set) var keys: [Key] = []
  /// Why keys were skipped: a line for each.
  private(set) var refusals: [String] = []

  /// The largest number of keys: an issuer's set is much smaller.
  private static let maximumCount = 256

  /// - Throws: `KeySetError` if the bytes aren't a JWK set or contain no usable key.
  init(_ bytes: [UInt8]) throws {
    guard let document = try? JSONDocumentParser.parse(bytes),
      case .array(let elements)? = document.root["keys"]?.content
    else { throw KeySetError("it is not a JWK set, which is an object with the member `keys`") }
    for (index, element) in elements.prefix(Self.maximumCount).enumerated() {
      do {
        let fingerprint = HashFunction.sha256.digest(of: Array(document.bytes[element.range]))
        if let key = try Self.key(element, fingerprint) { keys.append(key) }
      } catch let refusal as PublicKey.Refusal {
        refusals.append("key \(index + 1) of the set is ignored: \(refusal)")
      }
    }
    guard !keys.isEmpty else {
      throw KeySetError(
        "it contains no key that can verify signatures" + (refusals.first.map { " (\($0))" } ?? ""))
    }
  }

  /// Returns whether the set has a key with this ID.
  func hasKey(_ id: String) -> Bool { keys.contains { $0.id == id } }

  /// Returns the keys that may have signed a token.
  func candidates(for algorithm: SignatureAlgorithm, keyID: String?) -> [Key] {
    keys.filter { key in key.isFor(algorithm) && (keyID == nil || key.id == nil || key.id == keyID) }
  }

  /// Returns a key of the set, or nil if its use or type is another, so that it must be ignored (§5).
  private static func key(_ node: JSONDocument.Node, _ fingerprint: [UInt8]) throws -> Key? {
    func text(_ name: String) -> String? { node[name]?.string }
    func bytes(_ name: String) throws -> [UInt8] {
      guard let bytes = text(name).flatMap({ Base64.decodeStrictly($0.utf8[...]) }) else {
        throw PublicKey.Refusal("`\(name)` is missing or is not base64url")
      }
      return bytes
    }
    if let use = text("use"), use != "sig" { return nil }
    if case .array(let operations)? = node["key_ops"]?.content,
      !operations.contains(where: { $0.string == "verify" })
    {
      return nil
    }
    let material: Key.Material
    switch text("kty") {
    case "RSA": material = .publicKey(try PublicKey(modulus: try bytes("n"), exponent: try bytes("e")))
    case "EC":
      material = .publicKey(try PublicKey(curve: text("crv") ?? "", x: try bytes("x"), y: try bytes("y")))
    case "OKP": material = .publicKey(try PublicKey(curve: text("crv") ?? "", x: try bytes("x")))
    case "oct": material = .secret(try bytes("k"))
    default: return nil
    }
    return Key(material: material, id: text("kid"), algorithm: text("alg"), fingerprint: fingerprint)
  }
}

/// An error in reading a set of keys.
public struct KeySetError: Error, CustomStringConvertible {
  /// The location of the set and the reason.
  public let description: String

  init(_ description: String) {
    self.description = description
  }
}
