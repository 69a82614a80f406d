import Synchronization

/// Counts of a server's connections, requests and bytes.
public struct HTTPServerCounters: Hashable, Sendable {
  /// Connections that are open now.
  public var openConnections = 0
  /// Connections that were accepted, including refused ones.
  public var acceptedConnections = 0
  /// Connections beyond the server's or a client's limit: answered with 503 or 429, or closed.
  public var refusedConnections = 0
  /// Connections that were cut off because the client was too slow.
  public var timedOutConnections = 0
  /// Well-formed requests, including those refused for a limit.
  public var requests = 0
  /// Requests that the HTTP layer refused as malformed, too long or too slow.
  public var refusedRequests = 0
  /// Requests that were answered with 429 because their client had sent too many.
  public var throttledRequests = 0
  /// Bytes received, decrypted.
  public var receivedBytes = 0
  /// Bytes sent, before encryption.
  public var sentBytes = 0
}

/// The counters as atomics, for all threads.
package final class LiveCounters: Sendable {
  let acceptedConnections = Atomic(0)
  let refusedConnections = Atomic(0)
  let timedOutConnections = Atomic(0)
  let requests = Atomic(0)
  let refusedRequests = Atomic(0)
  let throttledRequests = Atomic(0)
  let receivedBytes = Atomic(0)
  let sentBytes = Atomic(0)

  package init() {}

  package func snapshot(openConnections: Int) -> HTTPServerCounters {
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
  /// Adds to the counter; overflow wraps.
  func increase(by amount: Int = 1) { wrappingAdd(amount, ordering: .relaxed) }
}
