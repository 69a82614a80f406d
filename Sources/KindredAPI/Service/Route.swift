import KindredAssociations
import KindredHTTP

/// What a path leads to.
enum Route {
  /// `/`: the index of the resources.
  case index
  /// A page of Kindred's own.
  case operations(OperationsPage)
  /// Records, by the segments of the path, still encoded.
  case records([Substring])

  /// - Throws: `RequestError` where Kindred has no such page.
  init(_ request: HTTPRequest) throws {
    let path = request.path
    if path == "*" || path == "/" {
      self = .index
    } else if path.utf8.dropFirst().first == UInt8(ascii: "-"), path.hasPrefix("/-/") {
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
  /// By bytes: characters would have to be found first.
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

  func respond(
    _ service: KindredService, _ request: HTTPRequest, _ timing: inout RequestTiming
  ) throws -> HTTPResponse {
    switch request.method {
    case .get, .head: break
    case .options:
      return HTTPResponse(status: .noContent, headers: ["Allow": try allow(service)])
    default:
      guard case .records(let segments) = self else {
        throw Problem.methodNotAllowed(request.method, allow: try allow(service))
      }
      return try service.write(segments, request, &timing)
    }
    switch self {
    case .index: return try service.index(request)
    case .operations(let page): return try service.respond(with: page, to: request)
    case .records(let segments): return try service.records(segments, request, &timing)
    }
  }

  private func allow(_ service: KindredService) throws -> String {
    guard case .records(let segments) = self else { return WriteTarget.allow() }
    return try service.allow(segments)
  }
}
