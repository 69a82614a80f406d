import KindredSystem
import Logging
import Synchronization

/// Accepts connections, up to the limits.
final class Acceptor: Sendable {
  private struct State {
    /// Empty once accepting has ended.
    var sockets: [ListeningSocket]
    /// Sockets that aren't armed because there were no descriptors left for their connections.
    var exhausted: Set<Int> = []
    /// When running out of descriptors may be logged again.
    var nextWarning = Moment(nanoseconds: 0)
    /// Nil if connections aren't encrypted.
    var tls: TLSContext?
    /// When the keys of the tickets are changed.
    var ticketKeyEnd: Moment
  }

  private let context: ConnectionContext
  private let events: any EventQueue
  private let state: Mutex<State>
  private let isStopping = Atomic(false)

  /// The number of connections that a thread accepts before it gives way to others.
  private static let batch = 64

  private static let warningInterval = Duration.seconds(60)

  init(sockets: [ListeningSocket], tls: TLSContext?, context: ConnectionContext, events: any EventQueue) {
    self.context = context
    self.events = events
    state = Mutex(
      State(sockets: sockets, tls: tls, ticketKeyEnd: .now + context.limits.ticketKeyLifetime))
  }

  /// Returns whether a token belongs to a listening socket.
  ///
  /// Tokens of connections have a generation above 0 in their upper half.
  static func isSocket(_ token: UInt64) -> Bool { token <= UInt64(UInt32.max) }

  /// Starts accepting.
  func start() {
    for (index, socket) in state.withLock(\.sockets).enumerated() {
      if !events.addOnce(socket.descriptor, token: UInt64(index)) {
        context.logger.error("A listening socket can't be watched.")
      }
    }
  }

  /// Accepts the connections that wait on the socket with this token.
  func accept(token: UInt64) {
    let index = Int(token)
    let socket = state.withLock { index < $0.sockets.count ? $0.sockets[index] : nil }
    guard let socket else { return }
    for _ in 0..<Self.batch {
      switch socket.accept() {
      case .connection(let descriptor, let peer):
        open(descriptor, peer: peer)
        continue
      case .none:
        break
      case .exhausted(let number):
        // Don't rearm: the socket would report the same connection over and over.
        pause(index, number)
        return
      }
      break
    }
    events.armOnce(socket.descriptor, token: token)
  }

  private func pause(_ index: Int, _ number: CInt) {
    let now = Moment.now
    let isWarning = state.withLock { state in
      state.exhausted.insert(index)
      guard now >= state.nextWarning else { return false }
      state.nextWarning = now + Self.warningInterval
      return true
    }
    if isWarning {
      context.logger.warning(
        "New connections can't be accepted at the moment.",
        metadata: ["error": "\(String(cString: strerror(number)))"])
    }
  }

  /// Whether sockets are exhausted.
  var isPaused: Bool { state.withLock { !$0.exhausted.isEmpty } }

  /// Rearms the exhausted sockets, as descriptors may have become free.
  func resume() {
    let sockets = state.withLock { state in
      defer { state.exhausted = [] }
      return state.exhausted.filter { $0 < state.sockets.count }.map { ($0, state.sockets[$0]) }
    }
    for (index, socket) in sockets { events.armOnce(socket.descriptor, token: UInt64(index)) }
  }

  /// Stops accepting, after the connections that the kernel has already established.
  func stop() {
    isStopping.store(true, ordering: .sequentiallyConsistent)
    let sockets = state.withLock { state in
      defer { state.sockets = [] }
      return state.sockets
    }
    for (index, socket) in sockets.enumerated() {
      socket.removeFile()
      while case .connection(let descriptor, let peer) = socket.accept() { open(descriptor, peer: peer) }
      // The closure keeps the socket alive: its `deinit` closes the descriptor.
      events.forget(socket.descriptor, token: UInt64(index)) { withExtendedLifetime(socket) {} }
    }
  }

  /// Makes new connections use this certificate.
  func use(_ tls: TLSContext) {
    state.withLock { $0.tls = tls }
  }

  private func makeTransport(_ descriptor: CInt) -> (any ByteTransport)? {
    let plain = PlainTransport(descriptor: descriptor)
    guard let tls = state.withLock({ tls(in: &$0) }) else { return plain }
    return TLSTransport(context: tls, over: plain)
  }

  /// The context of the next connection, with new keys for its tickets once the old ones have served their time.
  private func tls(in state: inout State) -> TLSContext? {
    guard let tls = state.tls, Moment.now >= state.ticketKeyEnd else { return state.tls }
    state.ticketKeyEnd = .now + context.limits.ticketKeyLifetime
    do {
      state.tls = try TLSContext(renewing: tls)
    } catch {
      context.logger.error(
        "The keys of TLS tickets could not be renewed, the previous ones stay in use: \(error)")
    }
    return state.tls
  }

  private func open(_ descriptor: CInt, peer: SocketAddress) {
    context.counters.acceptedConnections.increase()
    let isTrustedProxy = context.limits.trustedProxies.contains(peer)
    let address = isTrustedProxy ? .proxies : peer.client
    // The ends of a client's connections may wait behind its new ones.
    if context.clients.shouldSearch(address, now: .now) { context.table.closeDeparted(of: address) }
    let admission = context.clients.open(address, now: .now)
    if admission != .full { context.counters.refusedConnections.increase() }
    guard let admission else { return Socket.close(descriptor) }
    guard let transport = makeTransport(descriptor) else {
      context.clients.close(address, nil)
      return Socket.close(descriptor)
    }
    if peer.path == nil { Socket.disableDelay(descriptor) }
    let client = HTTPConnection.Client(
      address: address, admission: admission, peer: peer.description, own: peer.client,
      isTrustedProxy: isTrustedProxy)
    let connection = context.table.insert { token, clock in
      HTTPConnection(
        token: token, clock: clock, descriptor: descriptor, transport: transport, client: client,
        context: context,
        events: events)
    }
    if admission != .full,
      let token = context.clients.enterReserve(connection.token, address, now: .now)
    {
      context.table.connection(token)?.signal(.abort)
    }
    if !events.add(descriptor, token: connection.token) { connection.signal(.abort) }
    connection.start()
    // A connection accepted during shutdown may have missed the signal that was sent to all.
    if isStopping.load(ordering: .sequentiallyConsistent) { connection.signal(.shutdown) }
  }
}
