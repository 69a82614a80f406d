import KindredModel
import KindredPlanning
import KindredOutput
import KindredRequests

/// The links of a page to others of its list; there are none if one page has all records.
struct PageLinks {
  /// A link to a page.
  struct Link {
    let relation: Relation
    let target: String
    /// Whether GET follows it; a link of a long request may be for QUERY alone.
    let isForGet: Bool
  }

  /// The relation of a page to another one, in the order of their use.
  enum Relation: String, CaseIterable {
    case next, prev, first, last
  }

  private let links: [Link]
  /// What entity tags of contents without links cover.
  ///
  /// A cursor that hides values is different each time, and no tag may depend on them: instead of it, the tag covers the
  /// key that seals it. Nor does the tag cover the time of a cursor, which is that of the request: a client that has
  /// the page keeps its links, which still lead to the same records.
  let taggedText: String

  /// - Parameters:
  ///   - neighbours: The places of the pages before and after this one.
  ///   - planned: The request as planned.
  ///   - longRequests: Seals the cursors, and shortens links that would be too long.
  init(
    _ records: RecordsQuery, to neighbours: PageNeighbours, of planned: PlannedRequest,
    _ longRequests: LongRequests
  ) {
    let isHidden = planned.plan.plan.cursorIsHidden
    func place(_ page: PagePlace?, isTimeless: Bool = false) -> String? {
      guard let page else { return nil }
      guard var cursor = page.cursor else { return page.isBackward ? "before=" : "" }
      if isTimeless { cursor.time = nil }
      return longRequests.cursors.encode(cursor, isHidden: isHidden, for: planned.order.associatedData)
        .map { "\(page.parameter)=\($0)" }
    }
    var places: [Relation: String] = [:]
    // A page of no records has no neighbours.
    if planned.limit != 0 {
      places[.next] = place(neighbours.next)
      places[.prev] = place(neighbours.previous)
    }
    if isHidden, neighbours.hasCursor {
      taggedText = "\(longRequests.cursors.keyName) \(places.keys.map(\.rawValue).sorted())"
    } else {
      let pages: [(Relation, PagePlace?)] = [(.next, neighbours.next), (.prev, neighbours.previous)]
      taggedText = pages.compactMap { relation, page in
        places[relation].flatMap { page?.cursor?.time == nil ? $0 : place(page, isTimeless: true) }
      }.joined(separator: "&")
    }
    guard !places.isEmpty else {
      links = []
      return
    }
    (places[.first], places[.last]) = ("", "before=")
    links = PageTargets(of: records, longRequests).links(to: places)
  }

  /// The links that a page may show, since they are followed by GET.
  var shown: [(name: String, target: String)] {
    let order: [Relation] = [.first, .prev, .next, .last]
    return order.compactMap { relation in
      links.first { $0.relation == relation && $0.isForGet }.map { (relation.rawValue, $0.target) }
    }
  }

  /// Whether a page follows.
  var hasNext: Bool { links.contains { $0.relation == .next } }

  /// The value of `Link` (RFC 8288); nil if there is none.
  var field: String? {
    guard !links.isEmpty else { return nil }
    let parts = links.flatMap { [", <", $0.target, ">; rel=\"", $0.relation.rawValue, "\""] }
    return (["<"] + parts.dropFirst()).joined()
  }
}

extension PageNeighbours {
  fileprivate var hasCursor: Bool { previous?.cursor != nil || next?.cursor != nil }
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
