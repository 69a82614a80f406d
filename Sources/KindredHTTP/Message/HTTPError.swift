/// Why the HTTP layer answers a request by itself.
///
/// After each of them but `tooManyRequests` the connection is closed: what follows on it can't be told apart from the
/// request that failed (RFC 9112 §2.2, §6.3, §9.6).
public struct HTTPError: Error, Hashable, Sendable {
  /// What is wrong.
  public enum Code: String, Hashable, Sendable, CaseIterable {
    /// Not a request of RFC 9112: 400.
    case malformedRequest
    /// The request did not come in time: 408.
    case requestTimeout
    /// More content than is taken: 413.
    case contentTooLarge
    /// More target than is taken: 414.
    case targetTooLong
    /// An expectation other than `100-continue`: 417.
    case expectationFailed
    /// More header fields than are taken: 431.
    case headersTooLarge
    /// A method or transfer coding that no resource here has: 501.
    case notImplemented
    /// No room for content on the disk: 503.
    case outOfSpace
    /// More connections than are taken: 503.
    case tooManyConnections
    /// More connections than one client may have: 429.
    case tooManyConnectionsOfClient
    /// More requests than one client may send: 429.
    case tooManyRequests
    /// A version other than HTTP/1: 505.
    case versionNotSupported
  }

  /// What is wrong.
  public let code: Code

  /// A sentence for the client, without anything of the request in it.
  public let detail: String

  init(_ code: Code, _ detail: String) {
    self.code = code
    self.detail = detail
  }

  /// After how many seconds the client may try again, where that helps (RFC 9110 §10.2.3).
  public var retryAfter: Int? {
    switch code {
    // A connection may end, and a request be allowed, at any moment.
    case .tooManyConnections, .tooManyConnectionsOfClient, .tooManyRequests: 1
    case .outOfSpace: 10
    default: nil
    }
  }

  /// The status of the answer.
  public var status: HTTPStatus {
    switch code {
    case .malformedRequest: .badRequest
    case .requestTimeout: .requestTimeout
    case .contentTooLarge: .contentTooLarge
    case .targetTooLong: .uriTooLong
    case .expectationFailed: .expectationFailed
    case .headersTooLarge: .requestHeaderFieldsTooLarge
    case .notImplemented: .notImplemented
    case .outOfSpace, .tooManyConnections: .serviceUnavailable
    case .tooManyConnectionsOfClient, .tooManyRequests: .tooManyRequests
    case .versionNotSupported: .httpVersionNotSupported
    }
  }
}

extension HTTPError {
  static let tooManyConnections = HTTPError(
    .tooManyConnections, "The server has as many connections as it takes.")
  static let tooManyConnectionsOfClient = HTTPError(
    .tooManyConnectionsOfClient, "The client has as many connections as one may have.")
  static let tooManyRequests = HTTPError(
    .tooManyRequests, "The client has sent as many requests as one may send in this time.")
  static let plainRequest = HTTPError(
    .malformedRequest, "This port is for HTTPS: the URL must begin with https://.")
  static let outOfSpace = HTTPError(.outOfSpace, "There is no room for the content on the server's disk.")
}
