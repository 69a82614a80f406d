import CKindredOpenSSL
import CKindredSockets

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Fetches small documents over HTTPS, such as the keys of an identity provider.
///
/// The certificate must be valid for the host, according to the authorities that the system trusts (`SSL_CERT_FILE`
/// names others).
/// Redirections are not followed.
public enum HTTPSClient {
  /// Returns the content of an `https` URL.
  ///
  /// - Parameters:
  ///   - timeout: The timeout in seconds, not counting the resolution of the host's name.
  ///   - maximumLength: The largest length of the content in bytes.
  /// - Throws: `HTTPSClientError`
  public static func get(_ url: String, timeout: Double, maximumLength: Int) throws -> [UInt8] {
    let target = try HTTPSTarget(url)
    let connection = try HTTPSConnection(target, timeout: timeout)
    try connection.write(
      "GET \(target.path) HTTP/1.1\r\nHost: \(target.authority)\r\nAccept: application/json\r\nUser-Agent: kindred\r\nConnection: close\r\n\r\n"
    )
    // The header and the framing may add as much as a request's header may have.
    let limits = HTTPLimits()
    let answer = try connection.readToEnd(maximumLength: maximumLength + limits.maxHeaderLength)
    return try content(of: answer, limits, maximumLength)
  }

  /// Returns the content of a complete response (RFC 9112 §6.3).
  static func content(of answer: [UInt8], _ limits: HTTPLimits, _ maximumLength: Int) throws -> [UInt8] {
    guard let end = answer.firstRange(of: Array("\r\n\r\n".utf8)) else {
      throw HTTPSClientError("the answer ends within its head")
    }
    let lines = String(decoding: answer[..<end.lowerBound], as: UTF8.self).split(separator: "\r\n")
    let status = lines.first?.split(separator: " ") ?? []
    guard status.count >= 2, status[0].hasPrefix("HTTP/1."), status[1] == "200" else {
      throw HTTPSClientError("the answer is `\(status.dropFirst().joined(separator: " "))`, and not 200")
    }
    func field(_ name: String) -> String? {
      lines.dropFirst().lazy.compactMap { line -> String? in
        let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].lowercased() == name else { return nil }
        return parts[1].drop { $0 == " " }.lowercased()
      }.first
    }
    let content = Array(answer[end.upperBound...])
    if field("transfer-encoding")?.hasSuffix("chunked") ?? false {
      var decoder = ChunkedDecoder(limits: limits)
      var decoded: [UInt8] = []
      let isAtEnd = try content.withUnsafeBytes {
        try decoder.decode($0, from: 0, into: &decoded, maxLength: maximumLength).isAtEnd
      }
      guard isAtEnd else { throw HTTPSClientError("the answer ends within a chunk") }
      return decoded
    }
    if let length = field("content-length").flatMap({ Int($0) }), length != content.count {
      throw HTTPSClientError("the answer ends before its content does")
    }
    return content
  }
}

/// Why a document can't be fetched.
public struct HTTPSClientError: Error, CustomStringConvertible {
  /// A clause that names the reason.
  public let description: String

  init(_ description: String) {
    self.description = description
  }
}

/// The parts of an `https` URL (RFC 3986 §3).
struct HTTPSTarget {
  let authority: String
  let host: String
  let port: String
  let path: String

  init(_ url: String) throws(HTTPSClientError) {
    let scheme = "https://"
    guard url.lowercased().hasPrefix(scheme), url.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
      throw HTTPSClientError("it is no https URL")
    }
    let rest = url.dropFirst(scheme.count).prefix { $0 != "#" }
    let authority = rest.prefix { $0 != "/" && $0 != "?" }
    let path = rest.dropFirst(authority.count)
    self.authority = String(authority)
    self.path = path.hasPrefix("/") ? String(path) : "/\(path)"
    if authority.hasPrefix("["), let end = authority.firstIndex(of: "]") {
      host = String(authority[authority.index(after: authority.startIndex)..<end])
      port = String(authority[authority.index(after: end)...].drop { $0 == ":" })
    } else {
      let parts = authority.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      host = String(parts.first ?? "")
      port = parts.count > 1 ? String(parts[1]) : ""
    }
    guard !host.isEmpty, !authority.contains("@"), port.isEmpty || UInt16(port) != nil else {
      throw HTTPSClientError("it is no https URL")
    }
  }
}

