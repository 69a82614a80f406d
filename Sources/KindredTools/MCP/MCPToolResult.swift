import KindredModel
import KindredHTTP
import KindredRequests

/// The result of a tool, made of the service's response: its content as text and as a value.
package struct MCPToolResult {
  package let json: JSONValue

  /// The maximum length of a message to the client, in bytes.
  package static let maximumLength = 256 << 10
  /// The header fields of the response that the result of a write repeats.
  private static let fields = ["ETag", "Location", "Preference-Applied", "X-Total-Count"]

  private init(text: [UInt8], value: JSONValue? = nil, isError: Bool = false) {
    json = [
      "content": [["type": "text", "text": .string(String(decoding: text, as: UTF8.self))]],
      "structuredContent": value, "isError": .bool(isError),
    ]
  }

  package init(_ problem: Problem) {
    self.init(text: problem.document.bytes, isError: true)
  }

  /// - Throws: An error while the content is read.
  package init(_ tool: MCPTool, _ response: HTTPResponse) throws {
    let content = try Self.content(of: response)
    guard response.status.code < 400 else {
      self.init(text: content ?? [], isError: true)
      return
    }
    if tool == .write {
      self.init(written: content, response)
      return
    }
    guard let content else {
      self.init(Self.tooLong(for: tool))
      return
    }
    guard response.headers["Content-Type"]?.hasPrefix(MediaType.json.rawValue) ?? false else {
      self.init(
        Problem.notAcceptable(
          "this tool gives JSON only; leave out `format`, and read other values over HTTP"))
      return
    }
    let result = Self(text: content, value: Self.value(of: tool, content, response))
    // The text is there twice, with escapes.
    self = result.json.bytes.count <= Self.maximumLength - 1024 ? result : Self(Self.tooLong(for: tool))
  }

  /// - Parameter content: Nil if it is too long, although the write is done.
  private init(written content: [UInt8]?, _ response: HTTPResponse) {
    let fields = Self.fields.compactMap { name in response.headers[name].map { (name, JSONValue.string($0)) }
    }
    func value(_ body: [UInt8]?) -> JSONValue {
      [
        "status": .integer(Int64(response.status.code)), "headers": .object(fields),
        "body": body.map(JSONValue.text),
      ]
    }
    let short = value(nil)
    guard let content, !content.isEmpty else {
      self.init(text: short.bytes, value: short)
      return
    }
    let whole = Self(text: content, value: value(content))
    self = whole.json.bytes.count <= Self.maximumLength - 1024 ? whole : Self(text: short.bytes, value: short)
  }

  /// Returns the content of a response, or nil if it is too long for a message.
  private static func content(of response: HTTPResponse) throws -> [UInt8]? {
    switch response.body {
    case .none: return []
    case .bytes(let bytes): return bytes.count <= maximumLength ? bytes : nil
    case .stream(let stream, _):
      defer { stream.close() }
      var content: [UInt8] = []
      while let part = try stream.next() {
        content += part
        guard content.count <= maximumLength else { return nil }
      }
      return content
    }
  }

  private static func value(of tool: MCPTool, _ content: [UInt8], _ response: HTTPResponse) -> JSONValue {
    switch tool {
    case .complete: return ["items": .text(content)]
    case .schema, .describe, .explain, .write: return .text(content)
    case .fetch:
      let isArray = content.first == UInt8(ascii: "[")
      return [
        isArray ? "records" : "record": .text(content),
        "next": response.headers["Link"].flatMap(next).map(JSONValue.string),
      ]
    }
  }

  /// Returns the URL of the next page in a value of `Link`.
  private static func next(_ links: String) -> String? {
    links.split(separator: ", ").first { $0.hasSuffix("; rel=\"next\"") }
      .map { String($0.dropFirst().prefix { $0 != ">" }) }
  }

  private static func tooLong(for tool: MCPTool) -> Problem {
    let advice =
      tool == .schema
      ? "call `schema` for one `resource`; `complete` with `url` \"/\" and `position` 1 lists their names"
      : "request fewer columns with `fields`, or fewer records with `limit`, and follow `next`"
    return Problem(
      RequestError(.limitExceeded, "the answer is longer than \(maximumLength >> 10) KiB; \(advice)"))
  }
}
