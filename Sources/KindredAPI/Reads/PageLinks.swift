import KindredHTTP

/// Where the first page and the next one are.
struct PageLinks {
  let first: String
  /// Nil on the last page.
  let next: String?

  /// - Parameter cursor: of the next page, as it is written; nil on the last page.
  init(_ request: HTTPRequest, next cursor: String?) {
    if !Self.hasPlace(request.target) {
      let target = URLCoding.encodeUnsafe(request.target)
      first = target
      next = cursor.map { "\(target)\(request.query == nil ? "?" : "&")after=\($0)" }
      return
    }
    let pairs = (request.query ?? "").split(separator: "&")
    let kept = pairs.filter { !["after", "offset"].contains(Self.name(of: $0)) }
    func url(_ more: [String]) -> String {
      let query = (kept.map(String.init) + more).joined(separator: "&")
      return URLCoding.encodeUnsafe(request.path + (query.isEmpty ? "" : "?\(query)"))
    }
    // The first page keeps its offset.
    let offset = pairs.first { Self.name(of: $0) == "offset" }
    first = url(offset.map { [String($0)] } ?? [])
    next = cursor.map { url(["after=\($0)"]) }
  }

  /// Whether a URL may say where the page begins; most don't.
  private static func hasPlace(_ target: String) -> Bool {
    var target = target
    return target.withUTF8 { bytes in
      bytes.indices.contains { index in
        guard bytes[index] == UInt8(ascii: "?") || bytes[index] == UInt8(ascii: "&") else { return false }
        let rest = bytes[(index + 1)...]
        let name = rest.prefix { $0 != UInt8(ascii: "=") && $0 != UInt8(ascii: "&") }
        return name.elementsEqual("after".utf8) || name.elementsEqual("offset".utf8)
          || name.contains(UInt8(ascii: "%"))
      }
    }
  }

  /// The decoded name of a parameter.
  private static func name(of pair: Substring) -> String? {
    try? URLCoding.decode(pair.prefix { $0 != "=" }, plusIsSpace: true)
  }

  /// All fields of an answer together must not be longer than clients and proxies take: 8 KiB.
  private static let maximumLength = 6 << 10

  /// The value of `Link` (RFC 8288): of a long URL, the more useful link alone; nil where even that is too long.
  var field: String? {
    let first = "<\(first)>; rel=\"first\""
    let next = next.map { "<\($0)>; rel=\"next\"" }
    let candidates = [next.map { "\($0), \(first)" }, next, first]
    return candidates.lazy.compactMap { $0 }.first { $0.utf8.count <= Self.maximumLength }
  }
}
