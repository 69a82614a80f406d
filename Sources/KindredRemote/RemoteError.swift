/// Why a server hasn't answered a request.
public enum RemoteError: Error, Hashable, Sendable {
  /// No URL says this part of the request, so nothing has been sent: `order(sql:)`.
  case notExpressible(String)
  /// The server shows no table of this name to the client.
  case unknownTable(String)
  /// 401: the token is missing, or doesn't hold.
  case unauthorized(RemoteProblem)
  /// 403: the client may not do this.
  case forbidden(RemoteProblem)
  /// 404: there is no such record or resource.
  case notFound(RemoteProblem)
  /// Any other error that the server reports.
  case refused(RemoteProblem)
  /// The answer isn't one of a Kindred server, or not to the request.
  case malformedAnswer(String)
}

extension RemoteError {
  /// What the server says about the error; nil where it has said nothing.
  public var problem: RemoteProblem? {
    switch self {
    case .unauthorized(let problem), .forbidden(let problem), .notFound(let problem), .refused(let problem):
      problem
    case .notExpressible, .unknownTable, .malformedAnswer: nil
    }
  }

  init(_ problem: RemoteProblem) {
    self =
      switch problem.status {
      case 401: .unauthorized(problem)
      case 403: .forbidden(problem)
      case 404: .notFound(problem)
      default: .refused(problem)
      }
  }

  /// Whether the same request may succeed later.
  var mayPass: Bool { problem.map { $0.status == 429 || $0.status >= 500 } ?? false }

  /// Whether the server hasn't said what kind of error it is.
  var isWithoutCode: Bool { problem.map { $0.code == nil } ?? false }

  /// Whether the request uses a name that the server doesn't know, perhaps because its schema has changed.
  var isOfUnknownName: Bool {
    if case .unknownTable = self { true } else { problem?.code?.hasPrefix("unknown-") ?? false }
  }
}

extension RemoteError: CustomStringConvertible {
  /// What has happened, and how to mend it where the server knows.
  public var description: String {
    switch self {
    case .notExpressible(let part): "a request to a server can't contain \(part), because no URL says it"
    case .unknownTable(let name): "the server shows no table `\(name)`"
    case .malformedAnswer(let reason): "the answer is not that of a Kindred server: \(reason)"
    case .unauthorized(let problem), .forbidden(let problem), .notFound(let problem), .refused(let problem):
      problem.description
    }
  }
}

/// What a server says about an error (RFC 9457).
public struct RemoteProblem: Hashable, Sendable {
  /// The status code of HTTP.
  public let status: Int
  /// The kind of error, such as `unknown-column`; nil where the answer has none.
  public var code: String?
  /// What is wrong, in a sentence.
  public var detail: String
  /// The parameter of the URL that is wrong.
  public var parameter: String?
  /// The place in the parameter's value, in Unicode scalars.
  public var position: Int?
  /// What may have been meant.
  public var suggestions: [String] = []
  /// After how many seconds to try again.
  public var retryAfter: Double?
}

extension RemoteProblem: CustomStringConvertible {
  /// The status, the kind, and what is wrong.
  public var description: String { "\(status)\(code.map { " \($0)" } ?? ""): \(detail)" }
}
