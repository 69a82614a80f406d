import Logging
import Synchronization

/// The origins whose pages may not read answers, each of which is logged once: their browsers say only "CORS".
final class RefusedOrigins: Sendable {
  private static let maximumCount = 64

  private let known = Mutex<Set<String>>([])
  private let logger: Logger

  init(_ logger: Logger) { self.logger = logger }

  /// Logs an origin unless it, or too many others, have been logged.
  func note(_ origin: String) {
    // A client may send anything as its origin.
    guard origin.utf8.count <= 256 else { return }
    let isNew = known.withLock { $0.count < Self.maximumCount && $0.insert(origin).inserted }
    guard isNew else { return }
    logger.notice(
      "pages of another origin may not read answers; --cors-origins allows them",
      metadata: ["origin": "\(origin)"])
  }
}
