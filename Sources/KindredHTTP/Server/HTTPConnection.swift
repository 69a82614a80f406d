import Logging
import Synchronization

/// What all connections of a server share.
struct ConnectionContext: Sendable {
  let limits: HTTPLimits
  let handler: any HTTPHandler
  let counters: LiveCounters
  let table: ConnectionTable
  let clients: ClientTable
  let logger: Logger
}

/// A connection: it does what its state machine says, on its socket.
///
/// Whoever posts the first signal to a connection at rest works on it; whoever posts while somebody works
/// leaves the signal to them. So one thread at a time is here, without a queue or a lock, and a request stays
/// on its thread from the first byte to the last. That is what makes `@unchecked Sendable` true.
final class HTTPConnection: @unchecked Sendable {
  let token: UInt64
  private let descriptor: CInt
  private let client: Client
  private let context: ConnectionContext
  private let events: any EventQueue

  private let signals = Atomic<UInt8>(0)
  private let deadlineNanoseconds = Atomic<UInt64>(.max)
  private let execution = RequestExecution()

  private let transport: any ByteTransport
  // `signals` guarantees exclusive access, so no check at run time is needed.
  @exclusivity(unchecked) private var machine: ConnectionStateMachine
  @exclusivity(unchecked) private var timeouts: ConnectionTimeouts
  @exclusivity(unchecked) private var input = ByteBuffer(capacity: readLength)
  @exclusivity(unchecked) private var output = HTTPResponseSerializer()
  /// The response that is to come, while the request waits for it.
  @exclusivity(unchecked) private var pending: HTTPPendingResponse?
  /// The content that has come so far, where it is too long for memory.
  @exclusivity(unchecked) private var contentFile: HTTPContentFile?
  @exclusivity(unchecked) private var isClosed = false

  private static let readLength = 16384

  /// The other end of a connection.
  struct Client: Sendable {
    let address: ClientAddress
    let admission: ClientTable.Admission
    /// Numeric address and port.
    let peer: String
  }

  /// How long a connection in the reserve may take to send its request's header: others may need its place.
  private static let reserveHeaderTimeout = Duration.seconds(2)

  /// A connection that owns `descriptor`.
  init(
    token: UInt64, descriptor: CInt, transport: any ByteTransport, client: Client,
    context: ConnectionContext, events: any EventQueue
  ) {
    self.token = token
    self.descriptor = descriptor
    self.transport = transport
    self.client = client
    self.context = context
    self.events = events
    var limits = context.limits
    if client.admission != .full {
      limits.headerReadTimeout = min(limits.headerReadTimeout, Self.reserveHeaderTimeout)
    }
    machine = ConnectionStateMachine(limits: limits)
    timeouts = ConnectionTimeouts(limits: limits, now: .now)
    publishDeadline()
  }

  // MARK: From any thread

  /// Leaves signals, and says whether the caller must `run` the connection, because nobody works on it.
  func post(_ new: Signals) -> Bool {
    let bits = new.union(.busy).rawValue
    let old = signals.bitwiseOr(bits, ordering: .acquiringAndReleasing).oldValue
    return !Signals(rawValue: old).contains(.busy)
  }

  /// Leaves signals, for a worker to work on.
  func signal(_ new: Signals) {
    signals.bitwiseOr(new.rawValue, ordering: .acquiringAndReleasing)
    events.post(token)
  }

