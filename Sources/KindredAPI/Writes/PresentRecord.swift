import KindredAssociations
import KindredBackend
import KindredHTTP
import KindredOutput

/// What a path leads to as a GET without parameters would give it now, for the tags of a client to be compared with.
struct PresentRecord {
  private let digest: ContentHash.Digest

  /// - Parameter transaction: in a transaction that writes, so that nobody else does.
  /// - Throws: `RequestError`, not found, where there is nothing.
  init(
    _ version: ModelVersion, _ request: HTTPRequest, _ principal: Principal,
    _ transaction: any WriteTransaction,
    _ service: KindredService
  ) throws {
    let get = HTTPRequest(method: .get, target: String(request.path))
    guard case .records(let segments) = try Route(get) else {
      throw RequestError(.notFound, "there is no record at \(get.target)")
    }
    let asked = RecordsRequest(
      segments: segments, request: get, principal: principal, type: .json, isAttachment: false,
      key: RepresentationCache.Key(target: get.target, type: .json, rights: principal.rights), version: nil,
      condition: nil)
    let planned = try service.plan(asked, version)
    let reader = transaction.result(of: planned.plan, planned.parameters, limit: planned.limit)
    defer { reader.close() }
    try reader.start()
    let first = try reader.next()
    let isLastPage = planned.plan.plan.isSingle ? nil : try reader.pageCursor() == nil
    var hash = ContentHash.ofResult(.json, isLastPage: isLastPage)
    if let first { hash.update(first) }
    while let part = try reader.next() { hash.update(part) }
    digest = hash.finish()
  }

  /// Whether a client's tags are of this, in whatever coding it was sent.
  func matches(_ condition: EntityTag.Condition) -> Bool {
    condition.match(digest, coding: .identity) != nil
  }
}

extension ContentHash {
  /// What the hash of a result begins with: what tells about the content and is not in it.
  ///
  /// Not the links, whose cursors are sealed anew by each server.
  static func ofResult(_ type: MediaType, totalCount: Int64? = nil, isLastPage: Bool? = nil) -> ContentHash {
    var hash = ContentHash()
    hash.update(type.rawValue)
    if let totalCount { hash.update("\(totalCount)") }
    if let isLastPage { hash.update(isLastPage ? "last" : "more") }
    return hash
  }

  /// What the hash of one record in JSON begins with.
  static var ofPlainRecord: ContentHash { ofResult(.json) }
}
