import KindredAssociations
import KindredExecution
import KindredHTTP
import KindredSQLite

/// The record of a path as a GET without parameters would give it now, for the tags of a client to be compared with.
struct PresentRecord {
  private let digest: ContentHash.Digest
  /// What was answered last to that GET, where it is still so.
  ///
  /// The tag of a long record is not that of its content.
  private let known: RepresentationCache.Entry?

  /// - Parameter connection: in a transaction that writes, so that nobody else does.
  init(
    _ version: ModelVersion, _ request: HTTPRequest, _ principal: Principal, _ connection: Connection,
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
    let reader = ResultReader(planned.plan, on: connection, parameters: planned.parameters)
    defer { reader.close() }
    try reader.start()
    var hash = ContentHash.ofPlainRecord
    while let part = try reader.next() { hash.update(part) }
    digest = hash.finish()
    let known = service.representations.entry(for: asked.key)
    // By the content alone: others may have changed the record in this very transaction.
    self.known = known?.content == digest ? known : nil
  }

  /// Whether a client's tags are of this record, in whatever coding it was sent.
  func matches(_ condition: EntityTag.Condition) -> Bool {
    let digests = [digest] + (known.map { [$0.tag] } ?? [])
    return digests.contains { condition.match($0, coding: .identity) != nil }
  }
}

extension ContentHash {
  /// What the hash of one record in JSON begins with.
  static var ofPlainRecord: ContentHash {
    var hash = ContentHash()
    hash.update(MediaType.json.rawValue)
    return hash
  }
}
