import KindredModel
import KindredPlanning
import KindredOutput
import KindredRequests

/// The links to the first page and the next one.
struct PageLinks {
  let first: String
  /// Nil on the last page.
  let next: String?
  /// The links that a page may show, since they are followed by GET.
  let shown: [(name: String, target: String)]
  /// What entity tags cover of the cursor, also those of pages that show the links.
  ///
  /// A cursor that hides values is different each time, and no tag may depend on them: instead of it, the tag covers the
  /// key that seals it. Nor does the tag cover the time of a cursor, which is that of the request: whoever has the page
  /// keeps its links, which go on to lead to the same records.
  let taggedText: String

  /// - Parameters:
  ///   - cursor: The cursor of the next page; nil on the last page.
  ///   - planned: The request as planned.
  ///   - longRequests: Seals the cursor, and shortens links that would be too long.
  init(
    _ records: RecordsQuery, next cursor: Cursor?, of planned: PlannedRequest, _ longRequests: LongRequests
  ) {
    let (path, standing) = (records.path, records.principal.standing)
    let isHidden = cursor != nil && planned.plan.plan.cursorIsHidden
    func encode(_ cursor: Cursor) -> String? {
      longRequests.cursors.encode(cursor, isHidden: isHidden, for: planned.order.associatedData)
    }
    var timeless = cursor
    timeless?.time = nil
    let isTimeless = cursor?.time == nil
    let cursor = cursor.flatMap(encode)
    taggedText =
      isHidden ? longRequests.cursors.keyName : (isTimeless ? cursor : timeless.flatMap(encode)) ?? ""
    let links = Self.links(records, next: cursor)
    guard max(links.first.utf8.count, links.next?.utf8.count ?? 0) > Self.maximumURLLength else {
      (first, next) = links
      shown = [("first", links.first)] + (links.next.map { [("next", $0)] } ?? [])
      return
    }
    let kept = records.query.pairsOfAllPages
    // Both links contain the same text, which may be long.
    let query = LongRequests.Compressed(kept.joined(separator: "&"))
    func url(_ place: String, within length: Int) -> String? {
      query.flatMap {
        longRequests.target(path: path, query: $0, place: place, for: standing, within: length)
      }
    }
    func target(_ place: String) -> String? {
      let own = Self.pairs(kept, besideContentOf: records.query)
      let target = longRequests.target(path: path, beside: own, of: kept, place: place, for: standing)
      guard let target, target.utf8.count > Self.maximumURLLength / 2, !own.isEmpty else { return target }
      // All parameters are the content of the QUERY then.
      return longRequests.target(path: path, beside: [], of: kept, place: place, for: standing)
    }
    let place = cursor.map { "after=\($0)" }
    let nextURL = place.flatMap { url($0, within: Self.maximumURLLength - 1024) }
    let next = nextURL ?? place.flatMap(target)
    self.next = next
    let room = Self.maximumURLLength - 64 - (next?.utf8.count ?? 0)
    let start = Self.offset(in: records.query) ?? ""
    let firstURL = url(start, within: room)
    first = firstURL ?? target(start) ?? links.first
    shown = (firstURL.map { [("first", $0)] } ?? []) + (nextURL.map { [("next", $0)] } ?? [])
  }

  /// Returns the parameters of all pages that weren't in the content of a QUERY, which come before those of the content.
  private static func pairs(_ kept: [Substring], besideContentOf query: URLQuery) -> [Substring] {
    let content = URLQuery(query.content).pairsOfAllPages
    func encoded(_ pairs: some Sequence<Substring>) -> [String] {
      pairs.map { URLCoding.encodeUnsafe(String($0)) }
    }
    return encoded(kept.suffix(content.count)) == encoded(content) ? kept.dropLast(content.count) : kept
  }

  /// Returns a URL for GET with these parameters in addition to some of a request; nil if it would be too long.
  static func url(
    _ path: Substring, _ pairs: [String], _ longRequests: LongRequests, for standing: [UInt8]
  ) -> String? {
    let query = pairs.joined(separator: "&")
    let plain = URLCoding.encodeUnsafe("\(path)?\(query)")
    guard plain.utf8.count > maximumURLLength else { return plain }
    return LongRequests.Compressed(query).flatMap {
      longRequests.target(path: path, query: $0, place: "", for: standing, within: maximumURLLength)
    }
  }

  /// Returns the parameter with the start of the first page, as received; nil if there is none.
  private static func offset(in query: URLQuery) -> String? {
    query.parameters.first { query.isNamed($0, "offset") }.map { String(query.pair($0)) }
  }

  private static func links(_ records: RecordsQuery, next cursor: String?) -> (first: String, next: String?) {
    let query = records.query
    guard query.parameters.contains(where: query.isPlace) else {
      let target = URLCoding.encodeUnsafe(records.target)
      return (target, cursor.map { [target, query.text.isEmpty ? "?after=" : "&after=", $0].joined() })
    }
    func url(_ more: [String]) -> String {
      let query = (query.pairsOfAllPages.map(String.init) + more).joined(separator: "&")
      return URLCoding.encodeUnsafe(records.path + (query.isEmpty ? "" : "?\(query)"))
    }
    // The link to the first page keeps the offset.
    return (url(offset(in: query).map { [$0] } ?? []), cursor.map { url(["after=\($0)"]) })
  }

  /// The largest length of `Link` in bytes: clients and proxies accept about 8 KiB for all fields of a response.
  private static let maximumLength = 6 << 10
  /// The largest length of a plain link; a longer one contains its request in another form.
  private static let maximumURLLength = maximumLength - 16

  /// The value of `Link` (RFC 8288); with long URLs only the more useful link, nil if there is none.
  var field: String? {
    let first = first.utf8.count <= Self.maximumLength ? ["<", first, ">; rel=\"first\""] : nil
    guard let next = next.map({ ["<", $0, ">; rel=\"next\""] }) else { return first?.joined() }
    // The path alone may be this long.
    guard next.byteCount <= Self.maximumLength + 1024 else { return first?.joined() }
    guard let first, next.byteCount + first.byteCount <= Self.maximumLength else { return next.joined() }
    return (next + [", "] + first).joined()
  }
}

extension [String] {
  /// The length of all texts together, in bytes.
  fileprivate var byteCount: Int { reduce(0) { $0 + $1.utf8.count } }

  /// Returns the texts one after the other; an interpolation would grow the result step by step.
  fileprivate func joined() -> String {
    String(unsafeUninitializedCapacity: byteCount) { bytes in
      var end = 0
      for var text in self {
        text.withUTF8 {
          _ = UnsafeMutableBufferPointer(rebasing: bytes[end...]).update(fromContentsOf: $0)
          end += $0.count
        }
      }
      return end
    }
  }
}
