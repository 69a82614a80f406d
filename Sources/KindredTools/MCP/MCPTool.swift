import KindredModel
import KindredHTTP
import KindredRequests

/// A tool of the Model Context Protocol: each call is one request to the service.
package enum MCPTool: String, CaseIterable {
  case schema, complete, describe, fetch, explain, write

  /// Whether it only reads.
  package var isReadOnly: Bool { self != .write }

  /// The methods of `write`.
  package static let methods: [HTTPMethod] = [.post, .put, .patch, .delete]
  /// The header fields of `write`.
  package static let fields = ["Content-Type", "If-Match", "If-None-Match", "Prefer", "Idempotency-Key"]

  /// The longest URL that `complete` and `describe` look at, in bytes.
  private static let longestURL = 8 << 10

  /// Returns the request that a call stands for.
  ///
  /// - Throws: `Problem` or `RequestError` if the arguments aren't those of the tool.
  package func request(_ message: MCPMessage, for outer: HTTPRequest) throws -> HTTPRequest {
    let arguments = message["arguments"]
    if let arguments { try check(arguments) }
    func request(_ method: HTTPMethod, _ target: String, _ headers: HTTPHeaders = [:], _ body: [UInt8] = [])
      -> HTTPRequest
    {
      HTTPRequest(
        method: method, target: target, headers: headers, body: body, peer: outer.peer,
        isSecure: outer.isSecure,
        cancellation: outer.cancellation)
    }
    switch self {
    case .schema:
      guard arguments?["resource"] != nil else { return request(.get, "/-/schema") }
      let name = URLCoding.encodeQueryValue(try text("resource", arguments))
      return request(.get, "/-/schema?resource=\(name)")
    case .complete:
      let url = URLCoding.encodeQueryValue(try analyzed(arguments))
      return request(.get, "/-/complete?url=\(url)&position=\(try position(arguments, message))")
    case .describe:
      return request(.get, "/-/describe?url=\(URLCoding.encodeQueryValue(try analyzed(arguments)))")
    case .fetch: return request(.get, try records(arguments), ["Accept": MediaType.json.rawValue])
    case .explain:
      let url = try records(arguments)
      let separator = url.contains("?") ? "&" : "?"
      return request(.get, "\(url)\(separator)explain=true", ["Accept": MediaType.json.rawValue])
    case .write:
      let method = try method(arguments)
      var headers = try headers(arguments)
      let body = content(arguments, message, headers["Content-Type"])
      if let body, !body.isEmpty, headers["Content-Type"] == nil {
        headers.append("Content-Type", MediaType.json.rawValue)
      }
      return request(method, try records(arguments, orBatch: true), headers, body ?? [])
    }
  }

  // MARK: Arguments

  private func check(_ arguments: JSONDocument.Node) throws {
    guard case .object(let members) = arguments.content else {
      throw RequestError(.invalidValue, "`arguments` must be an object")
    }
    for member in members where !self.arguments.contains(where: { $0.name == member.name }) {
      throw RequestError.unknown(
        member.name, .unknownParameter, "`\(rawValue)` has no argument `\(member.name)`",
        among: self.arguments.map(\.name), at: Origin(parameter: member.name))
    }
  }

  private func text(_ name: String, _ arguments: JSONDocument.Node?) throws -> String {
    guard let text = arguments?[name]?.string else {
      throw RequestError(
        .invalidValue, "`\(name)` is missing, or is not a string", at: Origin(parameter: name))
    }
    return text
  }

  private func analyzed(_ arguments: JSONDocument.Node?) throws -> String {
    let url = try text("url", arguments)
    guard url.utf8.count <= Self.longestURL else {
      throw RequestError(.limitExceeded, "the URL is too long", at: Origin(parameter: "url"))
    }
    return url
  }

  private func position(_ arguments: JSONDocument.Node?, _ message: MCPMessage) throws -> Int {
    guard let node = arguments?["position"], case .number = node.content,
      let position = Int(String(decoding: message.bytes(of: node), as: UTF8.self))
    else {
      throw RequestError(
        .invalidValue, "`position` must be the number of a character of `url`",
        at: Origin(parameter: "position"))
    }
    return position
  }

  /// Returns the URL of records, with everything encoded that a URL can't contain.
  private func records(_ arguments: JSONDocument.Node?, orBatch: Bool = false) throws -> String {
    let url = URLCoding.encodeUnsafe(try text("url", arguments))
    func refusal(_ message: String) -> RequestError {
      RequestError(.invalidValue, message, at: Origin(parameter: "url"))
    }
    guard url.hasPrefix("/"), !url.hasPrefix("//") else {
      throw refusal("`url` must be a path with its parameters, such as `/authors?include=books&limit=3`")
    }
    switch try Route(url.prefix { $0 != "?" }) {
    case .records: return url
    case .batch where orBatch: return url
    case .batch, .index, .operations, .asset, .mcp:
      throw refusal("`\(rawValue)` is for the records of a resource; `schema` lists the resources")
    }
  }

  private func method(_ arguments: JSONDocument.Node?) throws -> HTTPMethod {
    let token = try text("method", arguments)
    guard let method = Self.methods.first(where: { $0.token == token }) else {
      throw RequestError.unknown(
        token, .invalidValue, "`method` must be one of \(Self.methods.map(\.token).joined(separator: ", "))",
        among: Self.methods.map(\.token), at: Origin(parameter: "method"))
    }
    return method
  }

  private func headers(_ arguments: JSONDocument.Node?) throws -> HTTPHeaders {
    var headers: HTTPHeaders = [:]
    guard let node = arguments?["headers"] else { return headers }
    guard case .object(let members) = node.content else {
      throw RequestError(.invalidValue, "`headers` must be an object", at: Origin(parameter: "headers"))
    }
    for member in members {
      guard let name = Self.fields.first(where: { $0.lowercased() == member.name.lowercased() }),
        headers[name] == nil, let value = member.value.string
      else {
        throw RequestError(
          .invalidValue,
          "`headers` may have \(Self.fields.map { "`\($0)`" }.joined(separator: ", ")), each once and as a string",
          at: Origin(parameter: "headers"))
      }
      headers.append(name, value)
    }
    return headers
  }

  /// Returns the content of a write: JSON as it is, and the text of a string in another format.
  private func content(
    _ arguments: JSONDocument.Node?, _ message: MCPMessage, _ type: String?
  ) -> [UInt8]? {
    guard let body = arguments?["body"] else { return nil }
    if let text = body.string, let type, !type.lowercased().contains("json") { return Array(text.utf8) }
    return message.bytes(of: body)
  }
}