  /// Has the body looked at on this thread, unless another works on the connection.
  private func visit() {
    if post(.body) { run() }
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

  /// Whether a request has been running for so long that its client may have gone.
  func isBusy(at now: Moment) -> Bool { execution.isLong(at: now) }

  /// Cancels the request under way where it has been running for some time and its client has gone.
  func cancelIfDeparted(at now: Moment) { execution.cancelIfDeparted(from: descriptor, now: now) }

  /// Cancels the request under way.
  func cancel() { execution.cancel() }

  // MARK: On the thread that works on the connection

  private func work(_ signals: Signals) {
    if signals.contains(.abort) { return close() }
    if !signals.isDisjoint(with: [.event, .hangUp]) {
      transport.noteEvent(hasHungUp: signals.contains(.hangUp))
    }
    if signals.contains(.shutdown) { machine.shutDown() }
    if signals.contains(.body) { yieldBody() }
    proceed()
    if signals.contains(.deadline) { checkDeadline() }
    publishDeadline()
    if !isClosed { events.rearm(transport.awaited, of: descriptor, token: token) }
  }

  /// The signals that are to be worked on next.
  private var pendingSignals: Signals { Signals(rawValue: signals.load(ordering: .relaxed)) }

  private func proceed() {
    while !isClosed {
      if let pending {
        guard let answer = pending.take(orWake: { [weak self] in self?.signal(.event) }) else { return }
        self.pending = nil
        deliver(answer)
        continue
      }
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
    guard !isClosed, timeouts.isOver(now: .now) else { return }
    if timeouts.waiting != .forRequest && timeouts.waiting != .forEnd {
      context.counters.timedOutConnections.increase()
    }
    perform(machine.timedOut())
    proceed()
  }

  /// Reads once; false where nothing goes on before the next event.
  private func read() -> Bool {
    switch transport.read(into: input.writable(Self.readLength)) {
    case .transferred(let count):
      input.produced(count)
      context.counters.receivedBytes.increase(by: count)
      timeouts.moved(count, now: .now)
      return true
    case .wouldBlock:
      if machine.isDone {
        close()
      } else {
        timeouts.wait(for: machine.waiting, now: .now)
      }
      return false
    case .ended:
      machine.inputEnded()
      return true
    case .failed where transport.isPlainPeer:
      // Answered in the clear, as it was asked.
      machine.refuse(.plainRequest)
      return true
    case .failed:
      close()
      return false
    }
  }

  /// Gives the body that is being sent the occasion to release what others wait for.
  private func yieldBody() {
    guard !isClosed, output.isActive else { return }
    do {
      try execution.run { try output.yield() }
    } catch {
      context.logger.debug("An answer ended early.", metadata: ["error": "\(error)"])
      close()
    }
  }

  /// Sends what there is to send; false where nothing goes on before the next event.
  private func flush() -> Bool {
    // An answer that its client takes as fast as it is made never waits; it is to end with the server too.
    while !pendingSignals.contains(.abort) {
      do {
        if output.needsFilling { try execution.run { try output.fill() } }
      } catch {
        context.logger.debug("An answer ended early.", metadata: ["error": "\(error)"])
        break
      }
      guard output.hasPending else {
        guard output.isActive else {
          execution.end()
          return true
        }
        guard waitForBody() else { return false }
        continue
      }
      switch output.withPending({ transport.write($0, $1, $2) }) {
      case .transferred(let count):
        output.advance(by: count)
        context.counters.sentBytes.increase(by: count)
        timeouts.moved(count, now: .now)
      case .wouldBlock:
        timeouts.wait(for: .forOutput, now: .now)
        return false
      case .ended, .failed:
        close()
        return false
      }
    }
    close()
    return false
  }

  /// A live body has nothing at the moment; true where it is to end, because nobody would see what comes.
  private func waitForBody() -> Bool {
    if transport.hasHungUp {
      close()
    } else if machine.isShuttingDown {
      output.finish()
      return true
    } else {
      // A listener may be silent for hours: it keeps no more memory than it needs.
      input.trim()
      timeouts.wait(for: .forBody, now: .now)
    }
    return false
  }

  private func perform(_ action: ConnectionStateMachine.Action) {
    switch action {
    case .read:
      break
    case .consider(let head):
      let request = request(head, content: [])
      if let response = limitRefusal(of: request) ?? rejection(of: request, head) {
        context.counters.requests.increase()
        machine.reject()
        begin(response)
      } else {
        machine.takeContent(isLong: context.handler.takesLongBody(request))
      }
    case .keep(let part):
      keep(part)
    case .sendContinue:
      output.beginContinue()
    case .respond(let head, let content):
      context.counters.requests.increase()
      let request = request(head, content: content)
      // One with content has been considered before.
      if head.framing == .length(0), let response = limitRefusal(of: request) {
        begin(response)
      } else {
        answer(request)
      }
    case .refuse(let error):
      context.counters.refusedRequests.increase()
      begin(refusal(error))
    case .linger:
      transport.endOutput()
      timeouts.wait(for: .forEnd, now: .now)
    case .close:
      close()
    }
  }

  /// The answer to a request that its head alone decides, while its content is still to come.
  private func rejection(of request: HTTPRequest, _ head: HTTPRequestHead) -> HTTPResponse? {
    // With the content at hand, the answer is not far.
    if case .length(let length) = head.framing, length <= input.readable.count { return nil }
    return execution.run { context.handler.rejection(of: request) }
  }

  private func request(_ head: HTTPRequestHead, content: [UInt8]) -> HTTPRequest {
    HTTPRequest(
      method: head.method, target: head.target, version: head.version, headers: head.headers, body: content,
      peer: client.peer, isSecure: transport.isSecure, cancellation: execution.begin())
  }

  /// The answer to a request that is one too many; nil for others.
  private func limitRefusal(of request: HTTPRequest) -> HTTPResponse? {
    switch client.admission {
    case .full:
      if context.limits.maxRequestsPerSecond == nil || context.handler.isExempt(request) { return nil }
      guard !context.clients.mayRequest(client.address, now: .now) else { return nil }
      context.counters.throttledRequests.increase()
      return refusal(.tooManyRequests)
    case .reserve(let error):
      if context.handler.isExempt(request) { return nil }
      return refusal(error)
    }
  }

  private func refusal(_ error: HTTPError) -> HTTPResponse {
    var response = context.handler.response(to: error)
    if let seconds = error.retryAfter { response.headers.set("Retry-After", String(seconds)) }
    return response
  }

  private func answer(_ request: HTTPRequest) {
    var request = request
    if let file = contentFile {
      contentFile = nil
      guard file.append(request.body) else { return begin(refusal(.outOfSpace)) }
      request.body = []
      request.longBody = file
    }
    execution.resume()
    deliver(context.handler.answer(request))
  }

  private func deliver(_ answer: HTTPAnswer) {
    switch answer {
    case .now(let response):
      execution.pause()
      begin(response)
    case .later(let response):
      // The handler knows how long that may take; the client's time-outs have nothing to do with it.
      timeouts.clear()
      pending = response
    }
  }

  private func keep(_ part: [UInt8]) {
    if contentFile == nil { contentFile = HTTPContentFile() }
    if !(contentFile?.append(part) ?? false) {
      contentFile = nil
      machine.refuse(.outOfSpace)
    }
  }

  private func begin(_ response: HTTPResponse) {
    timeouts.clear()
    // The shutdown may have begun while the handler ran; its client is to be told (RFC 9112 §9.6).
    if pendingSignals.contains(.shutdown) { machine.shutDown() }
    // A place in the reserve is for one request.
    if client.admission != .full { machine.endAfterAnswer() }
    let framing = machine.framing(for: response)
    if framing.sendsContent, case .stream(let stream, _) = response.body {
      // A live stream wakes many connections at once, each for one write: that needs no other thread.
      let isLive = stream.isLive
      stream.onReady { [weak self] in
        if isLive { self?.visit() } else { self?.signal(.body) }
      }
    }
    output.begin(response, framing: framing)
  }

  /// Has the watch know when to look again.
  private func publishDeadline() {
    deadlineNanoseconds.store(timeouts.deadline.nanoseconds, ordering: .relaxed)
  }

  private func close() {
    guard !isClosed else { return }
    isClosed = true
    execution.cancel()
    execution.end()
    output.close()
    pending = nil
    contentFile = nil
    timeouts.clear()
    events.forget(descriptor, token: token) { [descriptor] in Socket.close(descriptor) }
    context.table.remove(token)
    context.clients.close(client.address, client.admission)
  }
}
