/// How long a connection waits for what it waits for.
///
/// Without I/O, and without a clock of its own.
struct ConnectionTimeouts: Sendable {
  private let limits: HTTPLimits
  /// Nil while nothing is waited for: a request's time-outs don't apply to its handler.
  private(set) var waiting: ConnectionStateMachine.Waiting?
  private var pace: TransferPace
  private var lingerEnd = Moment.never
  /// When the content has to be there, or the next `maxBodyLength` of it.
  private var contentEnd = Moment.never
  /// Bytes of the content that have come since `contentEnd` was set.
  private var contentLength = 0

  /// When the waiting is to be looked at again.
  private(set) var deadline: Moment

  /// What a client may still send after a refusal, for this many times `lingerTimeout` in all.
  private static let lingerTimes = 10

  /// At the beginning of a connection: the first request's time runs from here, the handshake of TLS included,
  /// so that a connection can't be held by saying nothing.
  init(limits: HTTPLimits, now: Moment) {
    self.limits = limits
    waiting = .forRequest
    pace = TransferPace(idle: limits.idleTimeout, rate: limits.minTransferRate, now: now)
    deadline = now + limits.headerReadTimeout
  }

  /// Nothing is waited for.
  mutating func clear() {
    waiting = nil
    deadline = .never
  }

  /// Nothing goes on before the client does something.
  ///
  /// Repeated, it goes on with the time that has begun.
  mutating func wait(for new: ConnectionStateMachine.Waiting, now: @autoclosure () -> Moment) {
    if new != waiting {
      waiting = new
      begin(new, now: now())
    } else if new == .forContent || new == .forOutput {
      deadline = transferDeadline
    }
  }

  private mutating func begin(_ new: ConnectionStateMachine.Waiting, now: Moment) {
    switch new {
    case .forRequest:
      deadline = now + limits.idleTimeout
    case .forHead:
      deadline = now + limits.headerReadTimeout
    case .forContent, .forOutput:
      pace = TransferPace(idle: limits.idleTimeout, rate: limits.minTransferRate, now: now)
      contentEnd = new == .forContent ? now + limits.bodyReadTimeout : .never
      contentLength = 0
      deadline = transferDeadline
    case .forEnd:
      lingerEnd = now + limits.lingerTimeout * Self.lingerTimes
      deadline = now + limits.lingerTimeout
    case .forBody:
      deadline = .never
    }
  }

  private var transferDeadline: Moment { min(pace.deadline, contentEnd) }

  /// The client has sent, or has taken, this many bytes.
  mutating func moved(_ count: Int, now: @autoclosure () -> Moment) {
    switch waiting {
    case .forContent:
      let now = now()
      pace.record(count, now: now)
      contentLength += count
      if contentLength > limits.maxBodyLength {
        contentLength = 0
        contentEnd = now + limits.bodyReadTimeout
      }
    case .forOutput: pace.record(count, now: now())
    case .forEnd: deadline = min(now() + limits.lingerTimeout, lingerEnd)
    case .forRequest, .forHead, .forBody, nil: break
    }
  }

  /// Whether the time is over; otherwise there is a new deadline.
  mutating func isOver(now: Moment) -> Bool {
    guard now >= deadline else { return false }
    switch waiting {
    case .forContent, .forOutput:
      if now >= contentEnd || pace.isTooSlow(now: now) { return true }
      deadline = transferDeadline
      return false
    case .forRequest, .forHead, .forBody, .forEnd, nil:
      return true
    }
  }
}
