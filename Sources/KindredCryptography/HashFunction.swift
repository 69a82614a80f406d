import CKindredOpenSSL

/// A hash function of the SHA-2 family (FIPS 180-4).
public enum HashFunction: Sendable, Hashable {
  case sha256
  case sha384
  case sha512

  /// The length of a digest in bytes.
  public var digestLength: Int {
    switch self {
    case .sha256: 32
    case .sha384: 48
    case .sha512: 64
    }
  }

  var algorithm: OpaquePointer {
    switch self {
    case .sha256: EVP_sha256()
    case .sha384: EVP_sha384()
    case .sha512: EVP_sha512()
    }
  }

  /// Returns the digest of a message.
  public func digest(of message: [UInt8]) -> [UInt8] {
    var digest = [UInt8](repeating: 0, count: digestLength)
    EVP_Digest(message, message.count, &digest, nil, algorithm, nil)
    return digest
  }

  /// Returns the HMAC of a message (RFC 2104).
  public func authenticationCode(of message: [UInt8], key: [UInt8]) -> [UInt8] {
    var code = [UInt8](repeating: 0, count: digestLength)
    _ = HMAC(algorithm, key, Int32(key.count), message, message.count, &code, nil)
    return code
  }
}

extension [UInt8] {
  /// The bytes as lowercase hexadecimal digits.
  public var hexadecimal: String {
    let digits = Array("0123456789abcdef".utf8)
    return String(decoding: flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
  }

  /// Creates the bytes from lowercase hexadecimal digits; nil for any other text.
  public init?(hexadecimal text: some StringProtocol) {
    let digits = text.utf8.map { byte -> UInt8? in
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
      case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
      default: nil
      }
    }
    guard digits.count % 2 == 0, !digits.contains(nil) else { return nil }
    self = stride(from: 0, to: digits.count, by: 2).map { (digits[$0] ?? 0) << 4 | (digits[$0 + 1] ?? 0) }
  }

  /// Returns cryptographically secure random bytes, those of the system.
  public static func random(count: Int) -> [UInt8] {
    var generator = SystemRandomNumberGenerator()
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count)
    while bytes.count < count {
      let eight: UInt64 = generator.next()
      Swift.withUnsafeBytes(of: eight) { bytes += $0.prefix(count - bytes.count) }
    }
    return bytes
  }

  /// Returns whether both are equal, in a time that doesn't depend on where they differ.
  public func isEqualInConstantTime(to other: [UInt8]) -> Bool {
    count == other.count && CRYPTO_memcmp(self, other, count) == 0
  }
}
