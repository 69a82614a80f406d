import Synchronization

/// The client for which connections or requests are counted.
enum ClientKey: Hashable, Sendable {
  case address(ClientAddress)
  /// The bearer of valid credentials, whatever its addresses.
  case principal([UInt8])
  /// The client with an address behind a trusted proxy, without a direct connection.
  case forwarded(ClientAddress)
}

/// Counts each client's open connections or requests, and its recent requests.
///
/// Its size is bounded by what is open, and by the requests of about a second.
final class ClientTable: Sendable {
  /// How a connection is admitted.
  enum Admission: Hashable, Sendable {
    /// All its requests are answered.
    case full
    /// One request is, and only if the handler exempts it from the limits; others get this error.
    case reserve(HTTPError)
  }

  private struct Client {
    /// The open connections of an address, or the requests under way of a principal.
    var open = 0
    /// How many of the connections are in the reserve.
    var reserved = 0
    /// Requests that may be sent at once, as of `lastRequest`.
    var allowance: Double
    var lastRequest: Moment
    /// When its connections may be searched again for connections that it has closed.
    var nextSearch = Moment(nanoseconds: 0)
  }

  /// A connection in the reserve.
  private struct Place {
    let token: UInt64
    let address: ClientAddress
    let since: Moment
    /// Whether its answer has been sent, so that it only waits for the client to end.
    var isAnswered = false
  }

  private struct State {
    var clients: [ClientKey: Client] = [:]
    var connections = 0
    /// The reserve, the oldest first.
    var places: [Place] = []
  }

  private let limits: HTTPLimits
  private let state = Mutex(State())

  /// Connections above the limits that get an answer at the same time; more are closed without one.
  private static let maxReserved = 64
  /// Of them, those of one client.
  private static let maxReservedPerClient = 8

  /// How long a connection in the reserve may keep its place without an answer if another needs it.
  private static let reservedTime = Duration.milliseconds(20)

  /// The least time between two searches of a client's connections, so that refusing connections stays cheap.
  private static let searchInterval = Duration.milliseconds(1)

  init(limits: HTTPLimits) { self.limits = limits }

  /// Whether clients are counted one by one.
  var hasLimitsPerClient: Bool { limits.maxConnectionsPerClient != nil || limits.maxRequestsPerSecond != nil }

  /// The number of clients that it keeps.
  var count: Int { state.withLock { $0.clients.count } }

  // MARK: Connections

  /// Counts a new connection until `close` is called; returns nil if it must be closed without an answer.
  func open(_ address: ClientAddress, now: Moment) -> Admission? {
    state.withLock { state in
      var client = state.clients[.address(address)] ?? Client(allowance: burst, lastRequest: now)
      let refusal: HTTPError? =
        if address.isOfOneClient, client.open - client.reserved >= limits.maxConnectionsPerClient ?? .max {
          .tooManyConnectionsOfClient
        } else if state.connections - state.places.count >= limits.maxConnections {
          .tooManyConnections
        } else {
          nil
        }
      if refusal != nil, Self.isFull(state, for: address) {
        guard Self.leaving(state, for: address, now) != nil else { return nil }
      }
      client.open += 1
      state.connections += 1
      state.clients[.address(address)] = client
      return refusal.map(Admission.reserve) ?? .full
    }
  }

  /// Gives a connection that has been counted a place in the reserve.
  ///
  /// - Returns: The connection that must be closed, as it keeps a place that this one needs: the oldest that has its answer,
  ///   else the oldest.
  func enterReserve(_ token: UInt64, _ address: ClientAddress, now: Moment) -> UInt64? {
    state.withLock { state in
      var left: UInt64?
      if Self.isFull(state, for: address), let index = Self.leaving(state, for: address, now) {
        left = state.places[index].token
        Self.leave(index, &state)
      }
      state.places.append(Place(token: token, address: address, since: now))
      state.clients[.address(address)]?.reserved += 1
      return left
    }
  }

  /// Notes that a connection in the reserve has its answer.
  func noteAnswer(_ token: UInt64) {
    state.withLock { state in
      guard let index = state.places.firstIndex(where: { $0.token == token }) else { return }
      state.places[index].isAnswered = true
    }
  }

  private static func isFull(_ state: State, for address: ClientAddress) -> Bool {
    state.places.count >= maxReserved || hasFilled(state, address)
  }

  private static func hasFilled(_ state: State, _ address: ClientAddress) -> Bool {
    state.clients[.address(address)]?.reserved ?? 0 >= maxReservedPerClient
  }

