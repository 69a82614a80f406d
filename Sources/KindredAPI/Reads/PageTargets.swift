import KindredModel
import KindredRequests

/// Makes the targets of the links to pages of a request, in forms that together fit into a header field.
struct PageTargets {
  private let records: RecordsQuery
  private let longRequests: LongRequests
  /// The parameters of all pages, as received.
  private let kept: [Substring]

  /// The largest length of `Link` in bytes: clients and proxies accept about 8 KiB for all fields of a response.
  private static let maximumLength = 6 << 10
  /// The largest length of a plain link; a longer one contains its request in another form.
  private static let maximumURLLength = maximumLength - 16

  init(of records: RecordsQuery, _ longRequests: LongRequests) {
    (self.records, self.longRequests) = (records, longRequests)
    kept = records.query.pairsOfAllPages
  }

  /// Returns links to pages, the more useful ones first: with long URLs not all of them.
  ///
  /// - Parameter places: The parameters that tell each page, such as `after=…`.
  func links(to places: [PageLinks.Relation: String]) -> [PageLinks.Link] {
    let wanted = PageLinks.Relation.allCases.compactMap { relation in places[relation].map { (relation, $0) }
    }
    let plain = wanted.map { PageLinks.Link(relation: $0, target: self.plain($1), isForGet: true) }
    guard plain.reduce(0, { $0 + $1.length }) > Self.maximumLength else { return plain }
    // All links contain the same text, which may be long.
    let query = LongRequests.Compressed(kept.joined(separator: "&"))
    var links: [PageLinks.Link] = []
    var room = Self.maximumLength
    for (link, place) in zip(plain, wanted.map(\.1)) {
      // The next page leaves room for the previous one.
      let previous = link.relation == .next ? places[.prev] : nil
      let needed = previous.flatMap { self.link(.prev, self.place($0), isForGet: false)?.length } ?? 0
      let whole = self.link(link.relation, query.flatMap { self.whole($0, place, within: room) })
      let forms = [link, whole].compactMap(\.self)
      let half = previous == nil ? room : Self.maximumLength / 2
      let chosen =
        forms.first { $0.length <= half } ?? forms.first { $0.length <= room - needed }
        ?? self.link(link.relation, self.place(place), isForGet: false)
      // The path alone may be long.
      guard let chosen, chosen.length <= (links.isEmpty ? room + 1024 : room) else { continue }
      links.append(chosen)
      room -= chosen.length
    }
    return links
  }

  private func link(
    _ relation: PageLinks.Relation, _ target: String?, isForGet: Bool = true
  ) -> PageLinks.Link? {
    target.map { PageLinks.Link(relation: relation, target: $0, isForGet: isForGet) }
  }

  private func plain(_ place: String) -> String {
    guard records.query.parameters.contains(where: records.query.isPlace) else {
      let target = records.target
      let separator = records.query.text.isEmpty ? "?" : "&"
      return URLCoding.encodeUnsafe(place.isEmpty ? target : [target, separator, place].joined())
    }
    let query = (kept.map(String.init) + (place.isEmpty ? [] : [place])).joined(separator: "&")
    return URLCoding.encodeUnsafe(records.path + (query.isEmpty ? "" : "?\(query)"))
  }

  /// Returns a link that contains the request, or nil if it would be too long.
  private func whole(_ query: LongRequests.Compressed, _ place: String, within length: Int) -> String? {
    longRequests.target(
      path: records.path, query: query, place: place, in: Self.parameter(of: place),
      for: records.principal.standing, within: length)
  }

  /// Returns a link for a QUERY with the same content.
  private func place(_ place: String) -> String? {
    func url(beside pairs: [Substring]) -> String? {
      longRequests.target(
        path: records.path, beside: pairs, of: kept, place: place, in: Self.parameter(of: place),
        for: records.principal.standing)
    }
    let own = Self.pairs(kept, besideContentOf: records.query)
    let target = url(beside: own)
    guard let target, target.utf8.count > Self.maximumURLLength / 2, !own.isEmpty else { return target }
    // All parameters are the content of the QUERY then.
    return url(beside: [])
  }

  private static func parameter(of place: String) -> String {
    place.hasPrefix("before=") ? "before" : "after"
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
}

extension PageLinks.Link {
  /// The length in `Link`, in bytes.
  fileprivate var length: Int { target.utf8.count + relation.rawValue.utf8.count + 12 }
}
