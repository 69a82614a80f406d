import KindredSpooling
import Dispatch
import Logging
import Synchronization

/// An HTTP/1.1 server with its own threads.
public final class HTTPServer: Sendable {
  /// The address that a server listens on.
  public struct Address: Hashable, Sendable {
    /// The host as given, or that of a socket that was handed over.
    public let host: String
    /// The port; if 0 was given, the one that the system chose.
    public let port: Int
    /// The path of a Unix socket; nil for TCP.
    public let path: String?
  }

  private let place: ListeningPlace
  private let context: ConnectionContext
  private let tls: TLSConfiguration?
  private let waiting: SocketWaiting
  private let workers: Int?
  private let running = Mutex<RunningServer?>(nil)

  /// Creates a server without starting it.
  ///
  /// - Parameters:
  ///   - host: A name or a numeric address.
  ///   - port: A port from 1 to 65535, or 0 for any free one.
  ///   - spools: The room for contents of requests that are too long for memory.
  ///   - contents: The memory for other contents of requests, as they are received.
  public convenience init(
    host: String, port: Int, limits: HTTPLimits = HTTPLimits(), tls: TLSConfiguration? = nil,
    spools: ByteBudget = ByteBudget(), contents: ByteBudget = ByteBudget(), handler: any HTTPHandler,
    logger: Logger
  ) {
    self.init(
      at: .host(host, port: port), limits: limits, tls: tls, spools: spools, contents: contents,
      handler: handler,
      logger: logger)
  }

  /// Creates a server at any place without starting it.
  public convenience init(
    at place: ListeningPlace, limits: HTTPLimits = HTTPLimits(), tls: TLSConfiguration? = nil,
    spools: ByteBudget = ByteBudget(), contents: ByteBudget = ByteBudget(), handler: any HTTPHandler,
    logger: Logger
  ) {
    self.init(
      at: place, limits: limits, tls: tls, spools: spools, contents: contents, handler: handler,
      logger: logger, waiting: .standard, workers: nil)
  }

  /// Creates a server with a choice of how it waits for its sockets.
  ///
  /// - Parameter workers: The number of threads while none is busy for long; nil for that of the processors.
  package init(
    at place: ListeningPlace, limits: HTTPLimits, tls: TLSConfiguration?, spools: ByteBudget,
    contents: ByteBudget, handler: any HTTPHandler, logger: Logger, waiting: SocketWaiting, workers: Int?
  ) {
    self.waiting = waiting
    self.workers = workers
    self.place = place
    self.tls = tls
    var limits = limits.bounded
    // Longer content would never have room, however often it is sent.
    limits.maxBodyLength = min(limits.maxBodyLength, contents.share)
    limits.maxLongBodyLength = min(limits.maxLongBodyLength, max(limits.maxBodyLength, spools.share))
    context = ConnectionContext(
      limits: limits, handler: handler, counters: LiveCounters(), table: ConnectionTable(),
      clients: ClientTable(limits: limits), spools: spools, contents: contents, logger: logger)
  }

  /// Returns whether a host has addresses and all of them are loopback addresses (RFC 1122 §3.2.1.3, RFC 4291 §2.5.3).
  public static func isLoopback(host: String) -> Bool {
    let addresses = SocketAddress.resolve(host: host, port: 0)
    return !addresses.isEmpty && addresses.allSatisfy(\.isLoopback)
  }

  /// Starts to listen and to serve; clients can connect when this returns.
  ///
  /// - Throws: `HTTPServerError` if the address can't be listened on, or the certificate or its key can't be used.
  public func start() throws(HTTPServerError) -> Address {
    try running.withLock { running throws(HTTPServerError) in
      guard running == nil else {
        throw HTTPServerError(.alreadyStarted, "the server is running already")
      }
      let tls = try tls.map { configuration throws(HTTPServerError) in try TLSContext(configuration) }
      let sockets = try ListeningSocket.listen(at: place)
      let server = try RunningServer(
        sockets: sockets, tls: tls, context: context, waiting: waiting, workers: workers)
      server.start()
      running = server
      return address(of: sockets)
    }
  }

  private func address(of sockets: [ListeningSocket]) -> Address {
    let bound = sockets.first?.address
    if let path = bound?.path { return Address(host: "", port: 0, path: path) }
    let host = if case .host(let host, _) = place { host } else { bound?.host ?? "" }
    return Address(host: host, port: bound?.port ?? 0, path: nil)
  }

  /// Calls `respond` on the next thread that is free to answer a request, so that a server whose threads are all stuck
  /// doesn't call it.
  public func pulse(_ respond: @escaping @Sendable () -> Void) {
    running.withLock { $0 }?.pulse(respond)
  }

  /// Reads the certificate and key files again, for new connections.
  ///
  /// - Throws: `HTTPServerError` if they can't be used; the previous ones then stay in use.
  public func reloadTLS() throws(HTTPServerError) {
    guard let tls else { return }
    let context = try TLSContext(tls)
    running.withLock { $0?.use(context) }
  }

  /// Stops the server: accepts no more connections, closes idle connections, lets requests under way finish for at most
  /// `grace`, then cancels the rest.
  ///
  /// Returns when everything has ended.
  public func shutdown(grace: Duration) {
    let server = running.withLock { running in
      defer { running = nil }
      return running
    }
    server?.shutdown(grace: grace)
  }

  /// The counters since the server was created.
  public var counters: HTTPServerCounters {
    context.counters.snapshot(openConnections: context.table.count)
  }
}