/// A client's connection, with blocking calls.
private final class HTTPSConnection {
  private let context: OpaquePointer
  private var session: OpaquePointer?
  private var socket: CInt = -1
  private let deadline: ContinuousClock.Instant

  init(_ target: HTTPSTarget, timeout: Double) throws(HTTPSClientError) {
    deadline = .now + .milliseconds(Int64(timeout * 1000))
    guard let context = SSL_CTX_new(TLS_client_method()) else {
      throw HTTPSClientError("OpenSSL gives no context")
    }
    self.context = context
    SSL_CTX_ctrl(context, SSL_CTRL_SET_MIN_PROTO_VERSION, Int(TLS1_2_VERSION), nil)
    SSL_CTX_set_default_verify_paths(context)
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nil)
    SSL_CTX_set_options(context, kindred_tls_client_options())
    try connect(target, timeout: timeout)
    session = SSL_new(context)
    var address = in6_addr()
    let isAddress =
      inet_pton(AF_INET, target.host, &address) == 1 || inet_pton(AF_INET6, target.host, &address) == 1
    if isAddress {
      X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(session), target.host)
    } else {
      SSL_set1_host(session, target.host)
      _ = kindred_tls_set_server_name(session, target.host)
    }
    SSL_set_fd(session, socket)
    ERR_clear_error()
    guard SSL_connect(session) == 1 else { throw failure("the TLS handshake fails") }
  }

  deinit {
    SSL_free(session)
    SSL_CTX_free(context)
    if socket >= 0 { _ = close(socket) }
  }

  private func connect(_ target: HTTPSTarget, timeout: Double) throws(HTTPSClientError) {
    var hints = addrinfo()
    hints.ai_socktype = kindred_stream_type
    var found: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(target.host, target.port.isEmpty ? "443" : target.port, &hints, &found) == 0 else {
      throw HTTPSClientError("the host \(target.host) is not known")
    }
    defer { freeaddrinfo(found) }
    // SO_SNDTIMEO applies to connecting too (socket(7)).
    var time = timeval(tv_sec: .init(timeout), tv_usec: .init((timeout - timeout.rounded(.down)) * 1e6))
    var next = found
    while let address = next?.pointee, ContinuousClock.now < deadline {
      next = address.ai_next
      let candidate = kindred_blocking_stream_socket(address.ai_family, address.ai_protocol)
      guard candidate >= 0 else { continue }
      setsockopt(candidate, SOL_SOCKET, SO_RCVTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
      setsockopt(candidate, SOL_SOCKET, SO_SNDTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
      if kindred_connect(candidate, address.ai_addr, address.ai_addrlen) == 0 {
        socket = candidate
        return
      }
      _ = close(candidate)
    }
    throw HTTPSClientError("\(target.authority) can't be reached")
  }

  func write(_ text: String) throws(HTTPSClientError) {
    let bytes = Array(text.utf8)
    guard SSL_write(session, bytes, CInt(bytes.count)) == CInt(bytes.count) else {
      throw failure("the request can't be sent")
    }
  }

  func readToEnd(maximumLength: Int) throws(HTTPSClientError) -> [UInt8] {
    var content: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 16384)
    while true {
      let count = SSL_read(session, &buffer, CInt(buffer.count))
      guard count > 0 else {
        let isAtEnd = SSL_get_error(session, count) == SSL_ERROR_ZERO_RETURN
        guard isAtEnd else { throw failure("the answer breaks off") }
        return content
      }
      content += buffer[..<Int(count)]
      guard content.count <= maximumLength else { throw HTTPSClientError("the answer is too long") }
      guard ContinuousClock.now < deadline else { throw HTTPSClientError("the answer takes too long") }
    }
  }

  private func failure(_ what: String) -> HTTPSClientError {
    defer { ERR_clear_error() }
    let result = SSL_get_verify_result(session)
    if result != Int(X509_V_OK), let reason = X509_verify_cert_error_string(result) {
      return HTTPSClientError("\(what): \(String(cString: reason))")
    }
    return HTTPSClientError(
      ERR_reason_error_string(ERR_peek_last_error()).map { "\(what): \(String(cString: $0))" } ?? what)
  }
}
