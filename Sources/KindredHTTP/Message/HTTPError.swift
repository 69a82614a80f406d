/// Why the HTTP layer answers a request by itself.
///
/// After each of them the connection is closed: what follows on it can't be told apart from the request that
/// failed (RFC 9112 §2.2, §6.3, §9.6).
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
    case .versionNotSupported: .httpVersionNotSupported
    }
  }
}

extension HTTPError {
  static let outOfSpace = HTTPError(.outOfSpace, "There is no room for the content on the server's disk.")
}
