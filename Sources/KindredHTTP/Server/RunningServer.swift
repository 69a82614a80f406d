import Dispatch
import KindredSystem
import Logging
import Synchronization

/// A server while it runs: its sockets, threads and connections.
final class RunningServer: Sendable {
  private let context: ConnectionContext
  private let events: any EventQueue
  private let acceptor: Acceptor
  private let workers: WorkerPool
  private let watch = Watch()
  private let pulses: PulseQueue

  /// How long to wait for the requests that are cancelled after the grace period.
  private static let abortTimeout = Duration.seconds(5)

  init(
    sockets: [ListeningSocket], tls: TLSContext?, context: ConnectionContext, waiting: SocketWaiting,
    workers: Int?
  ) throws(HTTPServerError) {
    guard let events = waiting.makeQueue() else {
      throw HTTPServerError(.system, "the process has no more file descriptors; raise `ulimit -n`")
    }
    let acceptor = Acceptor(sockets: sockets, tls: tls, context: context, events: events)
    self.events = events
    self.context = context
    self.acceptor = acceptor
    let table = context.table
    let pulses = PulseQueue()
    self.pulses = pulses
    self.workers = WorkerPool(
      events: events, baseline: workers ?? sysconf(CInt(_SC_NPROCESSORS_ONLN)), onWake: watch.wake
    ) { event in
      if event.token == PulseQueue.token {
        pulses.respond()
      } else if Acceptor.isSocket(event.token) {
        acceptor.accept(token: event.token)
      } else if let connection = table.connection(event.token),
        connection.post(ConnectionSignals(event.kind))
      {
        connection.run()
      }
    }
  }

  func start() {
    acceptor.start()
    workers.start()
    let (acceptor, table, clients) = (acceptor, context.table, context.clients)
    watch.start(
      tick: workers.advanceTick,
      sweep: { now in
        acceptor.resume()
        clients.sweep(now: now)
        for connection in table.all(where: { $0.isOverdue(at: now) || $0.isBusy(at: now) }) {
          if connection.execution.clock.isOverdue(at: now) { connection.signal(.deadline) }
          connection.cancelIfDeparted(at: now)
        }
      },
      needsSweep: { table.count > 0 || clients.count > 0 || acceptor.isPaused })
  }

  /// Calls `respond` on the next thread that is free.
  func pulse(_ respond: @escaping @Sendable () -> Void) {
    pulses.add(respond)
    events.post(PulseQueue.token)
  }

  /// Makes new connections use this certificate.
  func use(_ tls: TLSContext) { acceptor.use(tls) }

  func shutdown(grace: Duration) {
    acceptor.stop()
    for connection in context.table.all { connection.signal(.shutdown) }
    if !context.table.waitUntilEmpty(timeout: grace) {
      context.logger.warning(
        "Connections were closed before their responses were complete.",
        metadata: ["count": "\(context.table.count)"])
      for connection in context.table.all {
        connection.execution.cancel()
        connection.signal(.abort)
      }
    }
    let isEmpty = context.table.waitUntilEmpty(timeout: Self.abortTimeout)
    events.end()
    if !isEmpty || !workers.waitUntilEnded(timeout: Self.abortTimeout) {
      context.logger.error("A cancelled request doesn't end.")
    }
    watch.stop()
  }
}

/// The calls that wait for a free thread.
private final class PulseQueue: Sendable {
  /// The token of their events, which no socket has.
  static let token = UInt64(UInt32.max)

  private let calls = Mutex<[@Sendable () -> Void]>([])

  func add(_ call: @escaping @Sendable () -> Void) { calls.withLock { $0.append(call) } }

  func respond() {
    let calls = calls.withLock { calls in
      defer { calls = [] }
      return calls
    }
    for call in calls { call() }
  }
}
