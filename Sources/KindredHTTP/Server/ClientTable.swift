import Synchronization

/// Whom a connection belongs to, as far as its address tells: an IPv4 address, or the 64-bit prefix of an IPv6 address,
/// of which a customer has at least one (RFC 6177 §2).
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

/// What each client has: open connections, and requests of late.
final class ClientTable: Sendable {
  /// How a connection is taken in.
  enum Admission: Hashable, Sendable {
    /// All its requests are answered.
    case full
    /// One request is, and only if the handler exempts it from the limits; others get this error.
    case reserve(HTTPError)
  }

  private struct Client {
    var connections = 0
    /// Of them, those in the reserve.
    var reserved = 0
    /// Requests that may be sent at once, as of `lastRequest`.
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

  /// Connections above the limits that get an answer at the same time; more are closed without one.
  private static let maxReserved = 64
  /// Of them, those of one client.
  private static let maxReservedPerClient = 8

  init(limits: HTTPLimits) { self.limits = limits }

  /// Takes in a connection, which `close` gives back; nil where it is to be closed without an answer.
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

  /// Gives a connection back that has ended.
  func close(_ address: ClientAddress, _ admission: Admission) {
    state.withLock { state in
      guard var client = state.clients[address] else { return }
      client.connections -= 1
      state.connections -= 1
      if admission != .full {
        client.reserved -= 1
        state.reserved -= 1
      }
      // What it has sent of late counts for its next connection too.
      let isForgotten = client.connections == 0 && limits.maxRequestsPerSecond == nil
      state.clients[address] = isForgotten ? nil : client
    }
  }

  /// Counts a request, and says whether the client may send it now.
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

  /// Forgets clients that have no connection, and may send as many requests as at first.
  func sweep(now: Moment) {
    guard let rate = limits.maxRequestsPerSecond else { return }
    state.withLock { state in
      state.clients = state.clients.filter { _, client in
        client.connections > 0
          || client.allowance + now.seconds(since: client.lastRequest) * Double(rate) < burst
      }
    }
  }

  /// The requests of a second may come at once.
  private var burst: Double { Double(limits.maxRequestsPerSecond ?? 0) }
}

extension Moment {
  /// The time since an earlier moment.
  fileprivate func seconds(since other: Moment) -> Double {
    other < self ? Double(nanoseconds - other.nanoseconds) / 1e9 : 0
  }
}
