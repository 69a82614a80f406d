import KindredSpooling
import Logging
import Synchronization
import Testing

@testable import KindredHTTP

/// The connections that a client has left don't count against its limit, though their ends may not have been reported.
@Suite("Connections that their clients have left")
struct DepartedClientsTests {
  /// Reports nothing, so that the end of a connection waits until the test is over.
  private final class SilentQueue: EventQueue {
    private let posted = Mutex<[UInt64]>([])

    var postedTokens: [UInt64] { posted.withLock { $0 } }

    func add(_ descriptor: CInt, token: UInt64) -> Bool { true }
    func addOnce(_ descriptor: CInt, token: UInt64) -> Bool { true }
    func armOnce(_ descriptor: CInt, token: UInt64) {}
    func rearm(_ directions: Directions, of descriptor: CInt, token: UInt64) {}
    func forget(_ descriptor: CInt, token: UInt64, then close: @escaping @Sendable () -> Void) { close() }
    func post(_ token: UInt64) { posted.withLock { $0.append(token) } }
    func end() {}
    func next() -> SocketEvent? { nil }
  }

  private let queue = SilentQueue()
  private let context: ConnectionContext
  private let acceptor: Acceptor
  private let port: Int

  init() throws {
    var limits = HTTPLimits()
    limits.maxConnectionsPerClient = 2
    context = ConnectionContext(
      limits: limits, handler: TestHandler(), counters: LiveCounters(), table: ConnectionTable(),
      clients: ClientTable(limits: limits), spools: ByteBudget(), contents: ByteBudget(),
      logger: Logger(label: "test"))
    let sockets = try ListeningSocket.listen(at: .host("127.0.0.1", port: 0))
    port = sockets[0].address.port
    acceptor = Acceptor(sockets: sockets, tls: nil, context: context, events: queue)
  }

  private func accepted(_ count: Int) -> Bool {
    eventually {
      acceptor.accept(token: 0)
      return context.counters.acceptedConnections.load(ordering: .relaxed) == count
    }
  }

  private var refused: Int { context.counters.refusedConnections.load(ordering: .relaxed) }

  @Test
  func `are closed before a new one is refused`() throws {
    var clients = [try WireClient(port: port), try WireClient(port: port)]
    #expect(accepted(2))
    clients = []
    clients.append(try WireClient(port: port))
    #expect(accepted(3))
    #expect(refused == 0)
    #expect(context.table.count == 1)
    #expect(queue.postedTokens == [])
  }

  @Test
  func `are answered first if they have sent a request`() throws {
    var clients = [try WireClient(port: port), try WireClient(port: port)]
    #expect(accepted(2))
    clients[0].request("/")
    clients[0].endOutput()
    clients.append(try WireClient(port: port))
    #expect(accepted(3))
    #expect(refused == 1)
    let token = try #require(queue.postedTokens.first)
    let connection = try #require(context.table.connection(token))
    #expect(connection.post(.event))
    connection.run()
    #expect(clients[0].response()?.body == "GET / ")
  }
}
