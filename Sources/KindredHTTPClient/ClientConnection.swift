import CKindredOpenSSL
import CKindredSockets
import KindredHTTP
import KindredSystem

/// A client's connection; its calls block, and all of them together until one deadline.
///
/// The socket itself doesn't block: with a timeout for each read, a server that sends a byte now and then could hold
/// the thread without end.
final class ClientConnection {
  /// OpenSSL's context and session; nil without TLS.
  private var context: OpaquePointer?
  private var session: OpaquePointer?
  private var transport: PlainTransport?
  private var socket: CInt = -1
  private var deadline = Moment.never

  /// - Parameter timeout: The time in seconds until everything must be done, from when the host's address is known.
  init(_ target: HTTPTarget, timeout: Double) throws(HTTPClientError) {
    try connect(to: target, timeout: timeout)
    let transport = PlainTransport(descriptor: socket)
    self.transport = transport
    if target.isSecure { try shakeHands(with: target, over: transport) }
  }

  deinit {
    SSL_free(session)
    SSL_CTX_free(context)
    if socket >= 0 { Socket.close(socket) }
  }

  func write(_ text: String) throws(HTTPClientError) {
    let failure = "the request can't be sent"
    let bytes = Array(text.utf8)
    guard let transport, session == nil else {
      let count = try perform(failure) { SSL_write($0, bytes, CInt(bytes.count)) }
      guard count == CInt(bytes.count) else { throw self.failure(failure) }
      return
    }
    let nothing = UnsafeRawBufferPointer(start: nil, count: 0)
    var sent = 0
    while sent < bytes.count {
      sent += try transfer(failure, POLLOUT) {
        bytes[sent...].withUnsafeBytes { transport.write($0, nothing, nothing) }
      }
    }
  }

