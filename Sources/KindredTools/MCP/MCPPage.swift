import KindredHTTP
import KindredRequests

/// What a call of `fetch` requested: its path, its parameters as they were written, and the number of records before.
package struct MCPPage {
  private let path: String
  private let parameters: [Substring]
  /// The number of records before the page; nil if it isn't known.
  let before: Int?

  /// - Parameter target: The URL that was requested.
  /// - Parameter place: The number of records before it, of a page that another one has led to.
  package init(_ target: String, place: Int? = nil) {
    let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    let written = parts.count > 1 ? parts[1].split(separator: "&") : []
    func value(_ name: String) -> Substring? {
      written.first { $0.hasPrefix("\(name)=") }?.dropFirst(name.count + 1)
    }
    path = String(parts[0])
    parameters = written
    if let place {
      before = place
    } else if value("after") != nil || value("before") != nil {
      before = nil
    } else {
      before = value("offset").map { Int($0).flatMap { (0...(1 << 53)).contains($0) ? $0 : nil } } ?? 0
    }
  }

  /// Returns a URL without the number of the records before its page, which `next` has behind it, and that number.
  static func parts(of url: String) -> (url: String, place: Int?) {
    // The number is a client's, and the records of its page are added to it.
    guard let mark = url.lastIndex(of: "#"), let place = Int(url[url.index(after: mark)...]),
      (0...(1 << 53)).contains(place)
    else {
      return (url, nil)
    }
    return (String(url[..<mark]), place)
  }

  /// A request that tells the number of all records, and gives none.
  var counting: String {
    let paging = ["limit", "offset", "after", "before", "count"]
    let kept = parameters.filter { parameter in !paging.contains { parameter.hasPrefix("\($0)=") } }
    return "\(path)?\((kept + ["limit=0", "count=true"]).joined(separator: "&"))"
  }
}

/// What a page leaves to say: how many records follow, and how to get them.
struct MCPFollowing {
  /// The URL of the next page.
  let next: String?
  /// The number of all records, where the request counts them.
  let counted: Int?
  /// The second text of an answer; nil if the first says all.
  let text: String?

  init(_ page: MCPPage, _ content: [UInt8], _ response: HTTPResponse, _ total: (String) -> Int?) {
    let count = response.headers["X-Total-Count"].flatMap { Int($0) }
    let estimated = response.headers["X-Estimated-Count"].flatMap { Int($0) }
    let link = response.headers["Link"].flatMap(Self.next)
    counted = count
    guard let link else {
      next = nil
      text = count.map { "\($0) records in all." }
      return
    }
    let number = count ?? estimated ?? total(page.counting)
    let end = page.before.map { $0 + Self.number(ofRecordsIn: content) }
    next = end.map { "\(link)#\($0)" } ?? link
    let all = number.map { ", of \(estimated == nil || count != nil ? "" : "about ")\($0) in all" } ?? ""
    let more = number.flatMap { number in end.map { "\(max(1, number - $0)) more records follow" } }
    text = "\(more ?? "More records follow")\(all). Fetch the next page with the url \(next ?? link)"
  }

  /// Returns the URL of the next page in a value of `Link`.
  private static func next(_ links: String) -> String? {
    links.split(separator: ", ").first { $0.hasSuffix("; rel=\"next\"") }
      .map { String($0.dropFirst().prefix { $0 != ">" }) }
  }

  /// Returns the number of the items of a JSON array.
  private static func number(ofRecordsIn content: [UInt8]) -> Int {
    var (depth, items, isText, isEscaped) = (0, 0, false, false)
    for byte in content {
      if isText {
        if isEscaped {
          isEscaped = false
        } else if byte == UInt8(ascii: "\\") {
          isEscaped = true
        } else if byte == UInt8(ascii: "\"") {
          isText = false
        }
        continue
      }
      switch byte {
      case UInt8(ascii: "\""): isText = true
      case UInt8(ascii: "["), UInt8(ascii: "{"):
        if depth == 1 { items += 1 }
        depth += 1
      case UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= 1
      default: break
      }
    }
    return items
  }
}
