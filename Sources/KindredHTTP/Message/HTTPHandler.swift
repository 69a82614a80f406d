/// Answers requests.
public protocol HTTPHandler: Sendable {
  /// Returns the response to a request, now or later.
  ///
  /// Runs on the thread that read the request, and may take long: other connections are served meanwhile. A handler
  /// that waits for something other than the processor returns a pending response, which occupies no thread.
  func answer(_ request: consuming HTTPRequest) -> HTTPAnswer

  /// Decides about a request with content by its head, while its `body` is still empty; by default, to receive the
  /// content and then to call ``answer(_:)``.
  ///
  /// For a request without content, ``answer(_:)`` is called at once.
  func consider(_ request: HTTPRequest) -> HTTPDecision

  /// Returns the response to a request that the HTTP layer refuses. Its status should be that of `error`.
  ///
  /// - Parameter peer: The client's address and port; nil if unknown.
  func response(to error: HTTPError, from peer: String?) -> HTTPResponse

  /// Returns whether the request is answered beyond the limits on connections and requests, as a health check is; false
  /// by default.
  func isExempt(_ request: HTTPRequest) -> Bool

  /// Returns what identifies the client by its credentials, whatever its address; nil without valid credentials.
  ///
  /// Its requests are then counted for it instead of for its address. Nil by default.
  ///
  /// - Parameter verifying: Whether credentials that haven't been seen before may be verified, which takes time.
  func identity(of request: HTTPRequest, verifying: Bool) -> [UInt8]?
}

extension HTTPHandler {
  /// Receives the content of every request.
  public func consider(_ request: HTTPRequest) -> HTTPDecision { .receive { answer($0) } }

  /// Identifies no client.
  public func identity(of request: HTTPRequest, verifying: Bool) -> [UInt8]? { nil }

  /// Exempts nothing.
  public func isExempt(_ request: HTTPRequest) -> Bool { false }
}

/// What a handler decides about a request with content by its head alone.
public enum HTTPDecision {
  /// Receive the content, and call `answer` with the complete request.
  ///
  /// If `isLong`, the content may have up to `HTTPLimits.maxLongBodyLength` bytes; it arrives as `longBody` if it is too
  /// long for memory.
  case receive(isLong: Bool = false, answer: (HTTPRequest) -> HTTPAnswer)
  /// Send this response: the content is neither requested (RFC 9110 §10.1.1) nor read, and the connection is closed.
  ///
  /// If all of the content has arrived together with the head, the connection goes on.
  case refuse(HTTPResponse)
}
