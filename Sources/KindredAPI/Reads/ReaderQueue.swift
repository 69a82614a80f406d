import Dispatch
import Foundation
import KindredBackend
import KindredClock
import KindredHTTP
import Synchronization

/// The requests that wait for a reading connection, and the results that hold one while they are sent.
///
/// A waiting request occupies no thread. Requests are served in order of arrival, and a wait ends when the request's
/// time is up or its client disconnects. While requests wait, results with slow clients must release their
/// connections.
final class ReaderQueue: Sendable {
  private struct State {
    var parked: [ObjectIdentifier: ParkedRequest] = [:]
    var held: [ObjectIdentifier: HeldReader] = [:]
    /// Whether a tick is scheduled.
    var isTicking = false
  }

  private let pool: any ReaderPool
  private let state = Mutex(State())
  private let clock = DispatchQueue(label: "kindred.readers")

  /// How often deadlines and slow clients are checked while requests wait.
  private static let tick = DispatchTimeInterval.milliseconds(50)
  /// The time in nanoseconds after which a client that hasn't taken the last part counts as slow.
  private static let slowness: UInt64 = 20_000_000
  /// The waiting time in nanoseconds after which the slowest client is disconnected if nothing else helps.
  private static let patience: UInt64 = 1_000_000_000
  /// How many results are read to their end at the same time: more would only take longer.
  private static let concurrency = max(1, ProcessInfo.processInfo.activeProcessorCount)

  init(pool: any ReaderPool) { self.pool = pool }

  // MARK: Waiting

  /// Parks a request until its turn.
  ///
  /// `resume` is called once: with its ticket, or with nil if its time is up or its client has disconnected.
  ///
  /// - Parameter deadline: In nanoseconds of `MonotonicTime`; nil for none.
  func park(
    until deadline: UInt64?, _ cancellation: HTTPCancellation,
    _ resume: @escaping @Sendable (ReaderTicket?) -> Void
  ) {
    let request = ParkedRequest(since: MonotonicTime.now(), deadline: deadline, resume)
    state.withLock { $0.parked[ObjectIdentifier(request)] = request }
    request.queue(in: pool)
    cancellation.onCancel { [weak request] in request?.end() }
    look()
  }

  /// Checks deadlines and slow clients, repeatedly while requests wait.
  private func look() {
    let now = MonotonicTime.now()
    var overdue: [ParkedRequest] = []
    var slow: [HeldReader] = []
    let isDue = state.withLock { state -> Bool in
      state.parked = state.parked.filter { $0.value.isWaiting }
      overdue = state.parked.values.filter { $0.deadline.map { $0 <= now } ?? false }
      let longest = state.parked.values.map(\.since).min()
      slow = Self.slowest(
        of: state.held.values, for: state.parked.count - overdue.count, now: now,
        isUrgent: longest.map { $0 + Self.patience < now } ?? false)
      defer { state.isTicking = !state.parked.isEmpty }
      return !state.parked.isEmpty && !state.isTicking
    }
    for request in overdue { request.end() }
    for reader in slow { reader.wake() }
    if isDue { scheduleTick() }
  }

  private func scheduleTick() {
    clock.asyncAfter(deadline: .now() + Self.tick) { [weak self] in
      guard let self else { return }
      state.withLock { $0.isTicking = false }
      look()
    }
  }

  // MARK: Slow clients

  /// Registers a result that holds its connection while it is sent.
  func hold(_ reader: HeldReader) { state.withLock { $0.held[ObjectIdentifier(reader)] = reader } }

  /// Unregisters a result that has released its connection.
  func release(_ reader: HeldReader) {
    _ = state.withLock { $0.held.removeValue(forKey: ObjectIdentifier(reader)) }
  }

  /// Returns the results that have waited longest for their clients, as many as there are requests waiting.
  private static func slowest(
    of held: some Collection<HeldReader>, for count: Int, now: UInt64, isUrgent: Bool
  ) -> [HeldReader] {
    let asked = held.count { $0.demand == .release }
    let wanted = min(count, concurrency) - asked
    guard wanted > 0 else { return [] }
    let idle = held.filter { $0.idleSince != 0 && $0.idleSince + slowness < now }
      .sorted { $0.idleSince < $1.idleSince }
    let first = Array(idle.filter { $0.demand == .none }.prefix(wanted))
    for reader in first { reader.ask(.release) }
    if !first.isEmpty || asked > 0 || !isUrgent { return first }
    // No result can release its connection otherwise.
    guard let last = idle.first(where: { $0.demand == .unable }) else { return [] }
    last.ask(.end)
    return [last]
  }
}
