import KindredHTTP

/// The errors of the service itself, independent of the request's tree.
///
/// The raw value is the code that clients get.
package enum ServiceErrorCode: String, CaseIterable {
  case unauthorized
  case methodNotAllowed = "method-not-allowed"
  case unknownMethod = "unknown-method"
  case misdirected
  case foreignSite = "foreign-site"
  case hidden
  case notAcceptable = "not-acceptable"
  case unsupportedMediaType = "unsupported-media-type"
  case malformedJSON = "malformed-json"
  case malformedCSV = "malformed-csv"
  case unknownMember = "unknown-member"
  case refusedValue = "refused-value"
  case conflict
  case raised
  case otherContent = "idempotency-key-reused"
  case preconditionFailed = "precondition-failed"
  case busy
  case outOfTime = "out-of-time"
  case outOfSpace = "out-of-space"
  case unavailable
  case internalError = "internal-error"

  package var status: HTTPStatus {
    switch self {
    case .unauthorized: .unauthorized
    case .methodNotAllowed: .methodNotAllowed
    case .unknownMethod: .notImplemented
    case .misdirected: .misdirectedRequest
    case .foreignSite, .hidden: .forbidden
    case .notAcceptable: .notAcceptable
    case .unsupportedMediaType: .unsupportedMediaType
    case .malformedJSON, .malformedCSV: .badRequest
    case .unknownMember, .refusedValue, .otherContent: .unprocessableContent
    case .conflict, .raised: .conflict
    case .preconditionFailed: .preconditionFailed
    case .busy, .outOfTime, .outOfSpace, .unavailable: .serviceUnavailable
    case .internalError: .internalServerError
    }
  }
}
