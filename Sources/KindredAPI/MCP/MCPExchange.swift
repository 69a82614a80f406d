import KindredModel
import KindredBackend
import KindredClock
import KindredHTTP
import KindredRequests
import KindredTools

/// Answers one message of the Model Context Protocol (<https://modelcontextprotocol.io/specification>), without
/// sessions: over HTTP, each is the content of a POST.
///
/// A tool is a request to the service on behalf of the client that sent the message, so it has its rights, its errors
/// and its limits.
struct MCPExchange {
  let service: KindredService
  let asked: RequestContext
  /// Whether the message came over HTTP, whose header fields repeat parts of it.
  var isOverHTTP = true

  private var request: HTTPRequest { asked.request }
  private var principal: Principal { asked.principal }

  /// Returns the response to the message; 202 for a notification.
  ///
  /// - Throws: What makes the request wait, and what concerns HTTP rather than the message.
  func answer(_ timing: inout RequestTiming) throws -> HTTPAnswer {
    if isOverHTTP {
      try WriteContent.checkType(of: request, among: [MediaType.json.rawValue])
      _ = try MediaType.negotiate(request.headers.values(for: "Accept"), among: [.json])
    }
    var reply = Reply()
    do {
      switch try read(&reply) {
      case .response(let response): return .now(response)
      case .call(let call): return try answer(call, reply, &timing)
      }
    } catch let error as MCPError {
      return .now(reply.response(error))
    }
  }

  /// What a message comes to, without the message, which may be long.
  private enum Outcome {
    case response(HTTPResponse)
    case call(Call)
  }

  /// A request to the service on behalf of a tool, and the page that it asks for.
  private struct Call {
    let tool: MCPTool
    let request: HTTPRequest
    let page: MCPPage
  }

  /// Reads the message.
  ///
  /// - Parameter reply: Receives what a reply to the message has.
  private func read(_ reply: inout Reply) throws -> Outcome {
    let message = try MCPMessage(request.body)
    reply.id = message.id
    let revision = try MCPRevision(of: message, headers: isOverHTTP ? request.headers : nil)
    reply.revision = revision
    guard message.id != nil else { return .response(HTTPResponse(status: .accepted)) }
    guard message.method == "tools/call" else {
      return .response(reply.response(try result(of: message, in: revision)))
    }
    return try call(message, reply)
  }

  // MARK: Methods

  private func result(of message: MCPMessage, in revision: MCPRevision) throws -> JSONValue {
    switch (message.method, revision.isHandshake) {
    case ("initialize", true): return Self.hello(in: .agreed(on: message))
    case ("ping", true): return [:]
    case ("server/discover", false): return Self.discovery
    case ("tools/list", _):
      let tools = MCPTool.allCases.filter { $0.isReadOnly || mayWrite }
      return ["tools": .array(tools.map(\.json))]
    case ("resources/list", _): return ["resources": [Self.schema]]
    case ("resources/templates/list", _): return ["resourceTemplates": [Self.resourceSchema]]
    case ("resources/read", _): return try contents(message)
    default: throw MCPError(.methodNotFound, "there is no method `\(message.method)`")
    }
  }

  /// Whether there is anything that the client may write.
  private var mayWrite: Bool {
    guard service.context.isWritable,
      let model = try? service.context.models.latest().seen(by: principal).model
    else {
      return false
    }
    return model.resources.values.contains { resource in
      [false, true].contains { isSingle in
        !WriteTarget.methods(
          of: resource, linkage: nil, isAssociated: false, isSingle: isSingle, hasKey: isSingle, in: model
        ).isEmpty
      }
    }
  }

  private func contents(_ message: MCPMessage) throws -> JSONValue {
    guard let uri = message["uri"]?.string else {
      throw MCPError(.invalidParameters, "`uri` is missing, or is not a string")
    }
    guard let document = try? schema(at: uri) else {
      throw MCPError(
        .invalidParameters, "there is no resource \(uri); the schema is kindred://schema",
        data: ["uri": .string(uri)])
    }
    let text = String(decoding: document.bytes, as: UTF8.self)
    return ["contents": [["uri": .string(uri), "mimeType": "application/json", "text": .string(text)]]]
  }

  /// Returns the part of the model that a resource of the protocol has.
  ///
  /// - Throws: `RequestError` if there is no such resource.
  private func schema(at uri: String) throws -> JSONValue {
    let document = try document()
    if uri == "kindred://schema" { return try document.json() }
    let name = uri[...].dropping("kindred://schema/")
    return try document.json(of: URLCoding.decode(name ?? "", plusIsSpace: false))
  }