  func readToEnd(maximumLength: Int) throws(HTTPClientError) -> [UInt8] {
    let failure = "the response was interrupted"
    var content: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 16384)
    while true {
      let count =
        if let transport, session == nil {
          try transfer(failure, POLLIN) { buffer.withUnsafeMutableBytes { transport.read(into: $0) } }
        } else {
          Int(try perform(failure) { SSL_read($0, &buffer, CInt(buffer.count)) })
        }
      guard count > 0 else { return content }
      content += buffer[..<count]
      guard content.count <= maximumLength else { throw HTTPClientError("the response is too long") }
    }
  }

  private func connect(to target: HTTPTarget, timeout: Double) throws(HTTPClientError) {
    var hints = addrinfo()
    hints.ai_socktype = kindred_stream_type
    var found: UnsafeMutablePointer<addrinfo>?
    let port = target.port.isEmpty ? (target.isSecure ? "443" : "80") : target.port
    guard getaddrinfo(target.host, port, &hints, &found) == 0 else {
      throw HTTPClientError("the host \(target.host) is unknown")
    }
    defer { freeaddrinfo(found) }
    deadline = .now + .seconds(timeout)
    let addresses = sequence(first: found, next: { $0?.pointee.ai_next }).compactMap { $0?.pointee }
    for (number, address) in addresses.enumerated() {
      socket = kindred_stream_socket(address.ai_family)
      guard socket >= 0 else { continue }
      // An address that doesn't respond leaves time for the others.
      let now = Moment.now
      guard now < deadline else { break }
      let share = (deadline.nanoseconds - now.nanoseconds) / UInt64(addresses.count - number)
      if try connect(to: address, until: Moment(nanoseconds: now.nanoseconds + share)) { return }
      Socket.close(socket)
      socket = -1
    }
    throw HTTPClientError("\(target.authority) can't be reached")
  }

  private func connect(to address: addrinfo, until end: Moment) throws(HTTPClientError) -> Bool {
    if kindred_connect(socket, address.ai_addr, address.ai_addrlen) == 0 { return true }
    guard errno == EINPROGRESS, try wait(for: POLLOUT, until: end) else { return false }
    var error: CInt = 0
    var length = socklen_t(MemoryLayout<CInt>.size)
    return getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &length) == 0 && error == 0
  }

  private func shakeHands(with target: HTTPTarget, over transport: PlainTransport) throws(HTTPClientError) {
    context = SSL_CTX_new(TLS_client_method())
    guard let context, SSL_CTX_ctrl(context, SSL_CTRL_SET_MIN_PROTO_VERSION, Int(TLS1_2_VERSION), nil) == 1,
      SSL_CTX_set_default_verify_paths(context) == 1
    else { throw HTTPClientError("OpenSSL can't create a context") }
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nil)
    SSL_CTX_set_options(context, kindred_tls_client_options())
    session = SSL_new(context)
    guard let session, let bio = TransportBIO.make(over: transport) else {
      throw HTTPClientError("OpenSSL can't create a session")
    }
    SSL_set_bio(session, bio, bio)
    var address = in6_addr()
    let isAddress =
      inet_pton(AF_INET, target.host, &address) == 1 || inet_pton(AF_INET6, target.host, &address) == 1
    // Without the host, any valid certificate would do.
    let isHostSet =
      isAddress
      ? X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(session), target.host) == 1
      : SSL_set1_host(session, target.host) == 1
        && kindred_tls_set_server_name(session, target.host) == 1
    guard isHostSet else { throw HTTPClientError("OpenSSL can't verify the host \(target.host)") }
    guard try perform("the TLS handshake failed", SSL_connect) == 1 else {
      throw failure("the TLS handshake failed")
    }
  }

  /// Calls OpenSSL until it is done; returns 0 at the end of what the server sends.
  ///
  /// - Parameter failure: A clause that names what went wrong if it fails.
  private func perform(
    _ failure: String, _ operation: (OpaquePointer?) -> CInt
  ) throws(HTTPClientError) -> CInt {
    while true {
      ERR_clear_error()
      let result = operation(session)
      if result > 0 { return result }
      switch SSL_get_error(session, result) {
      case SSL_ERROR_WANT_READ: try wait(for: POLLIN)
      case SSL_ERROR_WANT_WRITE: try wait(for: POLLOUT)
      case SSL_ERROR_ZERO_RETURN: return 0
      default: throw self.failure(failure)
      }
      transport?.noteEvent(hasHungUp: false)
    }
  }

  /// Reads or writes without TLS; returns the number of bytes, 0 at the end of what the server sends.
  ///
  /// - Parameter failure: A clause that names what went wrong if it fails.
  private func transfer(
    _ failure: String, _ direction: some BinaryInteger, _ operation: () -> TransferResult
  ) throws(HTTPClientError) -> Int {
    while true {
      switch operation() {
      case .transferred(let count): return count
      case .ended: return 0
      case .failed: throw HTTPClientError(failure)
      case .wouldBlock, .interrupted: try wait(for: direction)
      }
      transport?.noteEvent(hasHungUp: false)
    }
  }

  /// Waits until the socket is ready, or has failed.
  private func wait(for events: some BinaryInteger) throws(HTTPClientError) {
    guard try wait(for: events, until: deadline) else {
      throw HTTPClientError("the server took too long to respond")
    }
  }

  /// Waits until the socket is ready, or has failed; returns false if neither happens in time.
  private func wait(for events: some BinaryInteger, until end: Moment) throws(HTTPClientError) -> Bool {
    while true {
      let now = Moment.now
      guard now < end else { return false }
      let milliseconds = (end.nanoseconds - now.nanoseconds) / 1_000_000 + 1
      var entry = pollfd(fd: socket, events: Int16(events), revents: 0)
      let count = poll(&entry, 1, CInt(clamping: milliseconds))
      if count > 0 { return true }
      guard count == 0 || errno == EINTR else { throw HTTPClientError("the connection can't be watched") }
    }
  }

  private func failure(_ what: String) -> HTTPClientError {
    defer { ERR_clear_error() }
    let result = SSL_get_verify_result(session)
    if result != Int(X509_V_OK), let reason = X509_verify_cert_error_string(result) {
      return HTTPClientError("\(what): \(String(cString: reason))")
    }
    return HTTPClientError(
      ERR_reason_error_string(ERR_peek_last_error()).map { "\(what): \(String(cString: $0))" } ?? what)
  }
}
