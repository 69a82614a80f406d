import Logging
import Synchronization

/// A connection, which carries out on its socket what its state machine decides.
///
/// The thread that posts a signal to an idle connection works on it; a signal posted meanwhile is left to that thread.
/// So one thread at a time runs here, without a queue or a lock, which justifies `@unchecked Sendable`, and a request
/// stays on its thread from the first byte to the last.
final class HTTPConnection: @unchecked Sendable {
  let token: UInt64
  private let descriptor: CInt
  let client: Client
  private let context: ConnectionContext
  private let events: any EventQueue

  private let signals = PostedSignals()
  let execution: RequestExecution

  private let transport: any ByteTransport
  // `signals` guarantees exclusive access, so no check at run time is needed.
  @exclusivity(unchecked) private var machine: ConnectionStateMachine
  @exclusivity(unchecked) private var timeouts: ConnectionTimeouts
  @exclusivity(unchecked) private var input = ByteBuffer(capacity: readLength)
  @exclusivity(unchecked) private var output = HTTPResponseSerializer()
  @exclusivity(unchecked) private var pending: HTTPPendingResponse?
  /// What the content of the request in progress takes.
  @exclusivity(unchecked) private var content = ReceivedContent()
  /// The request whose content is being received, and what answers it then.
  @exclusivity(unchecked) private var considered: (request: HTTPRequest, answer: (HTTPRequest) -> HTTPAnswer)?
  @exclusivity(unchecked) private var quota: RequestQuota
  @exclusivity(unchecked) private var isClosed = false
  /// The turn of the thread that works on the connection.
  @exclusivity(unchecked) private var turn = ConnectionTurn()
  /// Whether the turn has ended while there was more input.
  @exclusivity(unchecked) private var isTurnOver = false
  /// Whether the thread that works on the connection isn't a worker.
  @exclusivity(unchecked) private var isVisited = false
  private static let readLength = 16384

  /// Creates a connection that owns `descriptor`.
  init(
    token: UInt64, clock: ConnectionClock, descriptor: CInt, transport: any ByteTransport, client: Client,
    context: ConnectionContext, events: any EventQueue
  ) {
    (self.token, self.descriptor, self.transport) = (token, descriptor, transport)
    (self.client, self.context, self.events) = (client, context, events)
    let limits = context.limits(for: client)
    machine = ConnectionStateMachine(limits: limits)
    timeouts = ConnectionTimeouts(limits: limits, now: .now)
    quota = RequestQuota(client, context)
    execution = RequestExecution(clock)
    publishDeadline()
  }

  /// Begins to work, once the events of the socket are reported.
  func start() { if !signals.end() { handOver() } }

  // MARK: From any thread

  /// Stores signals, and returns whether the caller must `run` the connection because no other thread is working on it.
  func post(_ new: ConnectionSignals) -> Bool { signals.begin(new) }

  /// Stores signals, and wakes a worker to process them.
  func signal(_ new: ConnectionSignals) {
    signals.add(new)
    events.post(token)
  }

  /// Processes the body's signal on this thread, unless another is working on the connection.
  ///
  /// A worker goes on once the response has been sent, because the next request may take long.
  private func visit() {
    if post(.body) { run(isVisit: true) }
  }

  /// Processes signals of the connection until there are no more.
  ///
  /// - Parameter isVisit: Whether this thread only sends the response in progress.
  func run(isVisit: Bool = false) {
    turn = ConnectionTurn()
    isVisited = isVisit
    while true {
      work(signals.take())
      // A closed connection stays busy: no signal wakes it again.
      if isClosed { return }
      if isTurnOver { return handOver() }
      if signals.end() { return }
    }
  }

  /// Queues behind the connections that wait for a thread.
  ///
  /// Clients that pipeline requests without end would otherwise keep all threads.
  private func handOver() {
    isTurnOver = false
    signals.add(.event)
    signals.abandon()
    events.post(token)
  }

