import Dispatch
import Logging
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// What all connections of a server share.
struct ConnectionContext: Sendable {
  let limits: HTTPLimits
  let handler: any HTTPHandler
  let counters: LiveCounters
  let table: ConnectionTable
  let logger: Logger
}

/// A connection: it does what its state machine says, on its socket.
///
/// Whoever posts the first signal to a connection at rest works on it; whoever posts while somebody works
/// leaves the signal to them. So one thread at a time is here, without a queue or a lock, and a request stays
/// on its thread from the first byte to the last. That is what makes `@unchecked Sendable` true.
final class HTTPConnection: @unchecked Sendable {
  /// Why a connection is to be looked at.
  struct Signals: OptionSet, Sendable {
    let rawValue: UInt8
    /// The socket has something.
    static let event = Signals(rawValue: 1)
    /// The peer has ended its direction, or the connection is broken.
    static let hangUp = Signals(rawValue: 2)
    /// The deadline may be over.
    static let deadline = Signals(rawValue: 4)
    /// The server ends, when the request under way is answered.
    static let shutdown = Signals(rawValue: 8)
    /// The server ends now.
    static let abort = Signals(rawValue: 16)
    /// Somebody works on the connection.
    fileprivate static let busy = Signals(rawValue: 128)
  }

  let token: UInt64
  private let descriptor: CInt
  private let peer: String?
  private let context: ConnectionContext

  private let signals = Atomic<UInt8>(0)
  private let deadlineNanoseconds = Atomic<UInt64>(.max)
  private let executingSince = Atomic<UInt64>(0)
  /// The request under way.
  ///
  /// Held while the socket is looked at from outside, so that it is still this one.
  private let underway = Mutex<HTTPCancellation?>(nil)

  private var transport: any ByteTransport
  private var machine: ConnectionStateMachine
  private var input = ByteBuffer(capacity: readLength)
  private var output = HTTPResponseSerializer()
  private var pace: TransferPace
  /// What the deadline is for; nil while nothing is waited for.
  private var waiting: ConnectionStateMachine.Waiting? = .forRequest
  private var isClosed = false

  private static let readLength = 16384
  /// How long something runs before it is worth looking whether its client is still there.
  private static let departureDelay = Duration.milliseconds(50)

  /// A connection that owns `descriptor`; with `refusal` it gives only this answer.
  init(
    token: UInt64, descriptor: CInt, transport: any ByteTransport, peer: String?,
    context: ConnectionContext, refusal: HTTPError? = nil
  ) {
    self.token = token
    self.descriptor = descriptor
    self.transport = transport
    self.peer = peer
    self.context = context
    machine = ConnectionStateMachine(limits: context.limits, refusal: refusal)
    pace = TransferPace(idle: context.limits.idleTimeout, rate: context.limits.minTransferRate, now: .now)
    // The first request's time runs from the beginning, so that a connection can't be held by saying nothing.
    setDeadline(.now + context.limits.headerReadTimeout)
  }

  // MARK: From any thread

  /// Leaves signals, and says whether the caller must `run` the connection, because nobody works on it.
  func post(_ new: Signals) -> Bool {
    let bits = new.union(.busy).rawValue
    let old = signals.bitwiseOr(bits, ordering: .acquiringAndReleasing).oldValue
    return !Signals(rawValue: old).contains(.busy)
  }

  /// Has signals worked on, by another thread: what follows from them may take long.
  func signal(_ new: Signals) {
    if post(new) { DispatchQueue.global().async { self.run() } }
  }

  /// Works on the connection until there are no more signals.
  func run() {
    while true {
      let old = signals.bitwiseAnd(Signals.busy.rawValue, ordering: .acquiringAndReleasing).oldValue
      work(Signals(rawValue: old))
      // A closed connection stays busy: no signal wakes it again.
      if isClosed { return }
      let rest = signals.compareExchange(
        expected: Signals.busy.rawValue, desired: 0, ordering: .acquiringAndReleasing)
      if rest.exchanged { return }
    }
  }

  /// Whether the deadline is over at this time.
  func isOverdue(at now: Moment) -> Bool {
    now.nanoseconds >= deadlineNanoseconds.load(ordering: .relaxed)
  }

  /// Cancels the request under way where it has been running for some time and its client has gone.
  func cancelIfDeparted(at now: Moment) {
    let since = executingSince.load(ordering: .relaxed)
    guard since != 0, now > Moment(nanoseconds: since) + Self.departureDelay else { return }
    underway.withLock { cancellation in
      if let cancellation, Socket.hasHungUp(descriptor) { cancellation.cancel() }
    }
  }

  /// Cancels the request under way.
  func cancel() {
    underway.withLock { $0?.cancel() }
  }

  // MARK: On the thread that works on the connection

  private func work(_ signals: Signals) {
    if signals.contains(.abort) { return close() }
    if !signals.isDisjoint(with: [.event, .hangUp]) {
      transport.noteEvent(hasHungUp: signals.contains(.hangUp))
    }
    if signals.contains(.shutdown) { machine.shutDown() }
    proceed()
    if signals.contains(.deadline), !isClosed { checkDeadline() }
  }

