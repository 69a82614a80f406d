import CKindredOpenSSL

/// Encrypts and authenticates messages by AES-SIV with a key of 256 bits (RFC 5297).
///
/// It needs no nonce: equal messages have equal sealed forms, which reveal nothing else but their length.
public final class Seal: @unchecked Sendable {
  // Both contexts hold the key and are only copied from, which is safe on any thread.
  private let sealing: OpaquePointer
  private let opening: OpaquePointer
  /// The number of bytes by which a sealed message is longer, for the synthetic initialisation vector.
  public static let overhead = 16
  /// The length of a key in bytes.
  public static let keyLength = 32

  /// Creates a seal; nil if the key isn't ``keyLength`` bytes long, or OpenSSL lacks the cipher.
  public init?(key: [UInt8]) {
    guard key.count == Self.keyLength, let cipher = EVP_CIPHER_fetch(nil, "AES-128-SIV", nil) else {
      return nil
    }
    defer { EVP_CIPHER_free(cipher) }
    guard let sealing = EVP_CIPHER_CTX_new() else { return nil }
    guard let opening = EVP_CIPHER_CTX_new() else {
      EVP_CIPHER_CTX_free(sealing)
      return nil
    }
    (self.sealing, self.opening) = (sealing, opening)
    guard EVP_EncryptInit_ex2(sealing, cipher, key, nil, nil) == 1,
      EVP_DecryptInit_ex2(opening, cipher, key, nil, nil) == 1
    else { return nil }
  }

  deinit {
    EVP_CIPHER_CTX_free(sealing)
    EVP_CIPHER_CTX_free(opening)
  }

  /// Returns the sealed message.
  ///
  /// - Parameters:
  ///   - message: at least one byte.
  ///   - associated: the associated data, which must be the same when the message is opened.
  /// - Returns: Nil for an empty message, or if OpenSSL fails, as for lack of memory.
  public func seal(_ message: [UInt8], with associated: [UInt8]) -> [UInt8]? {
    // OpenSSL treats an update without bytes as the end of the message.
    guard !message.isEmpty else { return nil }
    var sealed = [UInt8](repeating: 0, count: Self.overhead + message.count)
    let isSealed = withCopy(of: sealing) { context in
      sealed.withUnsafeMutableBufferPointer { sealed in
        guard let start = sealed.baseAddress else { return false }
        var count: Int32 = 0
        return EVP_EncryptUpdate(context, nil, &count, associated, Int32(associated.count)) == 1
          && EVP_EncryptUpdate(context, start + Self.overhead, &count, message, Int32(message.count)) == 1
          && EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, Int32(Self.overhead), start) == 1
      }
    }
    return isSealed ? sealed : nil
  }

  /// Returns the message that was sealed with this key and the same associated data; nil for anything else.
  public func open(_ sealed: [UInt8], with associated: [UInt8]) -> [UInt8]? {
    guard sealed.count > Self.overhead else { return nil }
    var tag = Array(sealed[..<Self.overhead])
    let content = Array(sealed[Self.overhead...])
    var message = [UInt8](repeating: 0, count: content.count)
    let isOpen = withCopy(of: opening) { context in
      var count: Int32 = 0
      return EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, Int32(Self.overhead), &tag) == 1
        && EVP_DecryptUpdate(context, nil, &count, associated, Int32(associated.count)) == 1
        && EVP_DecryptUpdate(context, &message, &count, content, Int32(content.count)) == 1
    }
    return isOpen ? message : nil
  }

  private func withCopy(of context: OpaquePointer, _ body: (OpaquePointer) -> Bool) -> Bool {
    guard let copy = EVP_CIPHER_CTX_new() else { return false }
    defer { EVP_CIPHER_CTX_free(copy) }
    guard EVP_CIPHER_CTX_copy(copy, context) == 1 else { return false }
    return body(copy)
  }
}
