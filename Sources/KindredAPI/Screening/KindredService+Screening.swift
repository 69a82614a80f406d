import KindredAssociations
import KindredHTTP

/// What is refused by a request's method, target and header fields alone, before anything is read or written.
extension KindredService {
  /// The methods that some path has (RFC 9110 §9.1).
  static let methods: [HTTPMethod] = [.get, .head, .options, .query, .post, .put, .patch, .delete]

  /// Health is told whatever the limits on connections and requests: who asks must learn of the server, not of itself.
  public func isExempt(_ request: HTTPRequest) -> Bool { request.path == OperationsPage.health.path }

  /// The answer to a request with content where its head decides it, so that nobody sends or reads the content in vain.
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

  /// - Throws: `Problem`: 405 or 415; `RequestError`: 403 or 404.
  private func screenContent(of request: HTTPRequest, _ principal: Principal) throws {
    if request.method.isSafe { return }
    let route = try Route(request)
    guard case .records(let segments) = route else {
      try checkMethod(of: request, at: route)
      return try WriteContent.checkType(of: request, among: [MediaType.json.rawValue])
    }
    guard isWritable else { throw Problem.methodNotAllowed(request.method, allow: WriteTarget.allow()) }
    let model = try latestVersion().seen(by: principal).model
    let target = try WriteTarget(segments, in: model)
    try target.checkPermission(for: request.method, in: model)
    guard target.methods(in: model).contains(request.method) else {
      throw Problem.methodNotAllowed(request.method, allow: target.allow(in: model))
    }
    if request.method != .delete { try WriteContent.checkType(of: request) }
  }

  /// - Throws: `Problem`: 421 for a host that is not the server's, 501 for an unknown method, 403 for a write that
  ///   another site's page has sent.
  func screen(_ request: HTTPRequest) throws {
    if !isAddressed(by: request), request.path != OperationsPage.health.path { throw Problem.misdirected }
    if request.method.isSafe { return }
    // TRACE is known, and allowed nowhere: that is 405 (RFC 9110 §15.5.6).
    guard Self.methods.contains(request.method) || request.method.token == "TRACE" else {
      throw Problem.unknownMethod(request.method)
    }
    guard !isFromOtherSite(request) else { throw Problem.foreignSite }
  }

  private func isAddressed(by request: HTTPRequest) -> Bool {
    // Only a client of HTTP/1.0 may leave out Host, and no browser is one (RFC 9112 §3.2).
    request.headers.withBytes(of: "Host", options.hosts.contains) ?? true
  }

  /// Whether a browser says that a page of another origin has sent the request.
  ///
  /// By `Origin` (Fetch standard, §3.1) and `Sec-Fetch-Site` (Fetch Metadata, §2.4). Programs that are no browsers send
  /// neither.
  private func isFromOtherSite(_ request: HTTPRequest) -> Bool {
    let origins = request.headers.values(for: "Origin")
    guard origins.isEmpty else {
      return !origins.allSatisfy { isOwn($0, of: request) || options.cors?.allows($0) ?? false }
    }
    return !request.headers.values(for: "Sec-Fetch-Site").allSatisfy { ["same-origin", "none"].contains($0) }
  }

  /// Whether an origin is that of the URL which the request was sent to.
  ///
  /// A proxy in front may have taken TLS off, so a page that came by TLS is the server's own on either.
  private func isOwn(_ origin: String, of request: HTTPRequest) -> Bool {
    guard let host = request.headers["Host"]?.lowercased() else { return false }
    let schemes = request.isSecure ? [("https://", ":443")] : [("http://", ":80"), ("https://", ":443")]
    return schemes.contains { scheme, port in
      // Browsers leave out the port that is the scheme's own (Fetch standard, "serialization of an origin").
      origin.lowercased() == scheme + (host.hasSuffix(port) ? host.dropLast(port.count) : host[...])
    }
  }
}

extension HTTPMethod {
  /// Whether the method asks for nothing but an answer (RFC 9110 §9.2.1).
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

  /// 501: no resource has the method.
  static func unknownMethod(_ method: HTTPMethod) -> Problem {
    Problem(
      .unknownMethod,
      "no resource has the method \(method.token): "
        + KindredService.methods.map(\.token).joined(separator: ", ") + " are the known ones")
  }

  /// 403: a page of another origin writes.
  static var foreignSite: Problem {
    Problem(
      .foreignSite,
      "a page of another site may not write here: allow its origin with `--cors-origins` if it may")
  }
}
