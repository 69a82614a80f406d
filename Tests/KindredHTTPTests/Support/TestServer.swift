import KindredHTTP
@testable import KindredSpooling
import Logging
import Testing

/// A handler made from a function; errors of the HTTP layer are answered with their detail.
struct TestHandler: HTTPHandler {
  var rejection: @Sendable (HTTPRequest) -> HTTPResponse? = { _ in nil }
  var takesLongBody = false
  var respond: @Sendable (HTTPRequest) -> HTTPResponse = HTTPResponse.echo
  var answer: (@Sendable (HTTPRequest) -> HTTPAnswer)?
  /// Who sends a request, by its credentials.
  var identity: @Sendable (HTTPRequest) -> [UInt8]? = { _ in nil }

  func response(to error: HTTPError, from peer: String?) -> HTTPResponse {
    .text(error.detail, status: error.status)
  }
  func answer(_ request: HTTPRequest) -> HTTPAnswer { answer?(request) ?? .now(respond(request)) }
  func isExempt(_ request: HTTPRequest) -> Bool { request.path == "/health" }
  func consider(_ request: HTTPRequest) -> HTTPDecision {
    rejection(request).map(HTTPDecision.refuse)
      ?? .receive(isLong: takesLongBody) { (self.answer)?($0) ?? .now(respond($0)) }
  }
  func identity(of request: HTTPRequest, verifying: Bool) -> [UInt8]? { verifying ? identity(request) : nil }
}

extension HTTPResponse {
  static func text(_ text: String, status: HTTPStatus = .ok) -> HTTPResponse {
    HTTPResponse(status: status, headers: ["Content-Type": "text/plain"], body: .bytes(Array(text.utf8)))
  }

  /// Responds with a description of the request, so that a test can see what arrived.
  static func echo(_ request: HTTPRequest) -> HTTPResponse {
    .text("\(request.method) \(request.target) \(String(decoding: request.body, as: UTF8.self))")
  }
}

/// Runs a server on a free port while `body` talks to it.
func withServer<Result>(
  limits: HTTPLimits = HTTPLimits(), tls: TLSConfiguration? = nil, spools: ByteBudget = ByteBudget(),
  contents: ByteBudget = ByteBudget(), handler: TestHandler,
  _ body: (_ server: HTTPServer, _ port: Int) throws -> Result
) throws -> Result {
  var logger = Logger(label: "test")
  logger.logLevel = .critical
  let server = HTTPServer(
    at: .host("127.0.0.1", port: 0), limits: limits, tls: tls, spools: spools, contents: contents,
    handler: handler, logger: logger,
    // Dispatch has threads for the servers of all tests that run at the same time, even if there are many processors.
    waiting: EachWayOfWaiting.current, workers: 2)
  let port = try server.start().port
  defer { server.shutdown(grace: .zero) }
  return try body(server, port)
}

/// Runs a server that answers with `respond`.
func withServer<Result>(
  limits: HTTPLimits = HTTPLimits(),
  respond: @escaping @Sendable (HTTPRequest) -> HTTPResponse = HTTPResponse.echo,
  _ body: (_ server: HTTPServer, _ port: Int) throws -> Result
) throws -> Result {
  try withServer(limits: limits, handler: TestHandler(respond: respond), body)
}

/// Runs each test once for each way of waiting for sockets.
struct EachWayOfWaiting: SuiteTrait, TestTrait, TestScoping {
  @TaskLocal static var current = SocketWaiting.standard

  var isRecursive: Bool { true }

  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    for waiting in SocketWaiting.allCases {
      try await Self.$current.withValue(waiting, operation: function)
    }
  }
}

extension Trait where Self == EachWayOfWaiting {
  static var eachWayOfWaiting: Self { EachWayOfWaiting() }
}
