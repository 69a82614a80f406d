import KindredModel
import KindredHTTP

/// The requests in the content of a batch.
package struct BatchContent {
  package let parts: [HTTPRequest]

  /// The largest number of parts.
  package static let maximumCount = 100
  private static let members = ["method", "url", "headers", "body"]

  /// The header fields that apply to the whole batch: a part has the rights of the batch, and is executed once together
  /// with it.
  private static let fieldsOfBatch = ["authorization", "idempotency-key"]

  /// - Parameter policyHeaders: The names of the header fields that the rights of a client depend on too.
  /// - Throws: `Problem` or `RequestError` if the content isn't a batch.
  package init(_ request: HTTPRequest, policyHeaders: [String], below basePath: BasePath) throws {
    let fields = Set(Self.fieldsOfBatch + policyHeaders.map { $0.lowercased() })
    guard try WriteContent.form(of: request).importFormat == nil else {
      throw Problem.unsupportedMediaType(.post, types: [MediaType.json.rawValue])
    }
    var parts: [HTTPRequest] = []
    let isArray = try WriteContent.forEachElement(of: request) { document, index in
      guard index < Self.maximumCount else {
        throw RequestError(
          .limitExceeded, "a batch may have at most \(Self.maximumCount) requests; send several batches")
      }
      let part = try Self.part(
        document.root, at: JSONPointer() + index, in: document, of: request, without: fields)
      parts.append(basePath.removed(from: part))
    }
    guard isArray else {
      _ = try WriteContent.document(of: request)
      throw Problem.refusedValue(
        "a batch must be an array of requests; write `[{\"method\": …, \"url\": …}]`", at: JSONPointer())
    }
    self.parts = parts
  }

  private static func part(
    _ node: JSONDocument.Node, at pointer: JSONPointer, in document: JSONDocument, of batch: HTTPRequest,
    without fields: Set<String>
  ) throws -> HTTPRequest {
    guard case .object(let members) = node.content else {
      throw Problem.refusedValue("a request must be an object with `method` and `url`", at: pointer)
    }
    for member in members where !Self.members.containsExactly(member.name) {
      throw Problem.refusedValue(
        "`\(member.name)` is not a member of a request; the members are \(Self.members.map { "`\($0)`" }.joined(separator: ", "))",
        at: pointer + member.name)
    }
    let values = NameDictionary(
      members.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
    func text(_ name: String) throws -> String {
      guard case .string(let text)? = values[name]?.content else {
        throw Problem.refusedValue("a request needs the string `\(name)`", at: pointer + name)
      }
      return text
    }
    let token = try text("method")
    guard let method = methods.first(where: { $0.token == token }) else {
      throw Problem.refusedValue(
        "`\(token)` is not allowed in a batch; the allowed methods are \(methods.map(\.token).joined(separator: ", "))",
        at: pointer + "method")
    }
    // In JSON, only characters with a meaning in URLs need to be encoded; the others are encoded here.
    let target = URLCoding.encodeUnsafe(try text("url"))
    guard target.hasPrefix("/"), !target.hasPrefix("//") else {
      throw Problem.refusedValue(
        "`url` must be a path with an optional query, such as `/authors/1`", at: pointer + "url")
    }
    var headers = try headers(values["headers"], at: pointer + "headers", without: fields)
    let body = values["body"].map { Array(document.bytes[$0.range]) } ?? []
    if method != .get, method != .delete, headers["Content-Type"] == nil, values["body"] != nil {
      headers.append("Content-Type", MediaType.json.rawValue)
    }
    return HTTPRequest(
      method: method, target: target, headers: headers, body: body, peer: batch.peer,
      isSecure: batch.isSecure,
      cancellation: batch.cancellation)
  }

  private static let methods: [HTTPMethod] = [.get, .post, .patch, .put, .delete]

  private static func headers(
    _ node: JSONDocument.Node?, at pointer: JSONPointer, without fields: Set<String>
  ) throws -> HTTPHeaders {
    var headers: HTTPHeaders = [:]
    guard let node else { return headers }
    guard case .object(let members) = node.content else {
      throw Problem.refusedValue("`headers` must be an object of strings", at: pointer)
    }
    for member in members {
      guard case .string(let value) = member.value.content, isField(member.name, value) else {
        throw Problem.refusedValue(
          "`\(member.name)` is not a header field, or its value is not a string", at: pointer + member.name)
      }
      if fields.contains(member.name.lowercased()) {
        var problem = Problem(
          RequestError(
            .invalidValue,
            "`\(member.name)` applies to the whole batch; send it as a header field of the batch"))
        problem.pointer = (pointer + member.name).fragment
        throw problem
      }
      headers.append(member.name, value)
    }
    return headers
  }

  /// RFC 9110 §5.1, §5.5.
  private static func isField(_ name: String, _ value: String) -> Bool {
    !name.isEmpty && name.utf8.allSatisfy(\.isTokenCharacter) && value.utf8.allSatisfy(\.isFieldCharacter)
  }
}
