import KindredAssociations
import KindredExecution
import KindredHTTP
import KindredSQLite

extension KindredService {
  /// The records that a path and its parameters ask for.
  func records(_ segments: [Substring], _ request: HTTPRequest) throws -> HTTPResponse {
    let type = try MediaType.negotiate(request.headers.values(for: "Accept"), among: [.json, .lines])
    let reading = try Reading(pool, cancellation: request.cancellation, seconds: options.queryTime)
    do {
      let version = try models.version(for: reading.connection)
      let entry = try entry(for: segments, request.query, type: type, version)
      if entry.request.explains {
        defer { reading.close() }
        let document = try Explanation(entry).document(on: reading.connection)
        return Self.document(document)
      }
      return try respond(with: entry, type: type, request, reading)
    } catch {
      reading.close()
      throw error
    }
  }

  /// The plan of a request, made once for each.
  private func entry(
    for segments: [Substring], _ query: Substring?, type: MediaType, _ version: ModelVersion
  ) throws -> PlanCache.Entry {
    let key = "\(type == .lines ? "lines" : "")\(segments.joined(separator: "/"))?\(query ?? "")"
    return try version.plans.entry(for: key) {
      var parser = FetchRequestParser(
        model: version.model, limits: options.limits, isUnpaged: type == .lines)
      let parsed = try parser.parse(path: segments, query: query.map(String.init))
      let plan = try Planner(model: version.model).plan(parsed.fetchRequest)
      return PlanCache.Entry(request: parsed, plan: ExecutablePlan(plan))
    }
  }

  private func respond(
    with entry: PlanCache.Entry, type: MediaType, _ request: HTTPRequest, _ reading: Reading
  ) throws -> HTTPResponse {
    let parsed = entry.request
    let reader = ResultReader(
      entry.plan, on: reading.connection,
      parameters: Parameters(
        literals: parsed.fetchRequest.literals.values, cursor: parsed.fetchRequest.after),
      separation: type == .lines ? .lines : .array, limit: parsed.limit.map { Int($0) })
    do {
      try reader.start()
      let first = try reader.next()
      var headers: HTTPHeaders = ["Content-Type": type.rawValue, "Vary": "Accept"]
      if let count = reader.totalCount { headers.append("X-Total-Count", String(count)) }
      if !entry.plan.plan.isSingle, type == .json {
        let cursor = reader.isAtEnd ? reader.nextCursor : try reader.lookAhead()
        headers.append("Link", links(for: request, order: parsed.order, next: cursor))
      }
      let body = ResultBody(reading, reader, first: first)
      // What is short is copied, so that the connection is free before a byte is sent.
      guard reader.isAtEnd else {
        return HTTPResponse(status: .ok, headers: headers, body: .stream(body, length: nil))
      }
      let bytes = first.map { [UInt8]($0) } ?? []
      body.close()
      return HTTPResponse(status: .ok, headers: headers, body: .bytes(bytes))
    } catch {
      reader.close()
      throw error
    }
  }

  /// The `Link` field (RFC 8288): the first page, and the next one where there is one.
  private func links(for request: HTTPRequest, order: String, next: Cursor?) -> String {
    let kept = (request.query ?? "").split(separator: "&").filter { pair in
      let name = pair.prefix { $0 != "=" }
      return name != "after" && name != "offset"
    }
    func url(_ more: [String]) -> String {
      let query = (kept.map(String.init) + more).joined(separator: "&")
      return "<\(URLCoding.encodeUnsafe(request.path + (query.isEmpty ? "" : "?\(query)")))>"
    }
    // The first page keeps its offset.
    let offset = (request.query ?? "").split(separator: "&").first { $0.hasPrefix("offset=") }
    let first = "\(url(offset.map { [String($0)] } ?? [])); rel=\"first\""
    guard let next else { return first }
    return "\(url(["after=\(CursorCoding.encode(next, order: order))"])); rel=\"next\", \(first)"
  }

  /// An answer that is a document of Kindred's own.
  static func document(_ document: JSONValue) -> HTTPResponse {
    HTTPResponse(
      status: .ok, headers: ["Content-Type": MediaType.json.rawValue, "Vary": "Accept"],
      body: .bytes(document.bytes))
  }
}
