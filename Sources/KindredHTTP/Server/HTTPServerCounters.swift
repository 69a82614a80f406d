import Synchronization

/// What a server has done since it was started.
public struct HTTPServerCounters: Hashable, Sendable {
  /// Connections that are open now.
  public var openConnections = 0
  /// Connections that were accepted, the refused ones among them.
  public var acceptedConnections = 0
  /// Connections that were one too many, of all or of one client: answered with 503 or 429, or closed.
  public var refusedConnections = 0
  /// Connections that were cut off because the client was too slow.
  public var timedOutConnections = 0
  /// Requests that were given to the handler.
  public var requests = 0
  /// Requests that the HTTP layer refused by itself.
  public var refusedRequests = 0
  /// Requests that were answered with 429, because their client had sent too many.
  public var throttledRequests = 0
  /// Bytes received, decrypted.
  public var receivedBytes = 0
  /// Bytes sent, before encryption.
  public var sentBytes = 0
}

/// The counters while they count, from any thread.
final class LiveCounters: Sendable {
  let acceptedConnections = Atomic(0)
  let refusedConnections = Atomic(0)
  let timedOutConnections = Atomic(0)
  let requests = Atomic(0)
  let refusedRequests = Atomic(0)
  let throttledRequests = Atomic(0)
  let receivedBytes = Atomic(0)
  let sentBytes = Atomic(0)

  func snapshot(openConnections: Int) -> HTTPServerCounters {
    HTTPServerCounters(
      openConnections: openConnections,
      acceptedConnections: acceptedConnections.load(ordering: .relaxed),
      refusedConnections: refusedConnections.load(ordering: .relaxed),
      timedOutConnections: timedOutConnections.load(ordering: .relaxed),
      requests: requests.load(ordering: .relaxed),
      refusedRequests: refusedRequests.load(ordering: .relaxed),
      throttledRequests: throttledRequests.load(ordering: .relaxed),
      receivedBytes: receivedBytes.load(ordering: .relaxed),
      sentBytes: sentBytes.load(ordering: .relaxed))
  }
}

extension Atomic<Int> {
  /// Counts; overflow wraps.
  func increase(by amount: Int = 1) { wrappingAdd(amount, ordering: .relaxed) }
}
