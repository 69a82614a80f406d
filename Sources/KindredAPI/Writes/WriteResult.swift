import KindredHTTP
import KindredRequests

/// The result of a write.
struct WriteResult: Sendable {
  var status: HTTPStatus
  /// The path of the added record, if it is a single one.
  var location: String?
  /// The content in JSON; nil if there is none.
  var content: [UInt8]?
  /// The tag of the record, if the content is what a GET without parameters returns.
  var tag: ContentHash.Digest?
  /// The number of changed records of a bulk change or an import.
  var count: Int?
  /// The value of `Link`, for a reading part of a batch.
  var link: String?
  /// The value of `Preference-Applied`.
  var appliedPreferences: String?

  init(status: HTTPStatus) {
    self.status = status
  }

  /// The header fields that don't depend on the content coding.
  var headers: HTTPHeaders {
    var headers: HTTPHeaders = ["Cache-Control": "no-store"]
    if let location { headers.append("Location", location) }
    if let count { headers.append("X-Total-Count", String(count)) }
    if let link { headers.append("Link", link) }
    if let appliedPreferences { headers.append("Preference-Applied", appliedPreferences) }
    return headers
  }

  /// Returns the response to a client.
  ///
  /// - Parameter compressionLevel: The gzip level of long content; nil for no compression.
  func response(to request: HTTPRequest, compressionLevel: Int?) -> HTTPResponse {
    var response = HTTPResponse(status: status, headers: headers)
    guard let content else { return response }
    response.headers.append("Content-Type", MediaType.json.rawValue)
    response.headers.append("Vary", "Accept-Encoding")
    let coding = Representation.coding(
      for: request, isLong: content.count >= Representation.longLength, compressionLevel: compressionLevel)
    let gzip = coding == .gzip ? compressionLevel.flatMap { try? Gzip.compress(content, level: $0) } : nil
    response.body = .bytes(gzip ?? content)
    if gzip != nil { response.headers.append("Content-Encoding", "gzip") }
    if let tag {
      EntityTag(digest: tag, coding: gzip == nil ? .identity : .gzip).append(to: &response.headers)
    }
    return response
  }
}
