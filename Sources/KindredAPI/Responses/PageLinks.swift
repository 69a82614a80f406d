import KindredAssociations
import KindredHTTP

/// Where the first page and the next one are.
struct PageLinks {
  let first: String
  /// Nil on the last page.
  let next: String?

  init(_ request: HTTPRequest, order: RequestOrder, next cursor: Cursor?) {
    let pairs = (request.query ?? "").split(separator: "&")
    let kept = pairs.filter { pair in
      let name = pair.prefix { $0 != "=" }
      return name != "after" && name != "offset"
    }
    func url(_ more: [String]) -> String {
      let query = (kept.map(String.init) + more).joined(separator: "&")
      return URLCoding.encodeUnsafe(request.path + (query.isEmpty ? "" : "?\(query)"))
    }
    // The first page keeps its offset.
    let offset = pairs.first { $0.hasPrefix("offset=") }
    first = url(offset.map { [String($0)] } ?? [])
    next = cursor.map { url(["after=\(CursorCoding.encode($0, order: order.text))"]) }
  }

  /// The value of `Link` (RFC 8288).
  var field: String {
    let first = "<\(first)>; rel=\"first\""
    return next.map { "<\($0)>; rel=\"next\", \(first)" } ?? first
  }
}
