/// An error that the HTTP layer answers without calling the handler.
///
/// After each of them except `tooManyRequests` the connection is closed, because the rest of the failed request can't
/// be told from the next one (RFC 9112 §2.2, §6.3, §9.6).
public struct HTTPError: Error, Hashable, Sendable {
  /// The kinds of error; the raw value is the code that clients get.
  public enum Code: String, Hashable, Sendable, CaseIterable {
    /// The request violates RFC 9112: 400.
    case malformedRequest = "malformed-request"
    /// The request did not arrive in time: 408.
    case requestTimeout = "request-timeout"
    /// The content is longer than allowed: 413.
    case contentTooLarge = "content-too-large"
    /// The request target is longer than allowed: 414.
    case targetTooLong = "uri-too-long"
    /// An expectation other than `100-continue`: 417.
    case expectationFailed = "expectation-failed"
    /// The header section is longer than allowed: 431.
    case headersTooLarge = "headers-too-large"
    /// A method or transfer coding that isn't supported: 501.
    case notImplemented = "not-implemented"
    /// There is no room in temporary files for the content: 503.
    case outOfSpace = "out-of-space"
    /// There is no room in memory for the content, beside others: 503.
    case tooManyContents = "too-many-contents"
    /// The server has too many connections: 503.
    case tooManyConnections = "too-many-connections"
    /// The client has too many connections: 429.
    case tooManyConnectionsOfClient = "too-many-connections-of-client"
    /// The client has sent too many requests: 429.
    case tooManyRequests = "too-many-requests"
    /// A version other than HTTP/1: 505.
    case versionNotSupported = "version-not-supported"
  }

  /// The kind of error.
  public let code: Code

  /// A sentence for the client that quotes nothing of the request.
  public let detail: String

  package init(_ code: Code, _ detail: String) {
    self.code = code
    self.detail = detail
  }

  /// The number of seconds after which a retry may succeed; nil where retrying doesn't help (RFC 9110 §10.2.3).
  public var retryAfter: Int? {
    switch code {
    // A connection may be freed, and a request be allowed, at any moment.
    case .tooManyContents, .tooManyConnections, .tooManyConnectionsOfClient, .tooManyRequests: 1
    case .outOfSpace: 10
    default: nil
    }
  }

  /// The status of the response.
  public var status: HTTPStatus {
    switch code {
    case .malformedRequest: .badRequest
    case .requestTimeout: .requestTimeout
    case .contentTooLarge: .contentTooLarge
    case .targetTooLong: .uriTooLong
    case .expectationFailed: .expectationFailed
    case .headersTooLarge: .requestHeaderFieldsTooLarge
    case .notImplemented: .notImplemented
    case .outOfSpace, .tooManyContents, .tooManyConnections: .serviceUnavailable
    case .tooManyConnectionsOfClient, .tooManyRequests: .tooManyRequests
    case .versionNotSupported: .httpVersionNotSupported
    }
  }
}

extension HTTPError {
  static func malformed(_ detail: String) -> HTTPError { HTTPError(.malformedRequest, detail) }

  static let tooManyConnections = HTTPError(
    .tooManyConnections, "The server has reached its limit of connections.")
  static let tooManyConnectionsOfClient = HTTPError(
    .tooManyConnectionsOfClient, "The client has reached its limit of connections.")
  static let tooManyRequests = HTTPError(
    .tooManyRequests, "The client has exceeded its limit of requests.")
  static let tooManyRequestsAtOnce = HTTPError(
    .tooManyRequests, "The client has reached its limit of simultaneous requests.")
  static let plainRequest = malformed("This port is for HTTPS: the URL must begin with https://.")
  static let tooManyContents = HTTPError(
    .tooManyContents, "The server has no room for the content beside those of other requests.")
  static let outOfSpace = HTTPError(.outOfSpace, "The server has no room for the content at the moment.")
}
