import KindredAssociations
import KindredHTTP

/// The entry of an error code in `/-/errors`.
struct ErrorDescription {
  let code: String
  let title: String
  /// What the error means and how to fix it.
  let text: String

  private init(_ code: String, _ title: String, _ text: String) {
    self.code = code
    self.title = title
    self.text = text
  }

  static subscript(_ code: RequestError.Code) -> ErrorDescription {
    let (title, text) =
      switch code {
      case .unknownResource:
        (
          "Unknown resource",
          "No table or view has this name. Names are plural and in lowerCamelCase; / lists them."
        )
      case .unknownAssociation:
        (
          "Unknown association",
          "The resource has no association with this key; / lists the associations of each."
        )
      case .unknownParameter: ("Unknown parameter", "No parameter of the root, or of a node, has this name.")
      case .unknownColumn: ("Unknown column", "The table has no column of this name that can be read.")
      case .unknownFunction:
        ("Unknown function", "The expression language has no such function or aggregate.")
      case .unknownNode:
        (
          "Unknown node",
          "A parameter names an association that is not part of the request: include or join it."
        )
      case .invalidEncoding: ("Invalid encoding", "The URL is not percent-encoded UTF-8.")
      case .invalidExpression:
        ("Invalid expression", "An expression, a sort term or an item can't be read; `position` tells where.")
      case .invalidValue: ("Invalid value", "A parameter's value is not of the kind that it takes.")
      case .invalidKey: ("Invalid key", "A path names a record by something that is no key of its table.")
      case .duplicateName:
        ("Duplicate name", "Two members of one object would have one name: rename one with `name:`.")
      case .missingName: ("Missing name", "An item has no default name: give it one with `name:`.")
      case .limitExceeded: ("Limit exceeded", "The request asks for more than the server's limits allow.")
      case .forbidden: ("Forbidden", "This is not for the roles that the credentials stand for.")
      case .notFound:
        ("Not found", "The path names a record that is not there, or not associated with the one before.")
      }
    return ErrorDescription(code.rawValue, title, text)
  }

  static subscript(_ code: HTTPError.Code) -> ErrorDescription {
    switch code {
    case .malformedRequest:
      ErrorDescription(
        "malformed-request", "Malformed request", "The request is not one of HTTP/1.1 (RFC 9112).")
    case .requestTimeout:
      ErrorDescription("request-timeout", "Request timeout", "The request did not come in time.")
    case .contentTooLarge:
      ErrorDescription(
        "content-too-large", "Content too large", "The content is longer than the server allows.")
    case .targetTooLong:
      ErrorDescription("uri-too-long", "URI too long", "The URL is longer than the server allows.")
    case .expectationFailed:
      ErrorDescription("expectation-failed", "Expectation failed", "Only `100-continue` can be expected.")
    case .headersTooLarge:
      ErrorDescription(
        "headers-too-large", "Header fields too large", "The header fields are longer than the server allows."
      )
    case .notImplemented:
      ErrorDescription(
        "not-implemented", "Not implemented", "No resource has this method or transfer coding.")
    case .outOfSpace: ErrorDescription[ServiceErrorCode.outOfSpace]
    case .tooManyConnections:
      ErrorDescription(
        "too-many-connections", "Too many connections",
        "The server has reached its limit of connections: try again later.")
    case .tooManyConnectionsOfClient:
      ErrorDescription(
        "too-many-connections-of-client", "Too many connections of one client",
        "The client's address has reached its limit of connections: use fewer, each for several requests."
      )
    case .tooManyRequests:
      ErrorDescription(
        "too-many-requests", "Too many requests",
        "The client's address has exceeded its limit of requests: try again after `Retry-After`."
      )
    case .versionNotSupported:
      ErrorDescription(
        "version-not-supported", "Version not supported", "Only HTTP/1.0 and HTTP/1.1 are supported.")
    }
  }

  static subscript(_ code: ServiceErrorCode) -> ErrorDescription {
    let (title, text) =
      switch code {
      case .unauthorized:
        (
          "Unauthorized",
          "Credentials are missing or invalid: send a valid token as `Authorization: Bearer …`."
        )
      case .methodNotAllowed:
        ("Method not allowed", "The method is not allowed here; `Allow` tells which are.")
      case .unknownMethod: ("Unknown method", "No resource has this method.")
      case .misdirected:
        (
          "Misdirected request",
          "`Host` is none of the server's names: a server on a loopback address has those of the machine itself, and those of `--allowed-hosts`."
        )
      case .foreignSite:
        (
          "Foreign site",
          "A browser sent this for a page of another origin, which may not write; `--cors-origins` names those that may."
        )
      case .hidden:
        ("Hidden", "The server's operator keeps this from clients (`--no-explain`, `--no-metrics`).")
      case .notAcceptable: ("Not acceptable", "The result has none of the media types that are accepted.")
      case .unsupportedMediaType:
        (
          "Unsupported media type",
          "What is written must have one `Content-Type` that is taken here; `Accept` or `Accept-Patch` names those."
        )
      case .malformedJSON: ("Malformed JSON", "The content is not JSON (RFC 8259); `position` tells where.")
      case .malformedCSV:
        ("Malformed CSV", "The content is not CSV with a header (RFC 4180); `line` tells where.")
      case .unknownMember:
        (
          "Unknown member",
          "A member of the content names neither a column that can be written nor an association."
        )
      case .refusedValue:
        ("Refused value", "The table takes no such value; `pointer` tells where it stands in the content.")
      case .conflict:
        (
          "Conflict",
          "The change conflicts with stored records: a unique key is taken, or a foreign key refers to no record."
        )
      case .otherContent:
        ("Idempotency key reused", "The key came with other content before: each request needs its own.")
      case .preconditionFailed:
        ("Precondition failed", "The record is not the one that `If-Match` or `If-None-Match` asks for.")
      case .busy: ("Busy", "The database is busy: try again after `Retry-After`.")
      case .outOfTime: ("Out of time", "The request took longer than it may: ask for less at once.")
      case .outOfSpace:
        ("Out of space", "The server has no room on its disk for what the request needs: try again later.")
      case .unavailable: ("Unavailable", "The database does not answer: try again after `Retry-After`.")
      case .internalError:
        ("Internal error", "A defect of the server; its log has more under the number given.")
      }
    return ErrorDescription(code.rawValue, title, text)
  }

  /// Every code that a problem can have.
  static let all =
    RequestError.Code.allCases.map { Self[$0] }
    + HTTPError.Code.allCases.filter { $0 != .outOfSpace }.map { Self[$0] }
    + ServiceErrorCode.allCases.map { Self[$0] }
}
