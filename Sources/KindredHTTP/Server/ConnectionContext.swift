import KindredSpooling
import Logging

/// State shared by all connections of a server.
final class ConnectionContext: Sendable {
  let limits: HTTPLimits
  let handler: any HTTPHandler
  let counters: LiveCounters
  let table: ConnectionTable
  let clients: ClientTable
  /// The room for contents of requests that are too long for memory.
  let spools: ByteBudget
  /// The memory for other contents of requests.
  let contents: ByteBudget
  let logger: Logger

  init(
    limits: HTTPLimits, handler: any HTTPHandler, counters: LiveCounters, table: ConnectionTable,
    clients: ClientTable, spools: ByteBudget, contents: ByteBudget, logger: Logger
  ) {
    self.limits = limits
    self.handler = handler
    self.counters = counters
    self.table = table
    self.clients = clients
    self.spools = spools
    self.contents = contents
    self.logger = logger
  }
}

extension ConnectionContext {
  /// How long a connection in the reserve may take to send its request's header, because others may need its place.
  private static let reserveHeaderTimeout = Duration.seconds(2)

  /// Returns the limits of a client's connection.
  func limits(for client: HTTPConnection.Client) -> HTTPLimits {
    var limits = limits
    if client.admission != .full {
      limits.headerReadTimeout = min(limits.headerReadTimeout, Self.reserveHeaderTimeout)
    }
    return limits
  }

  /// Returns the response to a request that is refused.
  ///
  /// - Parameter peer: The client's address.
  func refusal(_ error: HTTPError, of peer: String?) -> HTTPResponse {
    var response = handler.response(to: error, from: peer)
    if let seconds = error.retryAfter { response.headers.set("Retry-After", String(seconds)) }
    return response
  }
}
