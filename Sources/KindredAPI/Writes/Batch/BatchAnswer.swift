import KindredModel
import KindredHTTP
import KindredRequests

/// The content of the response to a batch: an array of the responses to its parts.
struct BatchAnswer {
  private var bytes = [UInt8(ascii: "[")]
  private let basePath: BasePath

  init(below basePath: BasePath) { self.basePath = basePath }

  /// The whole content.
  var finished: [UInt8] { bytes + [UInt8(ascii: "]")] }

  /// Appends the response to a part.
  ///
  /// - Throws: `RequestError` if the content is then too long.
  mutating func append(_ result: WriteResult) throws {
    if bytes.count > 1 { bytes.append(UInt8(ascii: ",")) }
    var headers = basePath.added(to: result.headers).filter { $0.name != "Cache-Control" }.map {
      ($0.name, JSONValue.string($0.value))
    }
    if result.content != nil { headers.append(("Content-Type", .string(MediaType.json.rawValue))) }
    if let tag = result.tag {
      headers.append(("ETag", .string(EntityTag(digest: tag, coding: .identity).field)))
    }
    let head: JSONValue = .object([
      ("status", .integer(Int64(result.status.code))), ("headers", .object(headers)),
    ])
    bytes += head.bytes.dropLast()
    if let content = result.content {
      bytes += ",\"body\":".utf8
      bytes += content
    }
    bytes.append(UInt8(ascii: "}"))
    try Self.checkLength(bytes.count)
  }

  /// - Throws: `RequestError` if a content of so many bytes is too long.
  static func checkLength(_ count: Int) throws {
    guard count <= WriteAnswer.maximumLength else {
      throw RequestError(.limitExceeded, "the response to the batch is too long; request less data")
    }
  }
}
