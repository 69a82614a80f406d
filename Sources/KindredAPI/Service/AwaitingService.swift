import KindredHTTP
import KindredRequests

/// Answers all requests with 503 while the database is awaited.
public struct AwaitingService: HTTPHandler {
  /// Creates the service.
  public init() {}

  /// Returns 503.
  public func answer(_ request: HTTPRequest) -> HTTPAnswer { .now(Problem.unavailable.response) }

  /// Returns the problem for a request that the HTTP layer refuses.
  public func response(to error: HTTPError, from peer: String?) -> HTTPResponse { Problem(error).response }
}
