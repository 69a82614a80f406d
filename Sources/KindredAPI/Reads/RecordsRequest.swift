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
  let conditions: Preconditions
  /// The key by which the response is remembered.
  let key: RepresentationCache.Key
  /// The last response; nil if it isn't remembered.
  let last: RepresentationCache.Entry?
  /// The state of the database when the request arrived, or an earlier one; nil if it is unknown, or of no use.
  let version: Int64?
  /// Whether the cursor of the page is found before the records are read.
  let startsWithCursor: Bool

  /// - Parameter version: Returns the state for a request with a condition, or whose last response may be the answer.
  init(
    _ records: RecordsQuery, _ request: HTTPRequest, isAttachment: Bool, startsWithCursor: Bool,
    among representations: RepresentationCache,
    version: (RepresentationCache.Entry?, _ isConditional: Bool) throws -> Int64?
  ) rethrows {
    self.records = records
    self.request = request
    self.isAttachment = isAttachment
    self.startsWithCursor = startsWithCursor
    conditions = Preconditions(of: request)
    key = RepresentationCache.Key(records)
    last = representations.entry(for: key)
    let isConditional = conditions.mayBeHeld
    self.version = !isConditional && last?.content == nil ? nil : try version(last, isConditional)
  }

  var type: MediaType { records.type }

  /// Returns the fields of a response: the common ones, and those of this one.
  func headers(with fields: HTTPHeaders) -> HTTPHeaders {
    var headers = type == .json ? Self.jsonHeaders : Representation.headers(type.field)
    headers.append(contentsOf: fields)
    return headers
  }

  // Created once, because appending validates names and values byte by byte.
  private static let jsonHeaders = Representation.headers(MediaType.json.field)
}
