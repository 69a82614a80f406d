import KindredAssociations
import KindredHTTP

/// Refuses requests by their method, target and header fields alone, before anything is read or written.
extension KindredService {
  /// The methods that any path supports (RFC 9110 §9.1).
  static let methods: [HTTPMethod] = [.get, .head, .options, .query, .post, .put, .patch, .delete]

  /// Exempts health checks from the limits on connections and requests: they must report on the server, not on the
  /// client.
  public func isExempt(_ request: HTTPRequest) -> Bool { request.path == Self.healthPath }

  private static let healthPath = OperationsPage.health.path

  /// Returns the response to a request with content if its head already decides it, so that the content is neither sent
  /// nor read in vain.
  public func rejection(of request: HTTPRequest) -> HTTPResponse? {
    let timing = RequestTiming(isOn: options.tellsTiming)
    var principal: Principal?
    do {
      try screen(request)
      let sender = try self.principal(of: request)
      principal = sender
      try screenContent(of: request, sender)
      return nil
    } catch {
      return finished(answer(to: error, of: request, by: principal), to: request, timing)
    }
  }

  /// - Throws: `Problem` (405 or 415); `RequestError` (403 or 404).
  private func screenContent(of request: HTTPRequest, _ principal: Principal) throws {
    if request.method.isSafe { return }
    let route = try Route(request.path)
    guard case .records(let segments) = route else {
      try checkMethod(of: request, at: route)
      return try WriteContent.checkType(of: request, among: [MediaType.json.rawValue])
    }
    guard isWritable else { throw Problem.methodNotAllowed(request.method, allow: WriteTarget.allow()) }
    let model = try latestVersion().seen(by: principal).model
    let target = try WriteTarget(segments, in: model)
    try target.checkPermission(for: request.method, in: model)
    try target.checkMethod(request.method, in: model)
    if request.method != .delete { try WriteContent.checkType(of: request) }
  }

  /// - Throws: `Problem`: 421 for a host that isn't the server's, 501 for an unknown method, 403 for a write that a
  ///   page of another site has sent.
  func screen(_ request: HTTPRequest) throws {
    if !isAddressed(by: request), !isExempt(request) { throw Problem.misdirected }
    if request.method.isSafe { return }
    // TRACE is a known method that is allowed nowhere, which is 405 (RFC 9110 §15.5.6).
    guard Self.methods.contains(request.method) || request.method.token == "TRACE" else {
      throw Problem.unknownMethod(request.method)
    }
    guard !isFromOtherSite(request) else { throw Problem.foreignSite }
  }

  private func isAddressed(by request: HTTPRequest) -> Bool {
    // Only an HTTP/1.0 client may omit Host, and no browser is one (RFC 9112 §3.2).
    request.headers.withBytes(of: "Host") { options.hosts.contains($0) } ?? true
  }

  /// Returns whether a browser says that a page of another origin sent the request.
  ///
  /// Browsers say so in `Origin` (Fetch standard, §3.1) and `Sec-Fetch-Site` (Fetch Metadata, §2.4); other programs
  /// send neither.
  private func isFromOtherSite(_ request: HTTPRequest) -> Bool {
    let origins = request.headers.values(for: "Origin")
    guard origins.isEmpty else {
      return !origins.allSatisfy { isOwn($0, of: request) || options.cors?.allows($0) ?? false }
    }
    return !request.headers.values(for: "Sec-Fetch-Site").allSatisfy { ["same-origin", "none"].contains($0) }
  }

  /// Returns whether an origin is that of the request's own URL.
  ///
  /// A proxy in front may terminate TLS, so a plain request may come from a page with an `https` origin.
  private func isOwn(_ origin: String, of request: HTTPRequest) -> Bool {
    guard let host = request.headers["Host"]?.lowercased() else { return false }
    let schemes = request.isSecure ? [("https://", ":443")] : [("http://", ":80"), ("https://", ":443")]
    return schemes.contains { scheme, port in
      // Browsers omit the scheme's default port (Fetch standard, "serialization of an origin").
      origin.lowercased() == scheme + (host.hasSuffix(port) ? host.dropLast(port.count) : host[...])
    }
  }
}

extension HTTPMethod {
  /// Whether the method is safe (RFC 9110 §9.2.1).
  var isSafe: Bool { self == .get || self == .head || self == .options || self == .query }
}

extension Problem {
  /// 421: the request is for another server.
  static var misdirected: Problem {
    Problem(
      .misdirected,
      "this server has no such name: use the one that it prints at its start, or start it with `--allowed-hosts`"
    )
  }

  /// 501: no resource supports the method.
  static func unknownMethod(_ method: HTTPMethod) -> Problem {
    Problem(
      .unknownMethod,
      "no resource has the method \(method.token): "
        + KindredService.methods.map(\.token).joined(separator: ", ") + " are the known ones")
  }

  /// 403: a page of another origin tries to write.
  static var foreignSite: Problem {
    Problem(
      .foreignSite,
      "a page of another site may not write here: allow its origin with `--cors-origins` if it may")
  }
}
