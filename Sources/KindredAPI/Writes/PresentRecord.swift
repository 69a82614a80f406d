import KindredPlanning
import KindredBackend
import KindredOutput
import KindredRequests

/// The current content of a path, as a GET without parameters would return it, to be compared with a client's tags.
struct PresentRecord {
  private let digest: ContentHash.Digest

  /// - Parameter transaction: A writing transaction, which excludes other writers.
  /// - Throws: `RequestError` (`notFound`) if there is no such record.
  init(
    _ records: RecordsQuery, in version: ModelVersion, _ transaction: any WriteTransaction,
    _ context: ServiceContext
  ) throws {
    let planned = try context.planner.plan(records, version)
    let reader = transaction.result(of: planned.plan, planned.parameters, limit: planned.limit)
    defer { reader.close() }
    try reader.start()
    let first = try reader.next()
    let links: PageLinks? =
      planned.plan.plan.isSingle
      ? nil
      : PageLinks(records, next: try reader.pageCursor(), of: planned, context.longRequests)
    var hash = ContentHash.ofResult(.json, links: links)
    if let first { hash.update(first) }
    while let part = try reader.next() { hash.update(part) }
    digest = hash.finish()
  }

  /// Returns whether a client's tags match the content in any coding.
  func matches(_ condition: EntityTag.Condition) -> Bool {
    condition.match(digest, coding: .identity) != nil
  }
}

extension ContentHash {
  /// Returns a hash that has been updated with the metadata that precede a result's content.
  ///
  /// - Parameter links: The links of a page.
  static func ofResult(_ type: MediaType, totalCount: Int64? = nil, links: PageLinks? = nil) -> ContentHash {
    var hash = ContentHash()
    hash.update(type.rawValue)
    if let totalCount { hash.update("\(totalCount) ") }
    if let links { hash.update(type == .html ? links.shownText : links.taggedText) }
    return hash
  }

  /// The hash that the JSON of a single record is added to.
  static var ofPlainRecord: ContentHash { ofResult(.json) }
}
