/// A status code with its reason phrase (RFC 9110 §15).
public struct HTTPStatus: Hashable, Sendable, CustomStringConvertible {
  /// The code, from 100 to 599.
  public let code: Int

  /// Creates a status; returns nil unless `code` is from 100 to 599 (RFC 9110 §15).
  public init?(code: Int) {
    guard (100...599).contains(code) else { return nil }
    self.code = code
  }

  private init(_ code: Int) { self.code = code }

  /// 200.
  public static let ok = HTTPStatus(200)
  /// 201.
  public static let created = HTTPStatus(201)
  /// `202 Accepted`.
  public static let accepted = HTTPStatus(202)
  /// 204: never with content.
  public static let noContent = HTTPStatus(204)
  /// 206 (RFC 9110 §15.3.7).
  public static let partialContent = HTTPStatus(206)
  /// 304: never with content.
  public static let notModified = HTTPStatus(304)
  /// 400.
  public static let badRequest = HTTPStatus(400)
  /// 401.
  public static let unauthorized = HTTPStatus(401)
  /// 403.
  public static let forbidden = HTTPStatus(403)
  /// 404.
  public static let notFound = HTTPStatus(404)
  /// 405.
  public static let methodNotAllowed = HTTPStatus(405)
  /// 406.
  public static let notAcceptable = HTTPStatus(406)
  /// 408.
  public static let requestTimeout = HTTPStatus(408)
  /// 409.
  public static let conflict = HTTPStatus(409)
  /// 412.
  public static let preconditionFailed = HTTPStatus(412)
  /// 413.
  public static let contentTooLarge = HTTPStatus(413)
  /// 414.
  public static let uriTooLong = HTTPStatus(414)
  /// 415.
  public static let unsupportedMediaType = HTTPStatus(415)
  /// 416 (RFC 9110 §15.5.17).
  public static let rangeNotSatisfiable = HTTPStatus(416)
  /// 417.
  public static let expectationFailed = HTTPStatus(417)
  /// 421.
  public static let misdirectedRequest = HTTPStatus(421)
  /// 422.
  public static let unprocessableContent = HTTPStatus(422)
  /// 429 (RFC 6585 §4).
  public static let tooManyRequests = HTTPStatus(429)
  /// 431 (RFC 6585 §5).
  public static let requestHeaderFieldsTooLarge = HTTPStatus(431)
  /// 500.
  public static let internalServerError = HTTPStatus(500)
  /// 501.
  public static let notImplemented = HTTPStatus(501)
  /// 503.
  public static let serviceUnavailable = HTTPStatus(503)
  /// 505.
  public static let httpVersionNotSupported = HTTPStatus(505)

  /// Whether a response with this status ends with its head (RFC 9112 §6.3, 1).
  var forbidsContent: Bool { code < 200 || code == 204 || code == 304 }

  /// The code and the reason phrase.
  public var description: String { "\(code) \(reason)" }

  /// The registered reason phrase; for a code that no constant has, the name of its class.
  public var reason: StaticString {
    switch code {
    case 100: "Continue"
    case 200: "OK"
    case 201: "Created"
    case 204: "No Content"
    case 206: "Partial Content"
    case 304: "Not Modified"
    case 400: "Bad Request"
    case 401: "Unauthorized"
    case 403: "Forbidden"
    case 404: "Not Found"
    case 405: "Method Not Allowed"
    case 406: "Not Acceptable"
    case 408: "Request Timeout"
    case 409: "Conflict"
    case 412: "Precondition Failed"
    case 413: "Content Too Large"
    case 414: "URI Too Long"
    case 415: "Unsupported Media Type"
    case 416: "Range Not Satisfiable"
    case 417: "Expectation Failed"
    case 421: "Misdirected Request"
    case 422: "Unprocessable Content"
    case 429: "Too Many Requests"
    case 431: "Request Header Fields Too Large"
    case 500: "Internal Server Error"
    case 501: "Not Implemented"
    case 503: "Service Unavailable"
    case 505: "HTTP Version Not Supported"
    case ..<200: "Informational"
    case ..<300: "Success"
    case ..<400: "Redirection"
    case ..<500: "Client Error"
    default: "Server Error"
    }
  }
}
