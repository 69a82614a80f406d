import KindredHTTP
import KindredRequests

/// A request for the records that a path leads to.
///
/// An object, so that passing it on doesn't copy all parts of the request.
final class RecordsRequest: Sendable {
  let records: RecordsQuery
  let request: HTTPRequest
  /// Whether a browser should save the response instead of showing it.
  let isAttachment: Bool
  /// The state of the database when the request arrived, or an earlier one; nil if unknown.
  let version: Int64?
  let condition: EntityTag.Condition?
  /// Whether the cursor of the page is found before the records are read.
  let startsWithCursor: Bool

  init(
    _ records: RecordsQuery, _ request: HTTPRequest, isAttachment: Bool, version: Int64?,
    condition: EntityTag.Condition?, startsWithCursor: Bool
  ) {
    self.records = records
    self.request = request
    self.isAttachment = isAttachment
    self.version = version
    self.condition = condition
    self.startsWithCursor = startsWithCursor
  }

  var type: MediaType { records.type }

  /// The key by which the response is remembered.
  var key: RepresentationCache.Key {
    RepresentationCache.Key(
      path: records.path, query: records.query.text, type: type, rights: records.principal.rights,
      standing: records.principal.standing)
  }
}
