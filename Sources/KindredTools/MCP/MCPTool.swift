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
    case .schema: return request(.get, "/-/schema")
    case .complete:
      let url = URLCoding.encodeQueryValue(try analyzed(try text("url", arguments)))
      return request(.get, "/-/complete?url=\(url)&position=\(try position(arguments, message))")
    case .describe:
      let url = URLCoding.encodeQueryValue(try analyzed(try target(arguments, message)))
      return request(.get, "/-/describe?url=\(url)")
    case .fetch: return request(.get, try records(arguments, message), ["Accept": MediaType.json.rawValue])
    case .explain:
      let url = try records(arguments, message)
      let separator = url.contains("?") ? "&" : "?"
      return request(.get, "\(url)\(separator)explain=true", ["Accept": MediaType.json.rawValue])
    case .write:
      let method = try method(arguments)
      var headers = try headers(arguments)
      let body = content(arguments, message)
      if let body, !body.isEmpty, headers["Content-Type"] == nil {
        headers.append("Content-Type", MediaType.json.rawValue)
      }
      return request(method, try records(arguments, message, orBatch: true), headers, body ?? [])
    }
  }

  // MARK: Arguments

  /// Returns the number of records before the page that a call is about; nil if it doesn't say.
  package func place(in message: MCPMessage) -> Int? {
    message["arguments", "url"]?.string.flatMap { MCPPage.parts(of: $0).place }
  }

  /// Returns the names of the resources that a call of `schema` is about; nil for all.
  package func resources(_ message: MCPMessage) throws -> [String]? {
    guard let arguments = message["arguments"] else { return nil }
    try check(arguments)
    guard let node = arguments["resources"] else { return nil }
    guard case .array(let names) = node.content, names.allSatisfy({ $0.string != nil }) else {
      throw RequestError(
        .invalidValue, "`resources` must be an array of names", at: Origin(parameter: "resources"))
    }
    return names.compactMap(\.string)
  }

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

  private func analyzed(_ url: String) throws -> String {
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

  /// Returns the URL that a call is about: `url`, or `path` with its `parameters`.
  private func target(_ arguments: JSONDocument.Node?, _ message: MCPMessage) throws -> String {
    func refusal(_ text: String, _ name: String) -> RequestError {
      RequestError(.invalidValue, text, at: Origin(parameter: name))
    }
    let parameters = arguments?["parameters"]
    guard let path = arguments?["path"] else {
      guard arguments?["url"] != nil else {
        throw refusal(
          "`path` is missing, such as `/authors`, with `parameters`; or a `url` with both", "path")
      }
      guard parameters == nil else {
        throw refusal("`parameters` belong to a `path`; a `url` has them itself", "parameters")
      }
      return MCPPage.parts(of: try text("url", arguments)).url
    }
    guard arguments?["url"] == nil else { throw refusal("`path` and `url` can't both be there", "url") }
    let root = try text("path", arguments)
    guard case .string = path.content, !root.contains("?") else {
      throw refusal("`path` has no query: its parameters are members of `parameters`", "path")
    }
    guard let parameters else { return root }
    guard case .object(let members) = parameters.content else {
      throw refusal("`parameters` must be an object of names with their values", "parameters")
    }
    let pairs = try members.flatMap { member in
      try values(of: member, message).map {
        "\(URLCoding.encodeQueryValue(member.name))=\(URLCoding.encodeQueryValue($0))"
      }
    }
    return pairs.isEmpty ? root : "\(root)?\(pairs.joined(separator: "&"))"
  }

  /// Returns the values of a parameter: that of a scalar, or those of a list, which repeat the parameter.
  private func values(of member: JSONDocument.Member, _ message: MCPMessage) throws -> [String] {
    func text(_ node: JSONDocument.Node) throws -> String {
      switch node.content {
      case .string(let text): return text
      case .number, .boolean: return String(decoding: message.bytes(of: node), as: UTF8.self)
      case .null, .array, .object:
        throw RequestError(
          .invalidValue, "`\(member.name)` must be a text, a number, a boolean, or a list of texts",
          at: Origin(parameter: member.name))
      }
    }
    guard case .array(let values) = member.value.content else { return [try text(member.value)] }
    return try values.map(text)
  }

  /// Returns the URL of records, with everything encoded that a URL can't contain.
  private func records(
    _ arguments: JSONDocument.Node?, _ message: MCPMessage, orBatch: Bool = false
  ) throws -> String {
    let url = URLCoding.encodeUnsafe(try target(arguments, message))
    let name = arguments?["path"] == nil ? "url" : "path"
    func refusal(_ message: String) -> RequestError {
      RequestError(.invalidValue, message, at: Origin(parameter: name))
    }
    guard url.hasPrefix("/"), !url.hasPrefix("//") else {
      throw refusal("`\(name)` must begin with the path of a resource, such as `/authors`")
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

  /// Returns the content of a write: JSON as it is, and that of a string, which is JSON too unless another format is
  /// named.
  private func content(
    _ arguments: JSONDocument.Node?, _ message: MCPMessage
  ) -> [UInt8]? {
    guard let body = arguments?["body"] else { return nil }
    if let text = body.string { return Array(text.utf8) }
    return message.bytes(of: body)
  }
}
