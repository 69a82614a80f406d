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

  private init(text: [UInt8], more: String? = nil, value: JSONValue? = nil, isError: Bool = false) {
    let texts = [String(decoding: text, as: UTF8.self)] + (more.map { [$0] } ?? [])
    json = [
      "content": .array(texts.map { ["type": "text", "text": .string($0)] }),
      "structuredContent": value, "isError": .bool(isError),
    ]
  }

  /// Creates the result of `schema`: of all resources in short, or of some with their details.
  ///
  /// - Throws: `RequestError` if there is no resource of a name.
  package init(_ schema: MCPSchema, of names: [String]?) throws {
    if let names {
      let document = try schema.details(of: names)
      self.init(text: document.bytes, value: document)
      if !fits { self.init(Self.tooLong(for: .schema)) }
      return
    }
    for extent in MCPSchema.Extent.allCases {
      let document = schema.short(extent)
      self.init(text: document.bytes, value: document)
      if fits { return }
    }
    self.init(Self.tooLong(for: .schema))
  }

  /// Whether it can be sent; the text is there twice, with escapes.
  private var fits: Bool { json.bytes.count <= Self.maximumLength - 1024 }

  package init(_ problem: Problem) {
    self.init(text: problem.document.bytes, isError: true)
  }

  /// - Parameters:
  ///   - page: What was requested.
  ///   - total: Returns the number of records that a request tells.
  /// - Throws: An error while the content is read.
  package init(
    _ tool: MCPTool, _ response: HTTPResponse, of page: MCPPage, total: (String) -> Int?
  ) throws {
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
    let more = tool == .fetch ? MCPFollowing(page, content, response, total) : nil
    let result = Self(text: content, more: more?.text, value: Self.value(of: tool, content, more))
    self = result.fits ? result : Self(Self.tooLong(for: tool))
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
    self = whole.fits ? whole : Self(text: short.bytes, value: short)
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

  private static func value(of tool: MCPTool, _ content: [UInt8], _ more: MCPFollowing?) -> JSONValue {
    switch tool {
    case .complete: return ["items": .text(content)]
    case .schema, .describe, .explain, .write: return .text(content)
    case .fetch:
      let isArray = content.first == UInt8(ascii: "[")
      return [
        isArray ? "records" : "record": .text(content),
        "next": more?.next.map(JSONValue.string), "total": more?.counted.map { .integer(Int64($0)) },
      ]
    }
  }

  private static func tooLong(for tool: MCPTool) -> Problem {
    let advice =
      tool == .schema
      ? "call `schema` with fewer `resources`"
      : "request fewer columns with `fields`, or fewer records with `limit`, and follow `next`"
    return Problem(
      RequestError(.limitExceeded, "the answer is longer than \(maximumLength >> 10) KiB; \(advice)"))
  }
}
