import KindredAssociations
import KindredBackend
import KindredHTTP

/// What a path leads to.
enum Route {
  /// `/`: the index of the resources.
  case index
  /// A page of Kindred's own.
  case operations(OperationsPage)
  /// A file of the explorer, by what follows `/-/explorer/`.
  case asset(Substring)
  /// Several requests as one.
  case batch
  /// Records, by the segments of the path, still encoded.
  case records([Substring])

  /// - Throws: `RequestError` where Kindred has no such page.
  init(_ request: HTTPRequest) throws {
    let path = request.path
    if path == "*" || path == "/" {
      self = .index
    } else if path == "/-/batch" {
      self = .batch
    } else if path.utf8.dropFirst().first == UInt8(ascii: "-"), path.hasPrefix("/-/") {
      if path.hasPrefix("/-/explorer/") {
        self = .asset(path.dropFirst("/-/explorer/".count))
        return
      }
      guard let page = OperationsPage(rawValue: String(path.dropFirst(3))) else {
        throw RequestError(.notFound, "there is nothing at \(path)")
      }
      self = .operations(page)
    } else {
      self = .records(Self.segments(of: path))
    }
  }

  /// What stands between the slashes; one at the end makes no difference.
  ///
  /// On UTF-8, which needs no search for the bounds of characters.
  private static func segments(of path: Substring) -> [Substring] {
    var segments: [Substring] = []
    segments.reserveCapacity(4)
    let bytes = path.utf8
    var index = bytes.startIndex
    while index < bytes.endIndex {
      let start = bytes.index(after: index)
      index = bytes[start...].firstIndex(of: UInt8(ascii: "/")) ?? bytes.endIndex
      if index < bytes.endIndex || start < index { segments.append(path[start..<index]) }
    }
    return segments
  }

  func answer(
    _ service: KindredService, _ request: HTTPRequest, _ principal: Principal, _ readers: ReaderSource,
    _ timing: inout RequestTiming
  ) throws -> HTTPAnswer {
    switch request.method {
    case .get, .head: return .now(try read(service, request, principal, readers, &timing))
    case .options: return .now(try options(service, principal))
    default:
      if case .batch = self { return try service.batch(request, principal, timing) }
      guard case .records(let segments) = self else {
        throw Problem.methodNotAllowed(request.method, allow: try allow(service, principal))
      }
      if request.method == .query {
        return .now(try service.records(segments, try QueryContent.get(request), principal, readers, &timing))
      }
      return try service.write(segments, request, principal, timing)
    }
  }

  private func read(
    _ service: KindredService, _ request: HTTPRequest, _ principal: Principal, _ readers: ReaderSource,
    _ timing: inout RequestTiming
  ) throws -> HTTPResponse {
    switch self {
    case .index: return try service.index(request, principal)
    case .batch: throw Problem.methodNotAllowed(request.method, allow: try allow(service, principal))
    case .operations(let page): return try service.respond(with: page, to: request, principal)
    case .asset(let path): return try service.asset(path, request)
    case .records(let segments):
      return try service.records(segments, request, principal, readers, &timing)
    }
  }

  /// What can be done here, and with which types of content (RFC 9110 §9.3.7, RFC 5789 §3.1, Linked Data Platform
  /// §7.1).
  private func options(_ service: KindredService, _ principal: Principal) throws -> HTTPResponse {
    let allow = try allow(service, principal)
    var response = HTTPResponse(status: .noContent, headers: ["Allow": allow])
    if case .records = self { response.headers.append("Accept-Query", QueryContent.mediaType) }
    for (method, name) in [(HTTPMethod.patch, "Accept-Patch"), (.post, "Accept-Post")]
    where allow.contains(method.token) {
      var types = WriteContent.types(of: method)
      if case .batch = self { types = [MediaType.json.rawValue] }
      response.headers.append(name, types.joined(separator: ", "))
    }
    return response
  }

  /// - Throws: `Problem` (405) where the method writes, and there are no records here.
  func checkMethod(of request: HTTPRequest, _ service: KindredService) throws {
    if case .batch = self, request.method == .post, service.isWritable { return }
    throw Problem.methodNotAllowed(request.method, allow: try allow(service, .operator))
  }

  private func allow(_ service: KindredService, _ principal: Principal) throws -> String {
    switch self {
    case .records(let segments): return try service.allow(segments, principal)
    case .batch: return service.isWritable ? "POST, OPTIONS" : "OPTIONS"
    case .index, .operations, .asset: return "GET, HEAD, OPTIONS"
    }
  }
}
