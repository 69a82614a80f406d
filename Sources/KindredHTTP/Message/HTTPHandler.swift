/// Answers requests.
public protocol HTTPHandler: Sendable {
  /// The answer to a request.
  ///
  /// Runs on the thread that read the request and may take long; other connections are served meanwhile.
  func respond(to request: HTTPRequest) -> HTTPResponse

  /// The response to a request, now or later; by default that of ``respond(to:)``.
  ///
  /// For handlers that wait for something else than the processor: a pending response costs no thread.
  func answer(_ request: HTTPRequest) -> HTTPAnswer

  /// The answer to what the HTTP layer refuses by itself. Its status should be that of `error`.
  func response(to error: HTTPError) -> HTTPResponse

  /// The answer to a request with content that can be told from its head: then the content is not read, the
  /// client is not asked to send it (RFC 9110 §10.1.1), and the connection is closed after the answer.
  ///
  /// Content that has come together with the head goes to `answer` at once, without this call. The request's `body` is
  /// empty yet. Nil, which is the default, lets the content come.
  func rejection(of request: HTTPRequest) -> HTTPResponse?

  /// Whether the request is answered beyond the limits on connections and on requests, such as one that asks whether
  /// the server is well; by default none is.
  func isExempt(_ request: HTTPRequest) -> Bool

  /// Whether the request, whose `body` is empty yet, may have content of up to `HTTPLimits.maxLongBodyLength` bytes.
  ///
  /// Such content comes as `longBody` where it is more than fits into memory. By default none may.
  func takesLongBody(_ request: HTTPRequest) -> Bool
}

extension HTTPHandler {
  /// Answers at once.
  public func answer(_ request: HTTPRequest) -> HTTPAnswer { .now(respond(to: request)) }

  /// Takes no long content.
  public func takesLongBody(_ request: HTTPRequest) -> Bool { false }

  /// Exempts nothing.
  public func isExempt(_ request: HTTPRequest) -> Bool { false }

  /// Lets the content come.
  public func rejection(of request: HTTPRequest) -> HTTPResponse? { nil }
}
