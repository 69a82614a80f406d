import KindredBackend
import KindredHTTP

extension KindredService {
  /// Answers a request for a route.
  func answer(
    _ request: HTTPRequest, at route: Route, _ principal: Principal, _ readers: ReaderSource,
    _ timing: inout RequestTiming
  ) throws -> HTTPAnswer {
    try IdempotencyKey.check(request)
    switch (request.method, route) {
    case (.post, .mcp):
      return try MCPExchange(service: self, request: request, principal: principal, readers: readers)
        .answer(&timing)
    case (.get, _), (.head, _): return .now(try read(request, at: route, principal, readers, &timing))
    case (.options, _): return .now(try options(of: route, principal))
    case (_, .batch): return try writes.batch(request, principal, readers, timing)
    case (.query, .records(let segments)):
      let get = try QueryContent.get(request)
      return .now(
        try reads.read(request, readers) { try $0.read(segments, get, principal, $1, &timing) })
    case (_, .records(let segments)): return try writes.write(segments, request, principal, timing)
    case (_, .index), (_, .operations), (_, .asset), (_, .mcp):
      throw Problem.methodNotAllowed(request.method, allow: try methods(at: route, principal))
    }
  }

  private func read(
    _ request: HTTPRequest, at route: Route, _ principal: Principal, _ readers: ReaderSource,
    _ timing: inout RequestTiming
  ) throws -> HTTPResponse {
    switch route {
    case .index: return try operations.index(request, principal)
    case .batch, .mcp:
      throw Problem.methodNotAllowed(request.method, allow: try methods(at: route, principal))
    case .operations(let page): return try operations.respond(with: page, to: request, principal)
    case .asset(let path): return try asset(path, request)
    case .records(let segments):
      return try reads.read(request, readers) { try $0.read(segments, request, principal, $1, &timing) }
    }
  }

  /// Returns the methods of a route and the media types of their content (RFC 9110 §9.3.7, RFC 5789 §3.1, Linked Data
  /// Platform §7.1).
  private func options(of route: Route, _ principal: Principal) throws -> HTTPResponse {
    let allow = try methods(at: route, principal)
    var response = HTTPResponse(status: .noContent, headers: ["Allow": allow])
    if case .records = route { response.headers.append("Accept-Query", QueryContent.mediaType) }
    for (method, name) in [(HTTPMethod.patch, "Accept-Patch"), (.post, "Accept-Post")]
    where allow.contains(method.token) {
      let types =
        if case .records = route { WriteContent.types(of: method) } else { [MediaType.json.rawValue] }
      response.headers.append(name, types.joined(separator: ", "))
    }
    return response
  }

  /// Checks the head of a request before its content is read.
  ///
  /// - Throws: `Problem` (405 or 415); `RequestError` (403 or 404).
  func screenContent(of request: HTTPRequest, _ principal: Principal) throws {
    let route = try Route(request.path)
    if request.method == .query, case .records = route { return try QueryContent.checkType(of: request) }
    if request.method.isSafe { return }
    if case .records(let segments) = route { return try writes.screen(segments, request, principal) }
    guard route == .mcp || route == .batch && writes.isWritable, request.method == .post else {
      throw Problem.methodNotAllowed(request.method, allow: try methods(at: route, .operator))
    }
    try WriteContent.checkType(of: request, among: [MediaType.json.rawValue])
  }

  /// Returns the value of `Allow`.
  private func methods(at route: Route, _ principal: Principal) throws -> String {
    switch route {
    case .records(let segments): try writes.allow(segments, principal)
    case .batch: writes.isWritable ? "POST, OPTIONS" : "OPTIONS"
    case .mcp: "POST, OPTIONS"
    case .index, .operations, .asset: "GET, HEAD, OPTIONS"
    }
  }

  /// Returns a file of the explorer.
  private func asset(_ path: Substring, _ request: HTTPRequest) throws -> HTTPResponse {
    guard options.servesExplorer else {
      throw Problem(.notFound, "not-found", title: "Not found", detail: "this server has no explorer")
    }
    _ = try ToolParameters(request, [])
    return try ExplorerAssets.shared.response(to: request, at: path)
  }
}
