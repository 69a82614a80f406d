import Dispatch
import Logging
import Synchronization

/// A server of HTTP/1.1 on its own threads.
public final class HTTPServer: Sendable {
  /// Where a server listens.
  public struct Address: Hashable, Sendable {
    /// The host as it was given.
    public let host: String
    /// The port; the one that was chosen where 0 was given.
    public let port: Int
  }

  private let host: String
  private let port: Int
  private let context: ConnectionContext
  private let tls: TLSConfiguration?
  private let waiting: SocketWaiting
  private let running = Mutex<RunningServer?>(nil)

  /// A server that isn't started.
  ///
  /// `host` is a name or a numeric address, port 0 any free one.
  public convenience init(
    host: String, port: Int, limits: HTTPLimits = HTTPLimits(), tls: TLSConfiguration? = nil,
    handler: any HTTPHandler, logger: Logger
  ) {
    self.init(
      host: host, port: port, limits: limits, tls: tls, handler: handler, logger: logger, waiting: .standard)
  }

  /// A server that waits for its sockets in this way.
  package init(
    host: String, port: Int, limits: HTTPLimits, tls: TLSConfiguration?, handler: any HTTPHandler,
    logger: Logger, waiting: SocketWaiting
  ) {
    self.waiting = waiting
    self.host = host
    self.port = port
    self.tls = tls
    context = ConnectionContext(
      limits: limits.bounded, handler: handler, counters: LiveCounters(), table: ConnectionTable(),
      clients: ClientTable(limits: limits.bounded), logger: logger)
  }

  /// Whether a host has addresses, and all of them are of this machine alone (RFC 1122 §3.2.1.3, RFC 4291 §2.5.3).
  public static func isLoopback(host: String) -> Bool {
    let addresses = SocketAddress.resolve(host: host, port: 0)
    return !addresses.isEmpty && addresses.allSatisfy(\.isLoopback)
  }

  /// Listens and begins to serve; the address is open when this returns.
  ///
  /// Throws where the address can't be listened on, or the certificate or its key can't be used.
  public func start() throws(HTTPServerError) -> Address {
    try running.withLock { running throws(HTTPServerError) in
      guard running == nil else {
        throw HTTPServerError(.alreadyStarted, "the server on \(host):\(port) is running already")
      }
      let tls = try tls.map { configuration throws(HTTPServerError) in try TLSContext(configuration) }
      let sockets = try ListeningSocket.listen(host: host, port: port)
      let server = try RunningServer(sockets: sockets, tls: tls, context: context, waiting: waiting)
      server.start()
      running = server
      return Address(host: host, port: sockets.first?.address.port ?? port)
    }
  }

  /// Reads the certificate and key files again, for the connections from now on.
  ///
  /// Throws where they can't be used; then the ones before stay.
  public func reloadTLS() throws(HTTPServerError) {
    guard let tls else { return }
    let context = try TLSContext(tls)
    running.withLock { $0?.use(context) }
  }

  /// Ends the server: accepts no more, closes connections that wait for a request, lets requests under way
  /// end, at most for `grace`, then cancels those that are left.
  ///
  /// Returns when all has ended.
  public func shutdown(grace: Duration) {
    let server = running.withLock { running in
      defer { running = nil }
      return running
    }
    server?.shutdown(grace: grace)
  }

  /// What has been done until now.
  public var counters: HTTPServerCounters {
    context.counters.snapshot(openConnections: context.table.count)
  }
}
