import KindredHTTP
import Logging

/// Logs, once each, the mistakes of a configuration that requests show and that neither browsers nor proxies explain.
struct ScreeningLog: Sendable {
  let logger: Logger
  private let origins = LoggedOnce()
  private let proxies = LoggedOnce()

  init(_ logger: Logger) { self.logger = logger }

  /// Logs an origin whose pages may not read answers: their browsers say only "CORS".
  func note(refusedOrigin origin: String) {
    // A client may send anything as its origin.
    guard origin.utf8.count <= 256, origins.isNew(origin) else { return }
    logger.notice(
      "pages of another origin may not read answers; --cors-origins allows them",
      metadata: ["origin": "\(origin)"])
  }

  /// Logs that a trusted proxy doesn't name its clients, so that limits count it as one client.
  func noteProxy(of request: HTTPRequest) {
    guard request.isOfUnnamedClient, proxies.isNew("X-Forwarded-For") else { return }
    logger.warning(
      "a trusted proxy sends `X-Forwarded-For`, which is ignored, and no `Forwarded`, so that all of its clients count as one; let it send `Forwarded` (RFC 7239)"
    )
  }
}
