import KindredModel
import KindredBackend
import KindredHTTP

/// An error as the client sees it (RFC 9457); the errors of all layers become problems here.
public struct Problem: Error {
  /// The status of the response.
  public var status: HTTPStatus
  /// The code that `type` ends with.
  public var code: String
  /// A short name of the kind of problem.
  public var title: String
  /// What is wrong in this request, and how to fix it.
  public var detail: String
  package var parameter: String?
  package var position: Int?
  /// Where the content is wrong: a JSON pointer as a URL fragment.
  package var pointer: String?
  /// The number of the line at which an import is wrong, from 1.
  public package(set) var line: Int?
  package var suggestions: [String] = []
  /// How to proceed, in words of the database's author.
  var hint: String?
  /// Identifies this occurrence of the problem: its trace, or its number in the log.
  package var instance: String?
  /// Additional header fields, such as `Allow` and `Retry-After`.
  package var headers: [(String, String)] = []

  package init(
    _ status: HTTPStatus, _ code: String, title: String, detail: String, headers: [(String, String)] = []
  ) {
    self.status = status
    self.code = code
    self.title = title
    self.detail = detail
    self.headers = headers
  }

  /// The problem as a JSON document.
  package var document: JSONValue {
    func place(_ text: String) -> JSONValue { .string(text.shortened(to: Self.longestPlace)) }
    func number(_ number: Int) -> JSONValue { .integer(Int64(number)) }
    return [
      "type": .string("\(Self.descriptions)#\(code)"), "title": .string(title), "status": number(status.code),
      "detail": .string(detail.shortened(to: Self.longestDetail)),
      "instance": instance.map(JSONValue.string), "parameter": parameter.map(place),
      "position": position.map(number), "pointer": pointer.map(place), "line": line.map(number),
      "suggestions": suggestions.isEmpty ? nil : .array(suggestions.map(place)),
      "hint": hint.map { .string($0.shortened(to: Self.longestDetail)) },
    ]
  }

  /// The maximum length of what is wrong, in bytes: it may repeat a part of the request, which may be long.
  package static let longestDetail = 2000
  /// The maximum length of the name of a parameter, of a pointer or of a suggestion, in bytes.
  private static let longestPlace = 1000

  /// The path of the descriptions of all problems.
  package static let descriptions = OperationsPage.errors.path
  package static let mediaType = "application/problem+json"
  /// How the document of every problem begins.
  package static let beginning = Array("{\"type\":\"\(descriptions)".utf8)

  /// The response in JSON.
  package var response: HTTPResponse { response(Self.mediaType, document.bytes) }

  /// Returns a response with content of this type.
  package func response(_ type: String, _ content: [UInt8]) -> HTTPResponse {
    var fields: HTTPHeaders = ["Content-Type": type, "Cache-Control": "no-store"]
    for (name, value) in headers { fields.append(name, value) }
    return HTTPResponse(status: status, headers: fields, body: .bytes(content))
  }
}

// MARK: - From the layers below

extension RequestError.Code {
  /// The status of the answer; of an unknown association, that in a parameter.
  var status: HTTPStatus {
    switch self {
    case .unknownResource, .notFound: .notFound
    case .forbidden: .forbidden
    case .unsupportedByEngine: .notImplemented
    case .unknownAssociation, .unknownParameter, .unknownColumn, .unknownFunction, .unknownNode,
      .invalidEncoding, .invalidExpression, .invalidValue, .invalidKey, .duplicateName, .missingName,
      .missingParameter, .limitExceeded:
      .badRequest
    }
  }
}

extension Problem {
  package init(_ error: RequestError) {
    let description = ErrorDescription[error.code]
    // Without a parameter, the path itself is invalid.
    let isInPath = error.code == .unknownAssociation && error.origin?.parameter == nil
    self.init(
      isInPath ? .notFound : error.code.status, error.code.rawValue, title: description.title,
      detail: error.message)
    parameter = error.origin?.parameter
    position = parameter == nil ? nil : error.origin?.position
    suggestions = error.suggestions
    hint = error.hint
  }

  package init(_ error: HTTPError) {
    let description = ErrorDescription[error.code]
    self.init(error.status, description.code, title: description.title, detail: error.detail)
  }

  /// Creates a problem from an error of the database; returns nil for a defect, and for errors that the client must not
  /// learn about.
  package init?(_ error: any BackendError) {
    switch error.kind {
    case .timedOut: self = .outOfTime
    case .exceeded(let resource):
      self.init(
        RequestError(
          .limitExceeded,
          "the request needs more \(resource) than it is allowed; request fewer or shorter values (`distinct`, `group` and `sort` hold the values that they compare)"
        ))
    case .busy, .cancelled: self = .busy
    case .full:
      self.init(
        .outOfSpace, "the server's disk is full; try again later",
        headers: [("Retry-After", "10")])
    case .noValue(let complaint):
      self.init(RequestError(.invalidValue, "an expression has no value: \(complaint)"))
    case .unsupported(let node):
      self.init(
        RequestError.unsupported(
          node.map { "`\($0)` of this request" } ?? "this request",
          "name one value of the column by which the tables are distributed, or leave out aggregates and conditions of associations with other tables",
          at: node.map { Origin(parameter: $0) }))
    case .writes:
      self.init(
        .methodNotAllowed,
        "this calls a function of the database that writes, which no reading request can; make it an action of the model file",
        headers: [("Allow", "OPTIONS")])
    case .tooLarge(let limit): self.init(RequestError(.limitExceeded, "\(limit); split the request"))
    case .forbidden: self.init(RequestError(.forbidden, "the rules of the database don't allow this"))
    case .misconfigured: self.init(.unavailable, "the server lacks a privilege; its operator has to grant it")
    case .brokenSchema:
      self.init(
        .conflict,
        "the database schema makes this change impossible: a foreign key refers to columns that are not unique, a foreign key or trigger refers to a table that doesn't exist, or a column has a collation that this server doesn't have"
      )
    case .damaged(let detail): self.init(.unavailable, detail)
    case .away: self = .unavailable
    case .unknownOutcome: self = .unknownOutcome
    // A view may call a function that raises an error.
    case .constraint(.raised(let error)) where !error.message.isEmpty: self.init(error)
    case .constraint, .wrongKey, .unavailable, .defect: return nil
    }
  }
}

