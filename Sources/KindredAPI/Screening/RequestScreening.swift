import KindredHTTP
import KindredRequests

/// Refuses requests by their method, target and header fields alone, before anything is read or written.
struct RequestScreening: Sendable {
  /// The hosts under which the service may be addressed.
  let hosts: AllowedHosts
  /// Which pages of other origins may use the service; nil for none.
  let cors: CORSPolicy?

  /// Returns whether a request to a path is a check of a monitor: it must report on the server, whatever the client's
  /// limits and the host are.
  static func isExempt(_ path: Substring) -> Bool {
    // Looked at for each request, so without the route: as in that, a trailing slash is ignored.
    var path = path
    return path.withUTF8 { path in
      let path = path.last == UInt8(ascii: "/") ? path.dropLast() : path[...]
      return path.equals("/-/health") || path.equals("/-/ready")
    }
  }

  /// - Throws: `Problem`: 421 for a host that isn't the server's and for https without TLS, 501 for an unknown method, 403 for a write that a
  ///   page of another site has sent.
  func check(_ request: HTTPRequest) throws {
    if !isAddressed(by: request), !Self.isExempt(request.path) { throw Problem.misdirected }
    // RFC 9110 §7.4: over a connection that isn't secured, a request for an https URL MUST be rejected.
    guard !request.isForHTTPS || request.isSecure else { throw Problem.unsecured }
    if request.method.isSafe { return }
    // TRACE is a known method that is allowed nowhere, which is 405 (RFC 9110 §15.5.6).
    guard HTTPMethod.supported.contains(request.method) || request.method.token == "TRACE" else {
      throw Problem.unknownMethod(request.method)
    }
    guard !isFromOtherSite(request) else { throw Problem.foreignSite }
  }

  /// Returns the origin of a page that may read nothing, for the log; nil for requests of other senders.
  func refusedOrigin(of request: HTTPRequest) -> String? {
    guard let origin = request.headers["Origin"], !isOwn(origin, of: request), cors?.allows(origin) != true
    else {
      return nil
    }
    return origin
  }

  private func isAddressed(by request: HTTPRequest) -> Bool {
    // Only an HTTP/1.0 client may omit Host, and no browser is one (RFC 9112 §3.2).
    request.headers.withBytes(of: "Host") { hosts.contains($0) } ?? true
  }

  /// Returns whether a browser says that a page of another origin sent the request.
  ///
  /// Browsers say so in `Origin` (Fetch standard, §3.1) and `Sec-Fetch-Site` (Fetch Metadata, §2.4); other programs
  /// send neither.
  private func isFromOtherSite(_ request: HTTPRequest) -> Bool {
    let origins = request.headers.values(for: "Origin")
    guard origins.isEmpty else {
      return !origins.allSatisfy { isOwn($0, of: request) || cors?.allows($0) ?? false }
    }
    return !request.headers.values(for: "Sec-Fetch-Site").allSatisfy { ["same-origin", "none"].contains($0) }
  }

  /// Returns whether an origin is that of the request's own URL.
  ///
  /// The scheme is that of the connection, or the one that a trusted proxy names. A proxy that names none may terminate
  /// TLS, so a plain request may come from a page with an `https` origin, but not under the names of the machine itself,
  /// where browsers need no proxy.
  private func isOwn(_ origin: String, of request: HTTPRequest) -> Bool {
    guard let host = request.headers["Host"]?.lowercased() else { return false }
    let isLocal = request.headers.withBytes(of: "Host") { AllowedHosts.loopback.contains($0) } ?? false
    var schemes = request.isSecure ? [("https://", ":443")] : [("http://", ":80")]
    if !request.isSecure, !isLocal { schemes.append(("https://", ":443")) }
    return schemes.contains { scheme, port in
      // Browsers omit the scheme's default port (Fetch standard, "serialization of an origin").
      origin.lowercased() == scheme + (host.hasSuffix(port) ? host.dropLast(port.count) : host[...])
    }
  }
}

extension HTTPMethod {
  /// The methods that any path supports (RFC 9110 §9.1).
  public static let supported: [HTTPMethod] = [.get, .head, .options, .query, .post, .put, .patch, .delete]

  /// Whether the method is safe (RFC 9110 §9.2.1).
  public var isSafe: Bool { self == .get || self == .head || self == .options || self == .query }
}

extension Problem {
  /// 421: the request is for another server.
  static var misdirected: Problem {
    Problem(
      .misdirected,
      "this host name is not one of the server's; use the one that it prints when it starts, or start it with `--allowed-hosts`"
    )
  }

  /// 421: the request is for a URL that only a secured connection may ask for.
  static var unsecured: Problem {
    Problem(
      .misdirected,
      "the target is an https URL, but the connection isn't secured; write the path alone, or connect with TLS"
    )
  }

  /// 501: no resource supports the method.
  static func unknownMethod(_ method: HTTPMethod) -> Problem {
    Problem(
      .unknownMethod,
      "the method \(method.token) is not supported; the supported methods are "
        + HTTPMethod.supported.map(\.token).joined(separator: ", "))
  }

  /// 403: a page of another origin tries to write.
  static var foreignSite: Problem {
    Problem(
      .foreignSite,
      "pages of other sites aren't allowed to write; to allow this one, add its origin to `--cors-origins`, or let the proxy in front of the server pass on the `Host` that the browser sent"
    )
  }
}
