import KindredAssociations
import KindredHTTP

/// The content of a `QUERY` request (RFC 10008): the query string of a URL, which may be longer than a URL.
enum QueryContent {
  /// The media type that `Accept-Query` names.
  static let mediaType = "application/x-www-form-urlencoded"

  /// Returns the `GET` request whose query string is that of the URL followed by the content, unless the URL is a link
  /// that has all of the content.
  ///
  /// The request keeps the content, which tells what of its query string was in the URL.
  ///
  /// - Throws: `Problem` (415) for content of another type; `RequestError` if it isn't UTF-8.
  static func get(_ request: HTTPRequest) throws -> HTTPRequest {
    if !request.body.isEmpty || request.headers["Content-Type"] != nil { try checkType(of: request) }
    guard let content = String(validating: request.body, as: UTF8.self) else {
      throw RequestError(.invalidEncoding, "the content is not UTF-8; encode other bytes with `%`")
    }
    var get = request
    get.method = .get
    let query = (request.query ?? "").split(separator: "&")
    if !query.isEmpty, has(content.split(separator: "&"), in: query) { return get }
    let queries = [request.query.map(String.init) ?? "", content].filter { !$0.isEmpty }
    get.target = queries.isEmpty ? String(request.path) : "\(request.path)?\(queries.joined(separator: "&"))"
    return get
  }

  /// Returns whether the parameters of a link include these, which identify no other page.
  static func has(_ pairs: [Substring], in link: [Substring]) -> Bool {
    let names = Set(link)
    let isOfPage = link.contains { PageLinks.name(of: $0) == "after" }
    let asked = isOfPage ? pairs.filter { !PageLinks.isPlace($0) } : pairs
    return asked.allSatisfy { names.contains($0) || names.contains(URLCoding.encodeUnsafe(String($0))[...]) }
  }

  /// - Throws: `Problem` (415) unless the header fields declare a query string without a content coding.
  static func checkType(of request: HTTPRequest) throws {
    guard ContentType(of: request)?.essence == mediaType else {
      throw Problem(
        .unsupportedMediaType,
        "the content of QUERY is a query string; send it with `Content-Type: \(mediaType)`",
        headers: [("Accept-Query", mediaType)])
    }
    try WriteContent.checkCoding(of: request)
  }
}