  /// Returns the index of the place that is the first to be given to another connection.
  private static func leaving(_ state: State, for address: ClientAddress, _ now: Moment) -> Int? {
    let isOfClient = hasFilled(state, address)
    func first(where holds: (Place) -> Bool) -> Int? {
      state.places.firstIndex { (!isOfClient || $0.address == address) && holds($0) }
    }
    return first(where: \.isAnswered) ?? first { $0.since + reservedTime <= now }
  }

  private static func leave(_ index: Int, _ state: inout State) {
    let place = state.places.remove(at: index)
    state.clients[.address(place.address)]?.reserved -= 1
  }

  /// Returns whether a client has reached its limit, and its connections should be searched for closed ones.
  func shouldSearch(_ address: ClientAddress, now: @autoclosure () -> Moment) -> Bool {
    guard address.isOfOneClient, let limit = limits.maxConnectionsPerClient else { return false }
    return state.withLock { state in
      guard let client = state.clients[.address(address)], client.open - client.reserved >= limit else {
        return false
      }
      let now = now()
      guard now >= client.nextSearch else { return false }
      state.clients[.address(address)]?.nextSearch = now + Self.searchInterval
      return true
    }
  }

  /// Releases a connection that has ended.
  ///
  /// - Parameter token: The connection, if it may be in the reserve.
  func close(_ address: ClientAddress, _ token: UInt64?) {
    state.withLock { state in
      if let token, let index = state.places.firstIndex(where: { $0.token == token }) {
        Self.leave(index, &state)
      }
      guard var client = state.clients[.address(address)] else { return }
      client.open -= 1
      state.connections -= 1
      store(client, as: .address(address), &state)
    }
  }

  // MARK: Requests

  /// Counts a request for an address, and returns whether the rate limit allows it.
  func mayRequest(_ address: ClientAddress, now: @autoclosure () -> Moment) -> Bool {
    guard limits.maxRequestsPerSecond != nil, address.isOfOneClient else { return true }
    let now = now()
    return state.withLock { state in
      guard var client = state.clients[.address(address)] else { return true }
      defer { state.clients[.address(address)] = client }
      return spend(&client, now)
    }
  }

  /// Uncounts a request of an address that turned out to be a principal's.
  func returnRequest(of key: ClientKey) {
    guard limits.maxRequestsPerSecond != nil else { return }
    state.withLock { state in
      if let client = state.clients[key] { state.clients[key]?.allowance = min(burst, client.allowance + 1) }
    }
  }

  /// Counts a request for a client until `endRequest` is called; returns the limit that it exceeds, if any.
  ///
  /// - Parameter key: A client without direct connections.
  func beginRequest(of key: ClientKey, now: Moment) -> HTTPError? {
    state.withLock { state in
      var client = state.clients[key] ?? Client(allowance: burst, lastRequest: now)
      guard client.open < limits.maxConnectionsPerClient ?? .max else { return .tooManyRequestsAtOnce }
      let isAllowed = limits.maxRequestsPerSecond == nil || spend(&client, now)
      if isAllowed { client.open += 1 }
      state.clients[key] = client
      return isAllowed ? nil : .tooManyRequests
    }
  }

  /// Ends the request of a client.
  func endRequest(of key: ClientKey) {
    state.withLock { state in
      guard var client = state.clients[key] else { return }
      client.open -= 1
      store(client, as: key, &state)
    }
  }

  private func spend(_ client: inout Client, _ now: Moment) -> Bool {
    client.allowance = allowance(of: client, now)
    client.lastRequest = now
    guard client.allowance >= 1 else { return false }
    client.allowance -= 1
    return true
  }

  private func allowance(of client: Client, _ now: Moment) -> Double {
    min(burst, client.allowance + now.seconds(since: client.lastRequest) * burst)
  }

  /// Stores a client, or forgets it if it has nothing open; with a limit of requests, ``sweep(now:)`` forgets it later.
  private func store(_ client: Client, as key: ClientKey, _ state: inout State) {
    let isForgotten = client.open == 0 && limits.maxRequestsPerSecond == nil
    state.clients[key] = isForgotten ? nil : client
  }

  /// Forgets clients that have nothing open and whose full allowance has been restored.
  func sweep(now: Moment) {
    guard limits.maxRequestsPerSecond != nil else { return }
    state.withLock { state in
      state.clients = state.clients.filter { $1.open > 0 || allowance(of: $1, now) < burst }
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
