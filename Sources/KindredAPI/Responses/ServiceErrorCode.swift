import KindredHTTP

/// What the service refuses by itself, whatever the request is about; the raw value is the code that clients get.
enum ServiceErrorCode: String, CaseIterable {
  case methodNotAllowed = "method-not-allowed"
  case notAcceptable = "not-acceptable"
  case busy
  case outOfTime = "out-of-time"
  case unavailable
  case internalError = "internal-error"

  var status: HTTPStatus {
    switch self {
    case .methodNotAllowed: .methodNotAllowed
    case .notAcceptable: .notAcceptable
    case .busy, .outOfTime, .unavailable: .serviceUnavailable
    case .internalError: .internalServerError
    }
  }
}
