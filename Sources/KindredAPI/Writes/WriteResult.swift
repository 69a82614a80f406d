import KindredHTTP
import KindredRequests

/// The result of a write.
struct WriteResult: Sendable {
  var status: HTTPStatus
  /// The path of the added record, if it is a single one.
  var location: String?
  /// The content in JSON; nil if there is none.
  var content: [UInt8]?
  /// Whether the records that the client has written are not returned, or can't be.
  var isMinimal = false
  /// The tag of the record, if the content is what a GET without parameters returns.
  var tag: ContentHash.Digest?
  /// The number of changed records of a bulk change or an import.
  var count: Int?
  /// The fields of a reading part of a batch that not all results have.
  var fields = HTTPHeaders()
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
    headers.append(contentsOf: fields)
    if let appliedPreferences { headers.append("Preference-Applied", appliedPreferences) }
    return headers
  }

  /// Returns the response to a client.
  ///
  /// - Parameter compressionLevel: The gzip level of long content; nil for no compression.
  func response(to request: HTTPRequest, compressionLevel: Int?) -> HTTPResponse {
    var headers = headers
    guard let content else {
      if let tag { headers.append("ETag", EntityTag(digest: tag, coding: .identity).field) }
      return HTTPResponse(status: status, headers: headers)
    }
    headers.append("Content-Type", MediaType.json.rawValue)
    headers.append("Vary", "Accept-Encoding")
    let representation = Representation(
      headers: headers, content: .bytes(content), tag: tag ?? ContentHash().finish())
    return representation.response(
      status, to: request, hasTag: tag != nil, compressionLevel: compressionLevel)
  }
}
