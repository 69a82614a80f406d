import Synchronization

/// Identifies a client for the limits: an IPv4 address, or the 64-bit prefix of an IPv6 address, which is the least
/// that a site is assigned (RFC 6177 §2).
struct ClientAddress: Hashable, Sendable {
  private let prefix: UInt64
  private let isIPv4: Bool

  init(ipv4: UInt32) {
    prefix = UInt64(ipv4)
    isIPv4 = true
  }

  init(ipv6Prefix: UInt64) {
    prefix = ipv6Prefix
    isIPv4 = false
  }
}

/// Counts each client's open connections and recent requests.
final class ClientTable: Sendable {
  /// How a connection is admitted.
  enum Admission: Hashable, Sendable {
    /// All its requests are answered.
    case full
    /// One request is answered, and only if the handler exempts it from the limits; otherwise this error is.
    case reserve(HTTPError)
  }

  private struct Client {
    var connections = 0
    /// How many of them are in the reserve.
    var reserved = 0
    /// The number of requests that could be sent at once at the time of `lastRequest`.
    var allowance: Double
    var lastRequest: Moment
  }

  private struct State {
    var clients: [ClientAddress: Client] = [:]
    var connections = 0
    var reserved = 0
  }

  private let limits: HTTPLimits
  private let state = Mutex(State())

  /// How many connections above the limits are answered at the same time; more are closed without an answer.
  private static let maxReserved = 64
  /// How many of them one client may have.
  private static let maxReservedPerClient = 8

  init(limits: HTTPLimits) { self.limits = limits }

  /// Counts a new connection until `close` is called; returns nil if it must be closed without an answer.
  func open(_ address: ClientAddress, now: Moment) -> Admission? {
    state.withLock { state in
      var client = state.clients[address] ?? Client(allowance: burst, lastRequest: now)
      let refusal: HTTPError? =
        if client.connections - client.reserved >= limits.maxConnectionsPerClient ?? .max {
          .tooManyConnectionsOfClient
        } else if state.connections - state.reserved >= limits.maxConnections {
          .tooManyConnections
        } else {
          nil
        }
      if refusal != nil {
        guard state.reserved < Self.maxReserved, client.reserved < Self.maxReservedPerClient else {
          return nil
        }
        client.reserved += 1
        state.reserved += 1
      }
      client.connections += 1
      state.connections += 1
      state.clients[address] = client
      return refusal.map(Admission.reserve) ?? .full
    }
  }

  /// Stops counting a connection that has ended.
  func close(_ address: ClientAddress, _ admission: Admission) {
    state.withLock { state in
      guard var client = state.clients[address] else { return }
      client.connections -= 1
      state.connections -= 1
      if admission != .full {
        client.reserved -= 1
        state.reserved -= 1
      }
      // Recent requests count for the client's next connection too.
      let isForgotten = client.connections == 0 && limits.maxRequestsPerSecond == nil
      state.clients[address] = isForgotten ? nil : client
    }
  }

  /// Counts a request, and returns whether the rate limit allows it.
  func mayRequest(_ address: ClientAddress, now: @autoclosure () -> Moment) -> Bool {
    guard let rate = limits.maxRequestsPerSecond else { return true }
    let now = now()
    return state.withLock { state in
      guard var client = state.clients[address] else { return true }
      client.allowance = min(burst, client.allowance + now.seconds(since: client.lastRequest) * Double(rate))
      client.lastRequest = now
      let isAllowed = client.allowance >= 1
      if isAllowed { client.allowance -= 1 }
      state.clients[address] = client
      return isAllowed
    }
  }

  /// Forgets clients without connections whose full allowance has been restored.
  func sweep(now: Moment) {
    guard let rate = limits.maxRequestsPerSecond else { return }
    state.withLock { state in
      state.clients = state.clients.filter { _, client in
        client.connections > 0
          || client.allowance + now.seconds(since: client.lastRequest) * Double(rate) < burst
      }
    }
  }

  /// The requests of a whole second may come at once.
  private var burst: Double { Double(limits.maxRequestsPerSecond ?? 0) }
}

extension Moment {
  /// The seconds since another moment; 0 if that is later.
  fileprivate func seconds(since other: Moment) -> Double {
    other < self ? Double(nanoseconds - other.nanoseconds) / 1e9 : 0
  }
}
