import KindredModel
import KindredPlanning
import KindredHTTP

/// The entry of an error code in `/-/errors`.
package struct ErrorDescription {
  package let code: String
  package let title: String
  /// What the error means and how to fix it.
  package let text: String

  private init(_ code: String, _ title: String, _ text: String) {
    self.code = code
    self.title = title
    self.text = text
  }

  package static subscript(_ code: RequestError.Code) -> ErrorDescription {
    let (title, text) =
      switch code {
      case .unknownResource:
        (
          "Unknown resource",
          "No resource has this name. Resource names are plural and in lowerCamelCase; / lists them."
        )
      case .unknownAssociation:
        (
          "Unknown association",
          "The resource has no association with this key; / lists the associations of each resource."
        )
      case .unknownParameter:
        ("Unknown parameter", "Neither requests nor their nodes have a parameter with this name.")
      case .unknownColumn: ("Unknown column", "The resource has no readable column with this name.")
      case .unknownFunction:
        ("Unknown function", "The expression language has no such function or aggregate.")
      case .unknownNode:
        (
          "Unknown node",
          "A parameter names an association that is not part of the request; include or join it."
        )
      case .invalidEncoding: ("Invalid encoding", "The URL is not percent-encoded UTF-8.")
      case .invalidExpression:
        ("Invalid expression", "An expression, a sort term or an item is invalid; `position` is where.")
      case .invalidValue: ("Invalid value", "A parameter has a value that it doesn't accept.")
      case .invalidKey:
        ("Invalid key", "A path identifies a record by something that is not a key of its table.")
      case .duplicateName:
        (
          "Duplicate name",
          "Two members of one object would have the same name; rename one of them with `name:`."
        )
      case .missingParameter:
        (
          "Missing parameter",
          "A resource has a parameter that neither the request nor the model gives a value."
        )
      case .missingName: ("Missing name", "An item has no default name; give it one with `name:`.")
      case .limitExceeded: ("Limit exceeded", "The request exceeds one of the server's limits.")
      case .unsupportedByEngine:
        (
          "Unsupported by the engine",
          "The engine of the database can't compute this part of the request over its shards; the detail proposes another form."
        )
      case .forbidden: ("Forbidden", "The roles of these credentials don't allow this.")
      case .notFound:
        (
          "Not found",
          "The path names a record that doesn't exist, or isn't associated with the preceding record."
        )
      }
    return ErrorDescription(code.rawValue, title, text)
  }

  package static subscript(_ code: HTTPError.Code) -> ErrorDescription {
    switch code {
    case .malformedRequest:
      ErrorDescription(
        "malformed-request", "Malformed request", "The request is not valid HTTP/1.1 (RFC 9112).")
    case .requestTimeout:
      ErrorDescription("request-timeout", "Request timeout", "The request did not arrive in time.")
    case .contentTooLarge:
      ErrorDescription(
        "content-too-large", "Content too large", "The content is longer than the server allows.")
    case .targetTooLong:
      ErrorDescription("uri-too-long", "URI too long", "The URL is longer than the server allows.")
    case .expectationFailed:
      ErrorDescription(
        "expectation-failed", "Expectation failed", "`100-continue` is the only supported expectation.")
    case .headersTooLarge:
      ErrorDescription(
        "headers-too-large", "Header fields too large", "The header fields are longer than the server allows."
      )
    case .notImplemented:
      ErrorDescription(
        "not-implemented", "Not implemented", "The server doesn't support this method or transfer coding.")
    case .outOfSpace: ErrorDescription[ServiceErrorCode.outOfSpace]
    case .tooManyConnections:
      ErrorDescription(
        "too-many-connections", "Too many connections",
        "The server has reached its limit of connections; try again later.")
    case .tooManyConnectionsOfClient:
      ErrorDescription(
        "too-many-connections-of-client", "Too many connections of one client",
        "The client's address has reached its limit of connections; send several requests over each connection."
      )
    case .tooManyRequests:
      ErrorDescription(
        "too-many-requests", "Too many requests",
        "The client has exceeded its limit of requests; try again after the time in `Retry-After`."
      )
    case .versionNotSupported:
      ErrorDescription(
        "version-not-supported", "Version not supported", "Only HTTP/1.0 and HTTP/1.1 are supported.")
    }
  }

  package static subscript(_ code: ServiceErrorCode) -> ErrorDescription {
    let (title, text) =
      switch code {
      case .unauthorized:
        (
          "Unauthorized",
          "Credentials are missing or invalid; send a valid token as `Authorization: Bearer …`."
        )
      case .methodNotAllowed:
        ("Method not allowed", "The resource doesn't allow this method; `Allow` lists those that it does.")
      case .unknownMethod: ("Unknown method", "The server doesn't support this method.")
      case .misdirected:
        (
          "Misdirected request",
          "`Host` is not one of the server's names, which are `--allowed-hosts` and, on a loopback address, the names of the machine itself."
        )
      case .foreignSite:
        (
          "Foreign site",
          "A browser sent this request for a page of another origin, which isn't allowed to write; `--cors-origins` allows origins."
        )
      case .hidden:
        ("Hidden", "The server's operator has turned this off (`--no-explain`, `--no-metrics`).")
      case .notAcceptable:
        ("Not acceptable", "The result isn't available in any of the media types in `Accept`.")
      case .unsupportedMediaType:
        (
          "Unsupported media type",
          "The content must have a `Content-Type` that the resource accepts; `Accept` or `Accept-Patch` lists them."
        )
      case .malformedJSON: ("Malformed JSON", "The content is not JSON (RFC 8259); `position` is where.")
      case .malformedCSV:
        ("Malformed CSV", "The content is not CSV with a header (RFC 4180); `line` is where.")
      case .unknownMember:
        (
          "Unknown member",
          "A member of the content is neither a writable column nor an association."
        )
      case .refusedValue:
        ("Refused value", "The table doesn't accept a value; `pointer` is its place in the content.")
      case .conflict:
        (
          "Conflict",
          "The change conflicts with stored records: a unique key exists already, or a foreign key refers to no record."
        )
      case .raised:
        (
          "Raised",
          "A function or a trigger of the database refused the request; `detail` and `hint` are its words."
        )
      case .otherContent:
        (
          "Idempotency key reused",
          "The key was used for a different request before; use a new one for each request."
        )
      case .preconditionFailed:
        ("Precondition failed", "The record doesn't satisfy `If-Match` or `If-None-Match`.")
      case .busy: ("Busy", "The database is busy; try again after the time in `Retry-After`.")
      case .outOfTime: ("Out of time", "The request took too long; request less data.")
      case .outOfSpace:
        ("Out of space", "The server's disk is full; try again later.")
      case .unavailable:
        ("Unavailable", "The database doesn't respond; try again after the time in `Retry-After`.")
      case .internalError:
        ("Internal error", "The server has a defect; its log has the details, under the number in `detail`.")
      }
    return ErrorDescription(code.rawValue, title, text)
  }

  /// Every code that a problem can have.
  package static let all =
    RequestError.Code.allCases.map { Self[$0] }
    + HTTPError.Code.allCases.filter { $0 != .outOfSpace }.map { Self[$0] }
    + ServiceErrorCode.allCases.map { Self[$0] }
}
