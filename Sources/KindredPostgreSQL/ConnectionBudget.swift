import Dispatch
import KindredClock
import Synchronization

/// The connections to one database that several pools may have open together, whatever they are for.
///
/// A pool reserves a place for a connection before it opens it. If there is no place, a connection that is idle in any of
/// the pools gives way; if none is idle, places are granted in order of arrival as connections are returned.
public final class ConnectionBudget: Sendable {
  /// Someone who waits, on a thread, until a connection has been closed for it.
  private final class Waiter: Sendable {
    let isGranted = DispatchSemaphore(value: 0)
    /// Whether it needs a place; otherwise it has one, and the server has refused to open a connection.
    let needsPlace: Bool

    init(needsPlace: Bool) { self.needsPlace = needsPlace }
  }

  private struct State {
    var taken = 0
    var waiters: [Waiter] = []
    var pools: [Member] = []
    var timer: Timer?

    /// Takes a place; returns false if there is none, or others wait for one.
    mutating func takePlace(_ limit: Int) -> Bool {
      guard taken < limit, waiters.isEmpty else { return false }
      taken += 1
      return true
    }

    /// Whether others hold connections, of which one may be closed.
    var canMakeRoom: Bool { taken > 1 + waiters.count { !$0.needsPlace } }
  }

  private struct Member {
    weak var pool: PostgreSQLPool?
  }

  private struct Timer: @unchecked Sendable {
    // A source may be used by any thread.
    let source: any DispatchSourceTimer
  }

  /// The largest number of open connections.
  public let limit: Int
  private let state = Mutex(State())

  /// The nanoseconds after which an idle connection is closed, and the seconds between two looks at them.
  private static let idleTime: UInt64 = 60_000_000_000
  private static let interval = 15

  /// Creates a budget of at least one connection.
  public init(limit: Int) { self.limit = max(1, limit) }

  deinit { state.withLock { $0.timer?.source.cancel() } }

  /// The number of places that are taken.
  public var taken: Int { state.withLock { $0.taken } }

  // MARK: Pools

  /// Adds a pool, whose idle connections give way to those of others, and are closed after a minute.
  func add(_ pool: PostgreSQLPool) {
    // Held meanwhile, so that none ends while the lock is held.
    let known = pools
    state.withLock { state in
      state.pools = (known + [pool]).map { Member(pool: $0) }
      guard state.timer == nil else { return }
      let source = DispatchSource.makeTimerSource(queue: .global())
      source.schedule(
        deadline: .now() + .seconds(Self.interval), repeating: .seconds(Self.interval), leeway: .seconds(1))
      source.setEventHandler { [weak self] in self?.closeUnused() }
      source.activate()
      state.timer = Timer(source: source)
    }
  }

  private var pools: [PostgreSQLPool] { state.withLock { $0.pools.compactMap(\.pool) } }

  /// Closes what has been idle for long, but for one connection of each pool.
  private func closeUnused() {
    let now = MonotonicTime.now()
    for pool in pools {
      while let connection = pool.takeIdle(before: now > Self.idleTime ? now - Self.idleTime : 0, keeping: 1)
      {
        connection.close()
        release()
      }
    }
  }

  // MARK: Places

  /// Takes a place for a connection, and waits for one if necessary.
  ///
  /// - Throws: `PostgreSQLError` with `53300` if none became free in time.
  func reserve(until end: DispatchTime) throws(PostgreSQLError) {
    if state.withLock({ $0.takePlace(limit) }) { return }
    // Its place is the caller's now.
    if closeAnyIdle() { return }
    let waiter = Waiter(needsPlace: true)
    let isTaken = state.withLock { state in
      if state.takePlace(limit) { return true }
      state.waiters.append(waiter)
      return false
    }
    if isTaken { return }
    // One may have become idle before the wait was known.
    _ = closeIdle()
    guard !isGranted(waiter, until: end) else { return }
    throw PostgreSQLError(.tooManyConnections, "all connections are in use")
  }

  /// Waits until the server may have room for another connection, after it has refused one.
  ///
  /// - Returns: Whether a connection has been closed for it.
  func makeRoom(until end: DispatchTime) -> Bool {
    if closeIdle() { return true }
    let waiter = Waiter(needsPlace: false)
    let canWait = state.withLock { state in
      guard state.canMakeRoom else { return false }
      state.waiters.append(waiter)
      return true
    }
    return canWait && isGranted(waiter, until: end)
  }

  /// Whether others hold connections, of which one may be closed.
  var canMakeRoom: Bool { state.withLock(\.canMakeRoom) }

  private func isGranted(_ waiter: Waiter, until end: DispatchTime) -> Bool {
    if waiter.isGranted.wait(timeout: end) == .success { return true }
    let isWithdrawn = state.withLock { state in
      let count = state.waiters.count
      state.waiters.removeAll { $0 === waiter }
      return state.waiters.count < count
    }
    // Otherwise it has been granted at the last moment.
    return !isWithdrawn
  }

  /// Whether someone waits for a connection to be closed.
  var isWanted: Bool { state.withLock { !$0.waiters.isEmpty } }

  /// Gives up the place of a connection that has been closed; the request that has waited longest gets it.
  func release() {
    let next = state.withLock { state -> Waiter? in
      guard !state.waiters.isEmpty else {
        state.taken -= 1
        return nil
      }
      let next = state.waiters.removeFirst()
      if !next.needsPlace { state.taken -= 1 }
      return next
    }
    next?.isGranted.signal()
  }

  /// Closes an idle connection of any pool, whose place is the caller's from then on; returns whether there was one.
  private func closeAnyIdle() -> Bool {
    for pool in pools {
      guard let connection = pool.takeIdle(before: .max, keeping: 0) else { continue }
      connection.close()
      return true
    }
    return false
  }

  /// Closes the idle connections of all pools, which a failure of the server may have ended all at once.
  public func closeAllIdle() {
    for pool in pools { pool.closeIdle() }
  }

  /// Closes an idle connection of any pool, and gives up its place; returns whether there was one.
  public func closeIdle() -> Bool {
    guard closeAnyIdle() else { return false }
    release()
    return true
  }
}
