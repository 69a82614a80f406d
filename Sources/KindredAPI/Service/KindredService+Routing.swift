import KindredModel
import KindredHTTP
import KindredRequests
import KindredTools
import KindredExplorer

extension KindredService {
  /// Answers a request by the service of its route.
  func answer(_ asked: inout RequestContext) throws -> HTTPAnswer {
    // Without copies of the request, which has many parts.
    let principal = asked.principal
    try IdempotencyKey.check(asked.request)
    if [.get, .head, .query].contains(asked.request.method), case .records(let segments) = asked.route,
      let action = try writes.action(at: segments, for: principal)
    {
      return .now(try form(of: action, asked))
    }
    switch (asked.request.method, asked.route) {
    case (.get, .records(let segments)), (.head, .records(let segments)):
      let query = asked.query
      return .now(try reads.read(&asked) { try $0.records(at: segments, query, &$1) })
    case (.query, .records(let segments)):
      let query = try QueryContent.query(of: asked.request, asked.query)
      return .now(try reads.read(&asked) { try $0.records(at: segments, query, &$1) })
    case (.get, .index), (.head, .index): return .now(try operations.index(asked))
    case (.get, .operations(let page)), (.head, .operations(let page)):
      return .now(try operations.respond(with: page, to: asked))
    case (.get, .asset(let path)), (.head, .asset(let path)): return .now(try asset(path, asked))
    case (.options, let route): return .now(try options(of: route, principal))
    case (.post, .mcp): return try MCPExchange(service: self, asked: asked).answer(&asked.timing)
    case (_, .records(let segments)): return try writes.write(at: segments, asked)
    case (.get, .batch), (.head, .batch), (_, .index), (_, .operations), (_, .asset), (_, .mcp):
      throw Problem.methodNotAllowed(asked.request.method, allow: try methods(at: asked.route, principal))
    case (_, .batch): return try writes.batch(&asked)
    }
  }

  /// Returns the explorer's form of an action, where HTML is preferred.
  ///
  /// - Throws: `Problem` (405) elsewhere: only POST calls an action.
  private func form(of action: Action, _ asked: RequestContext) throws -> HTTPResponse {
    let request = asked.request
    guard request.method != .query, context.options.servesExplorer, context.isWritable,
      (try? context.types.documentType(for: request)) == .html
    else {
      throw Problem.methodNotAllowed(request.method, allow: try methods(at: asked.route, asked.principal))
    }
    return ActionPage(action, below: context.options.basePath).representation.response(
      to: request, compressionLevel: context.options.compressionLevel)
  }

  /// Returns the methods of a route and the media types of their content (RFC 9110 §9.3.7, RFC 5789 §3.1, Linked Data
  /// Platform §7.1).
  private func options(of route: Route, _ principal: Principal) throws -> HTTPResponse {
    let allow = try methods(at: route, principal)
    var response = HTTPResponse(status: .noContent, headers: ["Allow": allow])
    var isOfRecords = false
    if case .records(let segments) = route {
      isOfRecords = try writes.action(at: segments, for: principal) == nil
    }
    if isOfRecords { response.headers.append("Accept-Query", QueryContent.mediaType) }
    for (method, name) in [(HTTPMethod.patch, "Accept-Patch"), (.post, "Accept-Post")]
    where allow.contains(method.token) {
      let types = isOfRecords ? WriteContent.types(of: method) : [MediaType.json.rawValue]
      response.headers.append(name, types.joined(separator: ", "))
    }
    return response
  }

  /// Checks the head of a request before its content is read, and returns what needn't be checked again.
  ///
  /// - Throws: `Problem` (405 or 415); `RequestError` (403 or 404).
  func screenContent(
    of request: HTTPRequest, at route: Route, _ principal: Principal
  ) throws -> ScreenedWrite? {
    if request.method == .query, case .records = route {
      try QueryContent.checkType(of: request)
      return nil
    }
    if request.method.isSafe { return nil }
    if case .records(let segments) = route { return try writes.screen(segments, request, principal) }
    guard route == .mcp || route == .batch && context.isWritable, request.method == .post else {
      throw Problem.methodNotAllowed(request.method, allow: try methods(at: route, .operator))
    }
    try WriteContent.checkType(of: request, among: [MediaType.json.rawValue])
    return nil
  }

  /// Returns the value of `Allow`.
  private func methods(at route: Route, _ principal: Principal) throws -> String {
    switch route {
    case .records(let segments): try writes.allow(segments, principal)
    case .batch: context.isWritable ? "POST, OPTIONS" : "OPTIONS"
    case .mcp: "POST, OPTIONS"
    case .index, .operations, .asset: "GET, HEAD, OPTIONS"
    }
  }

  /// Returns a file of the explorer.
  private func asset(_ path: Substring, _ asked: RequestContext) throws -> HTTPResponse {
    guard context.options.servesExplorer else {
      throw Problem(.notFound, "not-found", title: "Not found", detail: "this server has no explorer")
    }
    _ = try ToolParameters(asked.query, [])
    return try ExplorerAssets.shared.response(to: asked.request, at: path)
  }
}
