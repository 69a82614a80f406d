/// Answers requests.
public protocol HTTPHandler: Sendable {
  /// The answer to a request.
  ///
  /// Runs on the thread that read the request and may take long; other connections are served meanwhile.
  func respond(to request: HTTPRequest) -> HTTPResponse

  /// The answer to what the HTTP layer refuses by itself. Its status should be that of `error`.
  func response(to error: HTTPError) -> HTTPResponse

  /// The answer to a request with content that can be told from its head: then the content is not read, the
  /// client is not asked to send it (RFC 9110 §10.1.1), and the connection is closed after the answer.
  ///
  /// The request's `body` is empty yet. Nil, which is the default, lets the content come.
  func rejection(of request: HTTPRequest) -> HTTPResponse?
}

extension HTTPHandler {
  /// Lets the content come.
  public func rejection(of request: HTTPRequest) -> HTTPResponse? { nil }
}