  /// Closes the connection if it waits for a request and its client has left, unless another thread works on it.
  ///
  /// A request that has arrived meanwhile is left to a worker.
  func closeIfDeparted() {
    guard post([]) else { return }
    if pending == nil, !output.isActive, input.readable.isEmpty, Socket.hasHungUp(descriptor) {
      transport.noteEvent(hasHungUp: true)
      if read(), input.readable.isEmpty { proceed() }
      isTurnOver = true
    }
    if !isClosed, isTurnOver || !signals.end() { handOver() }
  }

  /// Cancels the request in progress if it has been running for some time and its client has disconnected.
  func cancelIfDeparted(at now: Moment) { execution.cancelIfDeparted(from: descriptor, now: now) }

  // MARK: On the thread that works on the connection

  private func work(_ signals: ConnectionSignals) {
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

  private func proceed() {
    while !isClosed {
      if let pending {
        guard let answer = pending.take(orWake: { [weak self] in self?.signal(.answer) }) else { return }
        self.pending = nil
        deliver(answer)
        continue
      }
      if output.isActive {
        guard flush() else { return }
        if machine.isAnswering {
          quota.end()
          content = ReceivedContent()
        }
        if let action = machine.outputSent() { perform(action) }
        if isVisited {
          isTurnOver = true
          return
        }
        continue
      }
      isTurnOver = !input.readable.isEmpty && turn.isOver()
      if isTurnOver { return }
      let (consumed, action) = machine.receive(input.readable)
      input.consume(consumed)
      if case .read = action {
        // A refusal is the next action.
        guard hasRoomForContent() else { continue }
        guard read() else { return }
      } else {
        perform(action)
      }
    }
  }

  private func checkDeadline() {
    guard !isClosed, timeouts.isOver(now: .now) else { return }
    if !timeouts.isExpected { context.counters.timedOutConnections.increase() }
    perform(machine.timedOut())
    proceed()
  }

  /// Reads once; returns false if nothing can be done before the next event.
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
    case .interrupted:
      timeouts.wait(for: machine.waiting, now: .now)
      isTurnOver = true
      return false
    case .ended:
      machine.inputEnded()
      return true
    case .failed where transport.isPlainPeer:
      // Answer without encryption, as the request was sent.
      machine.refuse(.plainRequest)
      return true
    case .failed:
      close()
      return false
    }
  }

  /// Lets the body that is being sent release resources that others wait for.
  private func yieldBody() {
    guard !isClosed, output.isActive else { return }
    do {
      try execution.run { try output.yield() }
    } catch {
      context.logger.debug("A response ended early.", metadata: ["error": "\(error)"])
      close()
    }
  }

  /// Sends pending output; returns false if nothing can be done before the next event.
  private func flush() -> Bool {
    // If the client reads as fast as the body is generated, this loop never blocks, so it must look for an abort.
    while !signals.current.contains(.abort) {
      do {
        if output.needsFilling { try execution.run { try output.fill() } }
      } catch {
        context.logger.debug("A response ended early.", metadata: ["error": "\(error)"])
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
      case .wouldBlock, .interrupted:
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

  /// Called when a live body has nothing at the moment; returns true if the body was ended because the server shuts
  /// down.
  private func waitForBody() -> Bool {
    if transport.hasHungUp {
      close()
    } else if machine.isShuttingDown {
      output.finish()
      return true
    } else {
      // A listener may be idle for hours, so it keeps as little memory as possible.
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
      switch decision(about: request, head) {
      case .refuse(let response):
        context.counters.requests.increase()
        machine.reject()
        begin(response)
      case .receive(let isLong, let answer):
        considered = (request, answer)
        machine.takeContent(isLong: isLong)
      }
    case .keep(let part):
      keep(part)
    case .sendContinue:
      output.beginContinue()
    case .respond(let head, let content):
      context.counters.requests.increase()
      respond(to: head, content)
    case .refuse(let error):
      context.counters.refusedRequests.increase()
      begin(context.refusal(error, of: client.peer))
    case .linger:
      if client.admission != .full { context.clients.noteAnswer(token) }
      transport.endOutput()
      timeouts.wait(for: .forEnd, now: .now)
    case .close:
      close()
    }
  }

  /// Decides about a request whose content may not have arrived yet.
  private func decision(about request: HTTPRequest, _ head: HTTPRequestHead) -> HTTPDecision {
    if let error = quota.refusal(of: request) { return .refuse(context.refusal(error, of: request.peer)) }
    let decision = execution.run { context.handler.consider(request) }
    guard case .refuse(let response) = decision, case .length(let length) = head.framing,
      length <= input.readable.count
    else { return decision }
    return .receive { _ in .now(response) }
  }

  private func respond(to head: HTTPRequestHead, _ content: [UInt8]) {
    if var considered = considered.take() {
      considered.request.body = content
      execution.begin(considered.request.cancellation)
      return answer(considered.request, by: considered.answer)
    }
    let request = request(head, content: content)
    // The limits are checked once for each request.
    if let error = quota.refusal(of: request) { return begin(context.refusal(error, of: request.peer)) }
    answer(request)
  }

  private func request(_ head: HTTPRequestHead, content: [UInt8]) -> HTTPRequest {
    client.request(
      head, content, isSecure: transport.isSecure, execution.begin(), trusting: context.limits.trustedProxies)
  }

  /// - Parameter answer: What answers the request instead of the handler.
  private func answer(_ request: consuming HTTPRequest, by answer: ((HTTPRequest) -> HTTPAnswer)? = nil) {
    guard content.move(to: &request) else { return begin(context.refusal(.outOfSpace, of: request.peer)) }
    turn.answers(at: execution.resume())
    if let answer { deliver(answer(request)) } else { deliver(context.handler.answer(request)) }
  }

  private func deliver(_ answer: HTTPAnswer) {
    switch answer {
    case .now(let response):
      execution.pause()
      // A request that was cancelled because its client has disconnected has failed for no other reason.
      if response.status.code >= 500, execution.isCancelled { return close() }
      begin(response)
    case .later(let response):
      // The handler limits how long that may take; the client's timeouts don't apply.
      timeouts.clear()
      pending = response
    }
  }

  private func keep(_ part: [UInt8]) {
    if !content.store(part, in: context.spools, for: considered?.request.client) {
      machine.refuse(.outOfSpace)
    }
  }

  /// Refuses the request if there is no room for what has been received of its content.
  private func hasRoomForContent() -> Bool {
    let hasRoom = content.hold(machine.contentLength, of: context.contents, for: considered?.request.client)
    if !hasRoom { machine.refuse(.tooManyContents) }
    return hasRoom
  }

  private func begin(_ response: HTTPResponse) {
    timeouts.clear()
    // If shutdown began while the handler ran, the response must say `Connection: close` (RFC 9112 §9.6).
    if signals.current.contains(.shutdown) { machine.shutDown() }
    // A connection in the reserve gets one response.
    if client.admission != .full { machine.endAfterAnswer() }
    let framing = machine.framing(for: response)
    if framing.sendsContent, case .stream(let stream, _) = response.body {
      // A live stream wakes many connections for one write each, so they are served on the waking thread, maybe for hours.
      let isLive = stream.isLive
      if isLive { content = ReceivedContent() }
      // Not weakly, which would make all references slow: the stream is closed with the connection at the latest.
      stream.onReady { [self] in if isLive { visit() } else { signal(.body) } }
    }
    output.begin(response, framing: framing)
  }

  /// Publishes the deadline to the watch, unless the clock may already be that of another connection.
  private func publishDeadline() {
    if !isClosed { execution.clock.deadline = timeouts.deadline.nanoseconds }
  }

  private func close() {
    guard !isClosed else { return }
    isClosed = true
    execution.cancel()
    execution.end()
    // A response that is cut off must not look complete.
    if !output.isActive { transport.announceEnd() }
    output.close()
    (pending, considered, content) = (nil, nil, ReceivedContent())
    quota.end()
    timeouts.clear()
    events.forget(descriptor, token: token) { [descriptor] in Socket.close(descriptor) }
    context.table.remove(token)
    context.clients.close(client.address, client.admission == .full ? nil : token)
  }
}
