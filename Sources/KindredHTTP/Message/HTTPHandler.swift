/// Answers requests.
public protocol HTTPHandler: Sendable {
  /// Returns the response to a request.
  ///
  /// Runs on the thread that read the request, and may take long: other connections are served meanwhile.
  func respond(to request: HTTPRequest) -> HTTPResponse

  /// Returns the response to a request, now or later; by default, that of ``respond(to:)`` now.
  ///
  /// For handlers that wait for something other than the processor: a pending response occupies no thread.
  func answer(_ request: HTTPRequest) -> HTTPAnswer

  /// Returns the response to a request that the HTTP layer refuses. Its status should be that of `error`.
  ///
  /// - Parameter peer: The client's address and port; nil if unknown.
  func response(to error: HTTPError, from peer: String?) -> HTTPResponse

  /// Returns a response that the head of a request with content already decides, or nil to receive the content, which
  /// is the default.
  ///
  /// After such a response the content is neither requested (RFC 9110 §10.1.1) nor read, and the connection is closed.
  ///
  /// The request's `body` is still empty. A request whose content arrived together with its head goes to `answer`
  /// without this call.
  func rejection(of request: HTTPRequest) -> HTTPResponse?

  /// Returns whether the request is answered beyond the limits on connections and requests, as a health check is; false
  /// by default.
  func isExempt(_ request: HTTPRequest) -> Bool

  /// Returns what identifies the client by its credentials, whatever its address; nil without valid credentials.
  ///
  /// Its requests are then counted for it instead of for its address. Nil by default.
  ///
  /// - Parameter verifying: Whether credentials that haven't been seen before may be verified, which takes time.
  func identity(of request: HTTPRequest, verifying: Bool) -> [UInt8]?

  /// Returns whether the request, whose `body` is still empty, may have up to `HTTPLimits.maxLongBodyLength` bytes of
  /// content; false by default.
  ///
  /// Such content arrives as `longBody` if it is too long for memory.
  func takesLongBody(_ request: HTTPRequest) -> Bool
}

extension HTTPHandler {
  /// Returns the response of ``respond(to:)`` now.
  public func answer(_ request: HTTPRequest) -> HTTPAnswer { .now(respond(to: request)) }

  /// Identifies no client.
  public func identity(of request: HTTPRequest, verifying: Bool) -> [UInt8]? { nil }

  /// Accepts no long content.
  public func takesLongBody(_ request: HTTPRequest) -> Bool { false }

  /// Exempts nothing.
  public func isExempt(_ request: HTTPRequest) -> Bool { false }

  /// Receives the content of every request.
  public func rejection(of request: HTTPRequest) -> HTTPResponse? { nil }
}
