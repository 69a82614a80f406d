/// Answers requests.
public protocol HTTPHandler: Sendable {
  /// The answer to a request.
  ///
  /// Runs on the thread that read the request and may take long; other connections are served meanwhile.
  func respond(to request: HTTPRequest) -> HTTPResponse

  /// The answer to what the HTTP layer refuses by itself. Its status should be that of `error`.
  func response(to error: HTTPError) -> HTTPResponse
}
