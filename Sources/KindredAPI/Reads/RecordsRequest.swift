import KindredHTTP

/// A request for the records that a path leads to.
///
/// An object, so that passing it on doesn't copy all parts of the request.
final class RecordsRequest: Sendable {
  let segments: [Substring]
  let request: HTTPRequest
  let principal: Principal
  let type: MediaType
  /// Whether a browser should save the response instead of showing it.
  let isAttachment: Bool
  /// The state of the database when the request arrived, or an earlier one; nil if unknown.
  let version: Int64?
  let condition: EntityTag.Condition?
  /// Whether the cursor of the page is found before the records are read.
  let startsWithCursor: Bool

  init(
    segments: [Substring], request: HTTPRequest, principal: Principal, type: MediaType, isAttachment: Bool,
    version: Int64?, condition: EntityTag.Condition?,
    startsWithCursor: Bool = false
  ) {
    self.segments = segments
    self.request = request
    self.principal = principal
    self.type = type
    self.isAttachment = isAttachment
    self.version = version
    self.condition = condition
    self.startsWithCursor = startsWithCursor
  }

  /// The key by which the response is remembered.
  var key: RepresentationCache.Key {
    RepresentationCache.Key(
      target: request.target, type: type, rights: principal.rights, standing: principal.standing)
  }
}