extension Problem {
  /// 409, or the status that the database asks for.
  package init(_ error: RaisedError) {
    let detail = error.message.isEmpty ? "a trigger of the database refused the change" : error.message
    if let status = error.status {
      self.init(.raised, detail)
      self.status = HTTPStatus(code: status) ?? .conflict
    } else {
      self.init(.conflict, detail)
    }
    hint = error.hint
  }
}

// MARK: - Access

extension Problem {
  /// 401: the credentials are invalid.
  package static func invalidToken(_ detail: String) -> Problem {
    Problem(.unauthorized, detail, headers: [("WWW-Authenticate", #"Bearer error="invalid_token""#)])
  }

  /// Changes the problem to 401, because credentials may help (RFC 6750 §3).
  package mutating func asksForCredentials() {
    status = .unauthorized
    code = ServiceErrorCode.unauthorized.rawValue
    title = ErrorDescription[ServiceErrorCode.unauthorized].title
    headers.append(("WWW-Authenticate", "Bearer"))
  }

  /// 503: the keys that verify tokens are being fetched.
  package static let keysUnavailable = Problem(
    .unavailable, "the keys that verify tokens are being fetched; try again",
    headers: [("Retry-After", "1")])
}

// MARK: - From the service

extension Problem {
  /// - Parameter pointer: The position in the client's content.
  package init(
    _ code: ServiceErrorCode, _ detail: String, at pointer: JSONPointer? = nil,
    headers: [(String, String)] = []
  ) {
    self.init(
      code.status, code.rawValue, title: ErrorDescription[code].title, detail: detail, headers: headers)
    self.pointer = pointer?.fragment
  }

  package static func methodNotAllowed(_ method: HTTPMethod, allow: String) -> Problem {
    Problem(
      .methodNotAllowed, "\(method.token) is not allowed here; use \(allow)", headers: [("Allow", allow)])
  }

  /// 405: no client may write to this server.
  package static func readOnly(_ method: HTTPMethod, allow: String) -> Problem {
    Problem(
      .methodNotAllowed,
      "\(method.token) is not allowed here; use \(allow), or start the server with `--writable`, so that clients may write",
      headers: [("Allow", allow)])
  }

  /// 403: the operator hides this from all clients.
  package static func hidden(_ what: String) -> Problem {
    Problem(.hidden, "this server doesn't show \(what)")
  }

  package static func notAcceptable(_ detail: String) -> Problem { Problem(.notAcceptable, detail) }

  /// 503: the database is in use.
  package static let busy = Problem(.busy, "the database is busy; try again", headers: [("Retry-After", "1")])

  /// 503: the query time is up.
  package static let outOfTime = slow("the request took too long; request less data")

  /// 503: the query time is up, and no index would help.
  package static let outOfTimeWithoutHelp = slow(
    "the request took too long, and no index would help; request less data")

  /// 503: the query time is up.
  ///
  /// - Parameter statements: The statements for the database after which the request would take less.
  package static func slow(helpedBy statements: [String]) -> Problem {
    slow("the request took too long; this would help: \(statements.joined(separator: " "))")
  }

  private static func slow(_ detail: String) -> Problem {
    Problem(.outOfTime, detail, headers: [("Retry-After", "1")])
  }

  /// 503: the database can't be read.
  package static let unavailable = Problem(
    .unavailable, "the database doesn't respond; try again later", headers: [("Retry-After", "10")])

  /// 503 without `Retry-After`, because only a repetition with the same key is safe: the outcome of a COMMIT is unknown.
  package static let unknownOutcome = Problem(
    .unknownOutcome,
    "the change may have been done, but the database hasn't confirmed it; repeat the request with the same `Idempotency-Key`, or read before you repeat it"
  )

  /// 500: a defect, with the number under which it is logged.
  package static func defect(_ id: String) -> Problem {
    var problem = Problem(.internalError, "an internal error occurred; it is logged under \(id)")
    problem.instance = "urn:kindred:defect:\(id)"
    return problem
  }
}

extension String {
  /// Returns a text of at most about `length` bytes, with an ellipsis in its middle if it is longer.
  package func shortened(to length: Int) -> String {
    guard utf8.count > length else { return self }
    let half = length / 2
    // A range of characters begins and ends between Unicode scalars.
    let beginning = self[..<utf8.index(utf8.startIndex, offsetBy: half)]
    let end = self[utf8.index(utf8.endIndex, offsetBy: -half)...]
    return "\(beginning)…\(end)"
  }
}