  private func proceed() {
    while !isClosed {
      if output.isActive {
        guard flush() else { return }
        if let action = machine.outputSent() { perform(action) }
        continue
      }
      let (consumed, action) = machine.receive(input.readable)
      input.consume(consumed)
      if case .read = action {
        guard read() else { return }
      } else {
        perform(action)
      }
    }
  }

  private func checkDeadline() {
    let now = Moment.now
    guard isOverdue(at: now) else { return }
    switch waiting {
    case .forContent, .forOutput:
      guard pace.isTooSlow(now: now) else { return setDeadline(pace.deadline) }
    case .forRequest, .forHead, .forEnd, nil:
      break
    }
    if waiting != .forRequest && waiting != .forEnd { context.counters.timedOutConnections.increase() }
    perform(machine.timedOut())
    proceed()
  }

  /// Reads once; false where nothing goes on before the next event.
  private func read() -> Bool {
    let result = transport.read(into: input.writable(Self.readLength))
    switch result {
    case .transferred(let count):
      input.produced(count)
      context.counters.receivedBytes.increase(by: count)
      if waiting == .forContent { pace.record(count, now: .now) }
      return true
    case .wouldBlock:
      if machine.isDone {
        close()
      } else {
        wait(for: machine.waiting)
      }
      return false
    case .ended:
      machine.inputEnded()
      return true
    case .failed:
      close()
      return false
    }
  }

  /// Sends what there is to send; false where nothing goes on before the next event.
  private func flush() -> Bool {
    while true {
      do {
        if output.needsFilling { try executing { try output.fill() } }
      } catch {
        context.logger.debug("An answer ended early.", metadata: ["error": "\(error)"])
        close()
        return false
      }
      guard output.isActive else {
        finishRequest()
        return true
      }
      switch output.withPending({ transport.write($0, $1, $2) }) {
      case .transferred(let count):
        output.advance(by: count)
        context.counters.sentBytes.increase(by: count)
        if waiting == .forOutput { pace.record(count, now: .now) }
        if !output.isActive {
          finishRequest()
          return true
        }
      case .wouldBlock:
        wait(for: .forOutput)
        return false
      case .ended, .failed:
        close()
        return false
      }
    }
  }

  private func perform(_ action: ConnectionStateMachine.Action) {
    switch action {
    case .read:
      break
    case .sendContinue:
      output.beginContinue()
    case .respond(let head, let content):
      begin(respond(to: head, content: content))
    case .refuse(let error):
      context.counters.refusedRequests.increase()
      var response = context.handler.response(to: error)
      // RFC 9110 §15.6.4: how long to wait, where it is known; a connection may end at any moment.
      if error.code == .tooManyConnections { response.headers.set("Retry-After", "1") }
      begin(response)
    case .linger:
      transport.endOutput()
      waiting = .forEnd
      setDeadline(.now + context.limits.lingerTimeout)
    case .close:
      close()
    }
  }

  private func respond(to head: HTTPRequestHead, content: [UInt8]) -> HTTPResponse {
    context.counters.requests.increase()
    let cancellation = HTTPCancellation()
    underway.withLock { $0 = cancellation }
    let request = HTTPRequest(
      method: head.method, target: head.target, version: head.version, headers: head.headers,
      body: content, peer: peer, isSecure: transport.isSecure, cancellation: cancellation)
    return executing { context.handler.respond(to: request) }
  }

  private func begin(_ response: HTTPResponse) {
    // The time-outs of the request don't apply to its answer.
    setDeadline(.never)
    waiting = nil
    output.begin(response, framing: machine.framing(for: response))
  }

  /// Runs code that may take long and belongs to a request.
  private func executing<Result>(_ body: () throws -> Result) rethrows -> Result {
    executingSince.store(Moment.now.nanoseconds, ordering: .relaxed)
    defer { executingSince.store(0, ordering: .relaxed) }
    return try body()
  }

  private func finishRequest() {
    underway.withLock { $0 = nil }
  }

  /// Waits for the next event, and for how long is right.
  private func wait(for new: ConnectionStateMachine.Waiting) {
    guard new != waiting else {
      if new == .forContent || new == .forOutput { setDeadline(pace.deadline) }
      return
    }
    waiting = new
    let now = Moment.now
    switch new {
    case .forRequest:
      setDeadline(now + context.limits.idleTimeout)
    case .forHead:
      setDeadline(now + context.limits.headerReadTimeout)
    case .forContent, .forOutput:
      pace = TransferPace(
        idle: context.limits.idleTimeout, rate: context.limits.minTransferRate, now: now)
      setDeadline(pace.deadline)
    case .forEnd:
      break
    }
  }

  private func setDeadline(_ moment: Moment) {
    deadlineNanoseconds.store(moment.nanoseconds, ordering: .relaxed)
  }

  private func close() {
    guard !isClosed else { return }
    isClosed = true
    cancel()
    finishRequest()
    output.end()
    setDeadline(.never)
    #if canImport(Glibc)
      _ = Glibc.close(descriptor)
    #elseif canImport(Musl)
      _ = Musl.close(descriptor)
    #endif
    context.table.remove(token)
  }
}
