import CKindredOpenSSL
import KindredSystem

/// A certificate with its key, and the settings of the handshake.
///
/// TLS 1.2 and 1.3 only; in 1.2 only suites with forward secrecy and authenticated encryption (RFC 9325 §4.2).
final class TLSContext: @unchecked Sendable {
  // OpenSSL counts the references to a context and locks its mutable state.
  private let context: OpaquePointer

  private static let cipherSuites = "ECDHE+AESGCM:ECDHE+CHACHA20"
  /// The curves of RFC 9325 §4.4.1.
  ///
  /// The finite fields and longer curves that OpenSSL also offers cost the server far more than the client ("D(HE)at").
  private static let groups = "X25519:P-256:P-384"

  /// Creates a context.
  ///
  /// - Throws: `HTTPServerError`, naming the file that can't be used and why.
  convenience init(_ configuration: TLSConfiguration) throws(HTTPServerError) {
    try Self.checkReadable(configuration.certificateFile, "certificate")
    try Self.checkReadable(configuration.keyFile, "key")
    try self.init()
    try load(configuration)
  }

  /// Creates a context with the certificate of another, and with new keys for the tickets that clients resume by.
  ///
  /// Anyone who learns the keys of the tickets can read every connection that was resumed by one, so they are changed
  /// (RFC 8446 §8.1, RFC 5077 §5.5).
  convenience init(renewing other: TLSContext) throws(HTTPServerError) {
    try self.init()
    var chain: OpaquePointer?
    SSL_CTX_ctrl(other.context, SSL_CTRL_GET_CHAIN_CERTS, 0, &chain)
    guard SSL_CTX_use_certificate(context, SSL_CTX_get0_certificate(other.context)) == 1,
      SSL_CTX_use_PrivateKey(context, SSL_CTX_get0_privatekey(other.context)) == 1,
      SSL_CTX_ctrl(context, SSL_CTRL_CHAIN, 1, UnsafeMutableRawPointer(chain)) == 1
    else { throw Self.failure("the certificate can't be reused") }
  }

  private init() throws(HTTPServerError) {
    guard let context = SSL_CTX_new(TLS_server_method()) else {
      throw Self.failure("OpenSSL can't create a context")
    }
    self.context = context
    SSL_CTX_set_options(context, kindred_tls_server_options())
    // A write may be repeated from another address and may be partial; idle connections hold no buffers.
    let modes =
      SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_RELEASE_BUFFERS
    SSL_CTX_ctrl(context, SSL_CTRL_MODE, Int(modes), nil)
    // One system call per record instead of two.
    SSL_CTX_ctrl(context, SSL_CTRL_SET_READ_AHEAD, 1, nil)
    var groups = Array(Self.groups.utf8CString)
    guard SSL_CTX_ctrl(context, SSL_CTRL_SET_MIN_PROTO_VERSION, Int(TLS1_2_VERSION), nil) == 1,
      SSL_CTX_set_cipher_list(context, Self.cipherSuites) == 1,
      SSL_CTX_ctrl(context, SSL_CTRL_SET_GROUPS_LIST, 0, &groups) == 1
    else { throw Self.failure("OpenSSL can't be restricted to TLS 1.2 and 1.3 with forward secrecy") }
    // Clients resume sessions with tickets, which cost the server no memory (RFC 8446 §2.2, RFC 5077).
    SSL_CTX_ctrl(context, SSL_CTRL_SET_SESS_CACHE_MODE, Int(SSL_SESS_CACHE_OFF), nil)
    Self.selectProtocol(context)
    // Without this, OpenSSL asks for the passphrase of an encrypted key on the terminal.
    SSL_CTX_set_default_passwd_cb(context) { _, _, _, _ in 0 }
  }

  deinit { SSL_CTX_free(context) }

  /// Returns the server's session for a new connection, or nil if memory is exhausted.
  func makeSession() -> OpaquePointer? {
    guard let session = SSL_new(context) else { return nil }
    SSL_set_accept_state(session)
    return session
  }

  private func load(_ configuration: TLSConfiguration) throws(HTTPServerError) {
    ERR_clear_error()
    guard SSL_CTX_use_certificate_chain_file(context, configuration.certificateFile) == 1 else {
      throw Self.failure(
        "the certificate file '\(configuration.certificateFile)' contains no certificate in PEM format")
    }
    // A key that doesn't match the certificate already fails here.
    guard SSL_CTX_use_PrivateKey_file(context, configuration.keyFile, SSL_FILETYPE_PEM) == 1 else {
      let isMismatch = ERR_GET_REASON(ERR_peek_last_error()) == X509_R_KEY_VALUES_MISMATCH
      guard !isMismatch else { throw Self.mismatch(configuration) }
      throw Self.failure(
        "the key file '\(configuration.keyFile)' contains no private key in PEM format without a passphrase")
    }
    guard SSL_CTX_check_private_key(context) == 1 else { throw Self.mismatch(configuration) }
  }

  private static func mismatch(_ configuration: TLSConfiguration) -> HTTPServerError {
    let (key, certificate) = (configuration.keyFile, configuration.certificateFile)
    return HTTPServerError(
      .certificate, "the key in '\(key)' doesn't match the first certificate in '\(certificate)'")
  }

  static func checkReadable(_ path: String, _ what: String) throws(HTTPServerError) {
    guard access(path, R_OK) == 0 else {
      throw HTTPServerError(
        .certificate, "the \(what) file '\(path)' can't be read: \(String(cString: strerror(errno)))")
    }
  }

  /// Returns the error of what OpenSSL couldn't do, with its reason.
  private static func failure(_ what: String) -> HTTPServerError {
    let code = ERR_peek_last_error()
    ERR_clear_error()
    let reason = ERR_reason_error_string(code).map { String(cString: $0) } ?? "no reason given"
    return HTTPServerError(.certificate, "\(what): \(reason)")
  }

  /// Chooses the protocol among the client's offers (RFC 7301 §3.2); without a common one the handshake fails
  /// with `no_application_protocol`.
  ///
  /// A client without the extension gets HTTP/1.1.
  private static func selectProtocol(_ context: OpaquePointer) {
    SSL_CTX_set_alpn_select_cb(
      context,
      { _, chosen, chosenLength, offered, offeredLength, _ in
        let list = UnsafeBufferPointer(start: offered, count: Int(offeredLength))
        var index = 0
        while index < list.count {
          let start = index + 1
          let end = start + Int(list[index])
          guard end <= list.count else { break }
          if list[start..<end].elementsEqual("http/1.1".utf8) {
            chosen?.pointee = offered.map { $0 + start }
            chosenLength?.pointee = UInt8(end - start)
            return SSL_TLSEXT_ERR_OK
          }
          index = end
        }
        return SSL_TLSEXT_ERR_ALERT_FATAL
      }, nil)
  }
}
