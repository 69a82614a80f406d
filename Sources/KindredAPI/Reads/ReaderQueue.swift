import Dispatch
import KindredBackend
import KindredClock
import KindredHTTP
import Synchronization

/// The requests that wait for a reading connection.
///
/// A waiting request occupies no thread. Requests are served in order of arrival, and a wait ends when the request's
/// time is up or its client disconnects. While requests wait, results with slow clients must release their
/// connections.
final class ReaderQueue: Sendable {
  private struct State {
    var parked: [ObjectIdentifier: ParkedRequest] = [:]
    /// Whether a tick is scheduled.
    var isTicking = false
  }

  private let pool: any ReaderPool
  private let snapshots: HeldSnapshots
  private let state = Mutex(State())
  private let clock = DispatchQueue(label: "kindred.readers")

  /// How often deadlines and slow clients are checked while requests wait.
  private static let tick = DispatchTimeInterval.milliseconds(50)

  init(pool: any ReaderPool, _ snapshots: HeldSnapshots) {
    self.pool = pool
    self.snapshots = snapshots
  }

  /// Parks a request until its turn.
  ///
  /// `resume` is called once: with its ticket, or with nil if its time is up or its client has disconnected.
  ///
  /// - Parameters:
  ///   - isLong: Whether it needs one of the connections for long results.
  ///   - deadline: In nanoseconds of `MonotonicTime`; nil for none.
  func park(
    forLongResult isLong: Bool, until deadline: UInt64?, _ cancellation: HTTPCancellation,
    _ resume: @escaping @Sendable (ReaderTicket?) -> Void
  ) {
    let request = ParkedRequest(deadline: deadline, resume)
    state.withLock { $0.parked[ObjectIdentifier(request)] = request }
    request.queue(in: pool, forLongResult: isLong)
    cancellation.onCancel { [weak request] in request?.end(isOverdue: false) }
    look()
  }

  /// Checks deadlines and slow clients, repeatedly while requests wait.
  private func look() {
    let now = MonotonicTime.now()
    var overdue: [ParkedRequest] = []
    let (waiting, isDue) = state.withLock { state in
      state.parked = state.parked.filter { $0.value.isWaiting }
      overdue = state.parked.values.filter { $0.deadline.map { $0 <= now } ?? false }
      defer { state.isTicking = !state.parked.isEmpty }
      return (state.parked.count - overdue.count, !state.parked.isEmpty && !state.isTicking)
    }
    for request in overdue { request.end(isOverdue: true) }
    if waiting > 0 { snapshots.release(for: waiting) }
    if isDue { scheduleTick() }
  }

  private func scheduleTick() {
    clock.asyncAfter(deadline: .now() + Self.tick) { [weak self] in
      guard let self else { return }
      state.withLock { $0.isTicking = false }
      look()
    }
  }
}
