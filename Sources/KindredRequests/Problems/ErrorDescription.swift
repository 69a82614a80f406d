import KindredModel
import KindredHTTP

/// The entry of an error code in `/-/errors`.
package struct ErrorDescription {
  package let code: String
  package let title: String
  /// What the error means and how to fix it.
  package let text: String
  /// The statuses of answers with it, and when.
  package let statuses: String

  /// The titles that don't follow from the code.
  private static let titles = [
    "unsupported-by-engine": "Unsupported by the engine",
    "uri-too-long": "URI too long",
    "headers-too-large": "Header fields too large",
    "too-many-connections-of-client": "Too many connections of one client",
    "misdirected": "Misdirected request",
    "malformed-json": "Malformed JSON",
    "malformed-csv": "Malformed CSV",
  ]

  private init(_ code: String, _ text: String, _ statuses: String) {
    self.code = code
    self.statuses = statuses
    let words = code.prefix(1).uppercased() + code.dropFirst().map { $0 == "-" ? " " : $0 }
    title = Self.titles[code] ?? words
    self.text = text
  }

  package static subscript(_ code: RequestError.Code) -> ErrorDescription {
    let text =
      switch code {
      case .unknownResource:
        "No resource has this name. Resource names are plural and in lowerCamelCase; / lists them."
      case .unknownAssociation:
        "The resource has no association with this key; / lists the associations of each resource."
      case .unknownParameter: "Neither requests nor their nodes have a parameter with this name."
      case .unknownColumn: "The resource has no readable column with this name."
      case .unknownFunction: "The expression language has no such function or aggregate."
      case .unknownNode:
        "A parameter names an association that is not part of the request; include or join it."
      case .invalidEncoding: "The URL is not percent-encoded UTF-8."
      case .invalidExpression: "An expression, a sort term or an item is invalid; `position` is where."
      case .invalidValue: "A parameter has a value that it doesn't accept."
      case .invalidKey: "A path identifies a record by something that is not a key of its table."
      case .duplicateName:
        "Two members of one object would have the same name; rename one of them with `name:`."
      case .missingParameter:
        "A resource has a parameter that neither the request nor the model gives a value."
      case .missingName: "An item has no default name; give it one with `name:`."
      case .limitExceeded: "The request exceeds one of the server's limits."
      case .unsupportedByEngine:
        "The engine of the database can't compute this part of the request over its shards; the detail proposes another form."
      case .forbidden: "The roles of these credentials don't allow this."
      case .notFound:
        "The path names a record that doesn't exist, or isn't associated with the preceding record."
      }
    let statuses =
      switch code {
      case .unknownAssociation: "400, or 404 in a path"
      case .forbidden: "403, or 401 without credentials"
      default: "\(code.status.code)"
      }
    return ErrorDescription(code.rawValue, text, statuses)
  }

  package static subscript(_ code: HTTPError.Code) -> ErrorDescription {
    let text =
      switch code {
      case .malformedRequest: "The request is not valid HTTP/1.1 (RFC 9112)."
      case .requestTimeout: "The request did not arrive in time."
      case .contentTooLarge: "The content is longer than the server allows."
      case .targetTooLong: "The URL is longer than the server allows."
      case .expectationFailed: "`100-continue` is the only supported expectation."
      case .headersTooLarge: "The header fields are longer than the server allows."
      case .notImplemented: "The server doesn't support this method or transfer coding."
      case .outOfSpace: Self[ServiceErrorCode.outOfSpace].text
      case .tooManyContents:
        "The contents of other requests take the memory that the server has for them (`--max-content-memory`); try again after the time in `Retry-After`."
      case .tooManyConnections: "The server has reached its limit of connections; try again later."
      case .tooManyConnectionsOfClient:
        "The client's address has reached its limit of connections; send several requests over each connection."
      case .tooManyRequests:
        "The client has exceeded its limit of requests; try again after the time in `Retry-After`."
      case .versionNotSupported: "Only HTTP/1.0 and HTTP/1.1 are supported."
      }
    return ErrorDescription(code.rawValue, text, "\(HTTPError(code, "").status.code)")
  }

  package static subscript(_ code: ServiceErrorCode) -> ErrorDescription {
    let text =
      switch code {
      case .unauthorized:
        "Credentials are missing or invalid; send a valid token as `Authorization: Bearer …`."
      case .methodNotAllowed: "The resource doesn't allow this method; `Allow` lists those that it does."
      case .unknownMethod: "The server doesn't support this method."
      case .misdirected:
        "`Host` is not one of the server's names, which are `--allowed-hosts` and, on a loopback address, the names of the machine itself."
      case .foreignSite:
        "A browser sent this request for a page of another origin, which isn't allowed to write; `--cors-origins` allows origins."
      case .hidden: "The server's operator has turned this off (`--no-explain`, `--no-metrics`)."
      case .notAcceptable: "The result isn't available in any of the media types in `Accept`."
      case .unsupportedMediaType:
        "The content must have a `Content-Type` that the resource accepts; `Accept` or `Accept-Patch` lists them."
      case .malformedJSON: "The content is not JSON (RFC 8259); `position` is where."
      case .malformedCSV: "The content is not CSV with a header (RFC 4180); `line` is where."
      case .unknownMember: "A member of the content is neither a writable column nor an association."
      case .refusedValue: "The table doesn't accept a value; `pointer` is its place in the content."
      case .conflict:
        "The change conflicts with stored records: a unique key exists already, or a foreign key refers to no record."
      case .raised:
        "A function or a trigger of the database refused the request; `detail` and `hint` are its words."
      case .otherContent: "The key was used for a different request before; use a new one for each request."
      case .preconditionFailed: "The record doesn't satisfy `If-Match` or `If-None-Match`."
      case .busy: "The database is busy; try again after the time in `Retry-After`."
      case .outOfTime: "The request took too long; request less data."
      case .outOfSpace: "The server's disk is full; try again later."
      case .unavailable: "The database doesn't respond; try again after the time in `Retry-After`."
      case .unknownOutcome:
        "The change may have been done, or not: repeat the request with the same `Idempotency-Key` if it had one, else read before you repeat it."
      case .internalError: "The server has a defect; its log has the details, under the number in `detail`."
      }
    let others = code == .raised ? ", or that of the message" : ""
    return ErrorDescription(code.rawValue, text, "\(code.status.code)\(others)")
  }

  /// `/-/errors`: every code that a problem can have, and how to fix it.
  package static var json: JSONValue {
    .array(
      all.map { ["code": .string($0.code), "title": .string($0.title), "description": .string($0.text)] })
  }

  /// Every code that a problem can have.
  package static let all =
    RequestError.Code.allCases.map { Self[$0] }
    + HTTPError.Code.allCases.filter { $0 != .outOfSpace }.map { Self[$0] }
    + ServiceErrorCode.allCases.map { Self[$0] }
}

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
  case unknownOutcome = "unknown-outcome"
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
    case .busy, .outOfTime, .outOfSpace, .unavailable, .unknownOutcome: .serviceUnavailable
    case .internalError: .internalServerError
    }
  }
}
