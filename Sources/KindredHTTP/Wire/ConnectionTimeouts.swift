/// Computes how long a connection may wait.
///
/// It does no I/O and reads no clock.
struct ConnectionTimeouts: Sendable {
  private let limits: HTTPLimits
  /// Nil while the connection isn't waiting for the client: these timeouts don't apply to the handler.
  private(set) var waiting: ConnectionStateMachine.Waiting?
  private var pace: TransferPace
  private var lingerEnd = Moment.never
  /// When the content, or the next `maxBodyLength` bytes of it, must be complete.
  private var contentEnd = Moment.never
  /// The number of content bytes received since `contentEnd` was set.
  private var contentLength = 0

  /// When to check the wait again.
  private(set) var deadline: Moment

  /// A client may go on sending after a refusal for at most this many times `lingerTimeout`.
  private static let lingerTimes = 10

  /// Creates the timeouts of a new connection.
  ///
  /// The time of the first request's header starts here and includes the TLS handshake, so that a silent client can't
  /// hold a connection.
  init(limits: HTTPLimits, now: Moment) {
    self.limits = limits
    waiting = .forRequest
    pace = TransferPace(idle: limits.idleTimeout, rate: limits.minTransferRate, now: now)
    deadline = now + limits.headerReadTimeout
  }

  /// Ends the wait.
  mutating func clear() {
    waiting = nil
    deadline = .never
  }

  /// Whether a connection whose wait has timed out ends as it should, and no request is cut off.
  var isExpected: Bool { waiting == .forRequest || waiting == .forLastRequest || waiting == .forEnd }

  /// Begins to wait for the client.
  ///
  /// If the connection is already waiting for the same, the time goes on.
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
    case .forLastRequest:
      deadline = now + limits.lingerTimeout
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

  /// Notes that the client has sent or received `count` bytes.
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
    case .forRequest, .forLastRequest, .forHead, .forBody, nil: break
    }
  }

  /// Returns whether the wait has timed out; if not, sets a new deadline.
  mutating func isOver(now: Moment) -> Bool {
    guard now >= deadline else { return false }
    switch waiting {
    case .forContent, .forOutput:
      if now >= contentEnd || pace.isTooSlow(now: now) { return true }
      deadline = transferDeadline
      return false
    case .forRequest, .forLastRequest, .forHead, .forBody, .forEnd, nil:
      return true
    }
  }
}

/// Measures whether a transfer is fast enough: it must progress within each `idle` period, at `rate` bytes per second
/// on average over the period.
struct TransferPace: Sendable {
  private let idle: Duration
  private let minBytes: Double
  private var windowStart: Moment
  private var windowBytes = 0
  private var lastProgress: Moment

  init(idle: Duration, rate: Int, now: Moment) {
    self.idle = idle
    minBytes = Double(rate) * idle.inSeconds
    windowStart = now
    lastProgress = now
  }

  /// Notes that bytes have been transferred.
  mutating func record(_ count: Int, now: Moment) {
    windowBytes += count
    lastProgress = now
  }

  /// When to check the transfer again.
  var deadline: Moment { min(lastProgress, windowStart) + idle }

  /// Returns whether the transfer must be given up.
  mutating func isTooSlow(now: Moment) -> Bool {
    if now >= lastProgress + idle { return true }
    guard now >= windowStart + idle else { return false }
    if Double(windowBytes) < minBytes { return true }
    windowStart = now
    windowBytes = 0
    return false
  }
}
