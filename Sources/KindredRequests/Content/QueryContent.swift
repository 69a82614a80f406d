import KindredModel
import KindredHTTP

/// The content of a `QUERY` request (RFC 10008): the query string of a URL, which may be longer than a URL.
package enum QueryContent {
  /// The media type that `Accept-Query` names.
  package static let mediaType = "application/x-www-form-urlencoded"

  /// Returns the parameters of the URL followed by those of the content, unless the URL is a link that has all of the
  /// content.
  ///
  /// - Parameter query: The parameters of the URL.
  /// - Throws: `Problem` (415) for content of another type; `RequestError` if it isn't UTF-8.
  package static func query(of request: HTTPRequest, _ query: URLQuery) throws -> URLQuery {
    if !request.body.isEmpty || request.headers["Content-Type"] != nil { try checkType(of: request) }
    guard let content = String(validating: request.body, as: UTF8.self) else {
      throw RequestError(.invalidEncoding, "the content is not UTF-8; encode other bytes with `%`")
    }
    var whole = query
    if query.parameters.isEmpty || !has(URLQuery(content[...]), in: query) {
      whole = URLQuery([query.text, content[...]].filter { !$0.isEmpty }.joined(separator: "&")[...])
    }
    whole.content = content[...]
    return whole
  }

  /// Returns whether the parameters of a link include these, which identify no other page.
  package static func has(_ query: URLQuery, in link: URLQuery) -> Bool {
    let pairs = Set(link.parameters.map(link.pair))
    let isOfPage = link.parameters.contains(where: link.isCursor)
    let needed = isOfPage ? query.pairsOfAllPages : query.parameters.map(query.pair)
    return needed.allSatisfy { pairs.contains($0) || pairs.contains(URLCoding.encodeUnsafe(String($0))[...]) }
  }

  /// - Throws: `Problem` (415) unless the header fields declare a query string without a content coding.
  package static func checkType(of request: HTTPRequest) throws {
    guard ContentType(of: request)?.essence == mediaType else {
      throw Problem(
        .unsupportedMediaType,
        "the content of QUERY is a query string; send it with `Content-Type: \(mediaType)`",
        headers: [("Accept-Query", mediaType)])
    }
    try WriteContent.checkCoding(of: request)
  }
}