  private func document() throws -> SchemaDocument {
    SchemaDocument(
      model: try service.context.models.latest().seen(by: principal).model,
      limits: service.context.options.limits)
  }

  /// Returns the number of records of a list; nil if it isn't known within a second.
  ///
  /// - Parameter target: A request that gives it in its header fields.
  private func total(of target: String) -> Int? {
    let second: UInt64 = 1_000_000_000
    let inner = HTTPRequest(
      method: .get, target: target, headers: ["Accept": MediaType.json.rawValue], peer: request.peer,
      isSecure: request.isSecure, cancellation: request.cancellation)
    guard let route = try? Route(inner.path) else { return nil }
    var part = asked.part(inner, at: route, before: MonotonicTime.now() + second)
    // The ticket of a request that has queued has been used.
    part.readers = .free
    // What has to wait for a connection isn't worth it.
    guard case .now(let response)? = try? service.answer(&part), response.status == .ok else { return nil }
    return response.headers["X-Total-Count"].flatMap { Int($0) }
  }

  // MARK: Tools

  private func call(_ message: MCPMessage, _ reply: Reply) throws -> Outcome {
    guard let name = message["name"]?.string, let tool = MCPTool(rawValue: name) else {
      let names = MCPTool.allCases.map(\.rawValue).joined(separator: ", ")
      throw MCPError(.invalidParameters, "there is no such tool; the tools are \(names)")
    }
    do {
      if tool == .schema {
        let schema = MCPSchema(try document())
        return .response(reply.response(try MCPToolResult(schema, of: try tool.resources(message)).json))
      }
      var inner = try tool.request(message, for: request)
      if let position = request.headers[ReadServices.position] {
        inner.headers.append(ReadServices.position, position)
      }
      return .call(
        Call(tool: tool, request: inner, page: MCPPage(inner.target, place: tool.place(in: message))))
    } catch {
      return .response(reply.response(failure(error).json))
    }
  }

  private func answer(_ call: Call, _ reply: Reply, _ timing: inout RequestTiming) throws -> HTTPAnswer {
    let (tool, page) = (call.tool, call.page)
    let answer: HTTPAnswer
    do {
      var part = asked.part(call.request, at: try Route(call.request.path))
      defer { timing = part.timing }
      answer = try service.answer(&part)
    } catch let error as ReaderSource.NoneFree {
      throw error
    } catch {
      return .now(reply.response(failure(error).json))
    }
    switch answer {
    case .now(let response):
      return .now(reply.response(result(of: tool, page, response)).telling(response.position))
    case .later(let pending):
      let timing = timing
      return .later(
        pending.map { [self] response in
          service.context.finisher.finished(
            reply.response(result(of: tool, page, response)).telling(response.position), to: request, timing
          )
        })
    }
  }

  private func result(of tool: MCPTool, _ page: MCPPage, _ response: HTTPResponse) -> JSONValue {
    do {
      return try MCPToolResult(tool, response, of: page, total: total).json
    } catch {
      return failure(error).json
    }
  }

  private func failure(_ error: any Error) -> MCPToolResult {
    MCPToolResult(service.context.problems.problem(for: error, of: principal))
  }
}

/// The reply to a message of JSON-RPC.
private struct Reply {
  var id: JSONValue?
  /// Nil until it is known.
  var revision: MCPRevision?

  func response(_ result: JSONValue) -> HTTPResponse {
    response(.ok, ["result": revision == .stateless ? MCPExchange.completed(result) : result])
  }

  func response(_ error: MCPError) -> HTTPResponse {
    response(error.status(in: revision), ["error": error.json])
  }

  private func response(_ status: HTTPStatus, _ member: JSONValue) -> HTTPResponse {
    let message: JSONValue = ["jsonrpc": "2.0", "id": id ?? .null] + member
    return HTTPResponse(
      status: status, headers: ["Content-Type": MediaType.json.rawValue, "Cache-Control": "no-store"],
      body: .bytes(message.bytes))
  }
}

extension KindredService {
  /// Returns the reply to a message of the Model Context Protocol that came over standard input; nil for a notification.
  ///
  /// Call it only on a service whose requests need no credentials (`Options.impersonated`).
  public func reply(toMessage message: [UInt8]) -> [UInt8]? {
    let request = HTTPRequest(method: .post, target: "/-/mcp", body: message)
    let response: HTTPResponse
    do {
      var asked = RequestContext(request, at: .mcp, by: try context.access.principal(of: request))
      let exchange = MCPExchange(service: self, asked: asked, isOverHTTP: false)
      response = try exchange.answer(&asked.timing).wait()
    } catch {
      response = context.problems.response(to: error, of: request)
    }
    guard case .bytes(let bytes) = response.body else { return nil }
    return bytes
  }
}
