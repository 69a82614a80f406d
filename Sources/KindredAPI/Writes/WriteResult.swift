import KindredHTTP

/// What a write comes to.
struct WriteResult: Sendable {
  var status: HTTPStatus
  /// The path of the one record that was added.
  var location: String?
  /// In JSON; nil where there is nothing to tell.
  var content: [UInt8]?
  /// Of the record as a GET without parameters gives it, where that is the content.
  var tag: ContentHash.Digest?
  /// How many records were changed, where they are many.
  var count: Int?
  /// The value of `Link`, of a part of a batch that reads.
  var link: String?
  /// The value of `Preference-Applied`.
  var appliedPreferences: String?

  init(status: HTTPStatus) {
    self.status = status
  }

  /// The header fields that don't depend on how the content is sent.
  var headers: HTTPHeaders {
    var headers: HTTPHeaders = ["Cache-Control": "no-store"]
    if let location { headers.append("Location", location) }
    if let count { headers.append("X-Total-Count", String(count)) }
    if let link { headers.append("Link", link) }
    if let appliedPreferences { headers.append("Preference-Applied", appliedPreferences) }
    return headers
  }

  /// The response to a client.
  ///
  /// - Parameter compressionLevel: how hard long content is compressed; nil for not at all.
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
      response.headers.append("ETag", EntityTag(digest: tag, coding: gzip == nil ? .identity : .gzip).field)
    }
    return response
  }
}
