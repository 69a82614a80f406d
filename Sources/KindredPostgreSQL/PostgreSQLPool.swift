import Dispatch
import KindredClock
import KindredPooling
import Synchronization

/// A bounded number of connections to one database, opened on demand, each with one holder at a time.
///
/// Requests for a connection are served in the order in which they arrive. A connection that the server has closed
/// meanwhile is replaced. If the server refuses another one because it has too many, a request gets the next one that is
/// returned; for any other reason, it fails at once.
public final class PostgreSQLPool: Sendable {
  /// Counters of the pool, for metrics.
  public struct Statistics: Hashable, Sendable {
    /// The number of open connections.
    public var open = 0
    /// The number of connections in use.
    public var inUse = 0
    /// The number of requests that wait for a connection.
    public var waiting = 0
    /// The number of times that a request had to wait for a connection.
    public var waits = 0
    /// The number of times that a request gave up waiting.
    public var timeouts = 0
  }

  private struct Idle: @unchecked Sendable {
    // An idle connection has no holder, so the one that takes it is its only holder.
    let connection: PostgreSQLConnection
    /// Since when, in nanoseconds of `MonotonicTime`.
    var since: UInt64 = 0
  }

  private struct State {
    var idle: [Idle] = []
    var slots: SlotQueue
    var held = HeldConnections()
    /// The numbers of long results, and of holders that wait for locks, whose connections are beyond the slots.
    var extra = 0
    var lockWaits = 0

    /// The next step of a slot's holder to get a connection.
    enum Step {
      case take(Idle)
      case other(HeldConnections.Step)
    }

    /// Returns the calls that grant what a connection was counted as to the next requests.
    mutating func uncount(_ hold: LongHold?) -> [SlotQueue.Call?] {
      switch hold {
      case nil: return [slots.release()]
      case .slot: return [slots.releaseLong(), slots.release()]
      case .extra:
        extra -= 1
        return [slots.releaseLong()]
      case .lock:
        lockWaits -= 1
        return []
      }
    }

    mutating func step(_ attempt: HeldConnections.Attempt) -> Step {
      guard let connection = idle.popLast() else {
        return .other(slots.isClosed ? .fail(.lost("the pool is closed")) : held.step(attempt))
      }
      held.add()
      return .take(connection)
    }
  }

  private let state: Mutex<State>
  /// The database.
  public let target: ConnectionTarget
  private let checkoutMilliseconds: Int
  /// The connections that this pool and others may have open together.
  public let budget: ConnectionBudget
  /// The largest number of connections beyond the slots, for long results.
  private let extraCount: Int

  /// Beyond the extra connections, long results may hold half of the slots.
  private static func longCount(_ size: Int, _ extra: Int) -> Int { max(1, extra + size / 2) }

  /// Creates a pool, which opens no connection yet.
  ///
  /// - Parameters:
  ///   - size: The maximum number of connections, at least one.
  ///   - extra: The number of connections beyond those for long results; nil for as many.
  ///   - checkoutTimeout: The milliseconds for which `take()` waits for a connection.
  ///   - budget: The connections that this pool and others may have open together; nil for no other limit.
  public init(
    _ target: ConnectionTarget, size: Int, extra: Int? = nil, checkoutTimeout: Int,
    budget: ConnectionBudget? = nil
  ) {
    self.target = target
    self.budget = budget ?? ConnectionBudget(limit: .max)
    extraCount = extra ?? max(1, size)
    state = Mutex(
      State(slots: SlotQueue(count: size, longCount: Self.longCount(size, extraCount))))
    checkoutMilliseconds = checkoutTimeout
    self.budget.add(self)
  }

  deinit { close() }

  /// Returns a pool of other connections to the same database, of the same budget.
  public func sibling(size: Int) -> PostgreSQLPool {
    PostgreSQLPool(target, size: size, extra: 0, checkoutTimeout: checkoutMilliseconds, budget: budget)
  }

  /// The current counters.
  public var statistics: Statistics {
    state.withLock { state in
      var statistics = Statistics()
      statistics.inUse = state.slots.taken + state.extra + state.lockWaits
      statistics.waiting = state.slots.waiting
      statistics.open = state.held.count + state.idle.count
      (statistics.waits, statistics.timeouts) = (state.slots.waits, state.slots.timeouts)
      return statistics
    }
  }

  // MARK: Taking

  /// Takes or opens a connection, and waits for one if necessary.
  ///
  /// - Parameter deadline: The time by which it must have one, in nanoseconds of `MonotonicTime`, if that is before the
  ///   pool's own limit.
  /// - Throws: `PostgreSQLError`, with `53300` if none became free in time.
  public func take(until deadline: UInt64? = nil) throws(PostgreSQLError) -> sending PostgreSQLConnection {
    if let connection = try takeIfFree(until: deadline) { return connection }
    let isGranted = DispatchSemaphore(value: 0)
    let number = enqueue { _ in isGranted.signal() }
    guard isGranted.wait(timeout: end(deadline)) == .success else {
      withdraw(number, isOverdue: true)
      throw PostgreSQLError(.tooManyConnections, "all connections are in use")
    }
    return try take(number, until: deadline)
  }

  /// Takes or opens a connection; nil if none is free, or others are waiting.
  ///
  /// - Throws: `PostgreSQLError`.
  public func takeIfFree(
    until deadline: UInt64? = nil
  ) throws(PostgreSQLError) -> sending PostgreSQLConnection? {
    state.withLock({ $0.slots.takeIfFree() }) ? try connection(until: deadline) : nil
  }

  /// Returns the end of the pool's own limit, or a deadline before it.
  private func end(_ deadline: UInt64?) -> DispatchTime {
    let now = MonotonicTime.now()
    let limit = UInt64(checkoutMilliseconds) * 1_000_000
    let left = min(limit, deadline.map { $0 > now ? $0 - now : 0 } ?? limit)
    return .now() + .nanoseconds(Int(clamping: left))
  }

  /// Queues for a connection; `onGrant` is called once with the number that is returned, on any thread and maybe before
  /// this returns, when ``take(_:)`` can take it.
  ///
  /// - Parameter isLong: Whether it is for a long result; then `take(_:after:)` needs the hold of ``longHold(of:)``.
  public func enqueue(isLong: Bool = false, _ onGrant: @escaping SlotQueue.Grant) -> UInt64 {
    let (number, isGranted) = state.withLock { $0.slots.enqueue(isLong: isLong, onGrant) }
    if isGranted { onGrant(number) }
    return number
  }

  /// Returns how the connection of a waiter is counted that has queued for a long result, and has been granted a slot;
  /// nil for others.
  public func longHold(of number: UInt64) -> LongHold? {
    state.withLock { $0.slots.isLong(number) ? .slot : nil }
  }

  /// Takes or opens the connection of a waiter that has been granted a slot.
  ///
  /// - Parameter hold: How it is counted, if it has queued for a long result.
  /// - Throws: `PostgreSQLError`.
  public func take(
    _ number: UInt64, after hold: LongHold? = nil, until deadline: UInt64? = nil
  ) throws(PostgreSQLError) -> sending PostgreSQLConnection {
    guard state.withLock({ $0.slots.claim(number) }) else {
      throw PostgreSQLError(.tooManyConnections, "it is not this waiter's turn")
    }
    return try connection(after: hold, until: deadline)
  }

  /// Removes a waiter from the queue, or returns the slot it was granted; does nothing if its connection has been
  /// taken.
  public func withdraw(_ number: UInt64, isOverdue: Bool = false) {
    let grantNext = state.withLock { $0.slots.withdraw(number, isOverdue: isOverdue) }
    grantNext?()
  }

  /// Resets a connection for another attempt of its holder, and replaces a lost one.
  ///
  /// - Parameter hold: How it is counted, if it is held for long.
  /// - Throws: `PostgreSQLError` if no connection can be opened; the holder has none then.
  public func renew(
    _ connection: PostgreSQLConnection, after hold: LongHold? = nil, until deadline: UInt64? = nil
  ) throws(PostgreSQLError) -> PostgreSQLConnection {
    connection.relinquish()
    guard connection.isBroken else { return connection }
    close(connection)
    return try self.connection(after: hold, until: deadline)
  }

  /// Takes or opens a connection for the holder of a slot, or of what it was passed on for.
  private func connection(
    after hold: LongHold? = nil, until deadline: UInt64?
  ) throws(PostgreSQLError) -> sending PostgreSQLConnection {
    let end = end(deadline)
    var attempt = HeldConnections.Attempt.first
    while true {
      switch state.withLock({ $0.step(attempt) }) {
      case .take(let idle):
        if !idle.connection.hasEnded { return idle.connection }
        close(idle.connection)
      case .other(.open):
        do throws(PostgreSQLError) {
          try budget.reserve(until: end)
        } catch {
          release(hold)
          throw error
        }
        do throws(PostgreSQLError) {
          let new = Idle(connection: try opened(until: end))
          state.withLock { $0.held.add() }
          return new.connection
        } catch {
          budget.release()
          guard error.refusal == .tooManyConnections else {
            release(hold)
            throw error
          }
          attempt = .refused(error)
        }
      case .other(.wait(let handover)):
        // From time to time it asks the server again.
        let isOver = handover.wait(until: min(end, .now() + .seconds(1)))
        if !isOver { state.withLock { $0.held.withdraw(handover) } }
        attempt = isOver ? .another : .first
        if let passed = handover.connection {
          let idle = Idle(connection: passed)
          if !idle.connection.hasEnded { return idle.connection }
          close(idle.connection)
        } else if end <= .now() {
          release(hold)
          throw handover.refusal
        }
      case .other(.fail(let error)):
        release(hold)
        throw error
      }
    }
  }

  /// Opens a connection, for which a place is reserved; if the server has too many, connections of other pools give way
  /// first: idle ones at once, others if this pool has no connection.
  private func opened(until end: DispatchTime) throws(PostgreSQLError) -> sending PostgreSQLConnection {
    while true {
      let refusal: PostgreSQLError
      do throws(PostgreSQLError) {
        return try PostgreSQLConnection(target, until: end.monotonic)
      } catch {
        refusal = error
      }
      guard refusal.refusal == .tooManyConnections, DispatchTime.now() < end else { throw refusal }
      if state.withLock({ $0.held.count > 0 }) {
        guard budget.closeIdle() else { throw refusal }
      } else {
        // From time to time it asks the server again, which may have room for other reasons.
        let pause = DispatchTime.now() + .milliseconds(Self.timeToAsk)
        guard budget.makeRoom(until: min(end, pause)) || budget.canMakeRoom else { throw refusal }
      }
      // The server takes a moment to end the session of a connection that has been closed.
      _ = DispatchSemaphore(value: 0).wait(timeout: .now() + .milliseconds(Self.timeToEnd))
    }
  }

  /// The milliseconds that the server has to end a session.
  private static let timeToEnd = 20
  /// The milliseconds after which the pool tries again to connect to a full server.
  private static let timeToAsk = 500

  /// Closes a connection that has a holder.
  private func close(_ connection: PostgreSQLConnection) {
    connection.close()
    state.withLock { $0.held.remove(isClosed: true) }
    budget.release()
  }

  /// Takes the connection that has been idle for longest, if that is since before a time, and more than so many are.
  func takeIdle(before time: UInt64, keeping count: Int) -> sending PostgreSQLConnection? {
    let idle = state.withLock { state -> Idle? in
      guard state.idle.count > count, let first = state.idle.first, first.since < time else { return nil }
      return state.idle.removeFirst()
    }
    return idle?.connection
  }

  // MARK: Long results

  /// Notes that a client may hold a connection for an unlimited time, and passes its slot to another request if there are
  /// extra connections for long results.
  ///
  /// - Parameter hold: How the connection is counted so far.
  /// - Returns: How it is counted from now on; nil if long results hold as many connections as they may, and nothing has
  ///   changed.
  public func holdLong(_ hold: LongHold? = nil) -> LongHold? {
    switch hold {
    case .extra, .lock: return hold
    case nil, .slot: break
    }
    let (new, grantNext) = state.withLock { state -> (LongHold?, SlotQueue.Call?) in
      guard hold == .slot || state.slots.takeLong() else { return (nil, nil) }
      guard state.extra < extraCount else { return (.slot, nil) }
      state.extra += 1
      return (.extra, state.slots.release())
    }
    grantNext?()
    return new
  }

  /// Passes the slot of a connection to another request, because its holder waits for a lock; the caller limits how many
  /// do.
  ///
  /// - Parameter hold: How the connection is counted so far.
  public func passSlot(_ hold: LongHold? = nil) -> LongHold {
    let grants = state.withLock { state in
      let grants = state.uncount(hold)
      state.lockWaits += 1
      return grants
    }
    for grantNext in grants { grantNext?() }
    return .lock
  }

  // MARK: Giving back

  /// Takes a connection back, and undoes what its holder has left behind.
  ///
  /// - Parameter hold: How it was counted, if it was held for long.
  public func giveBack(_ connection: PostgreSQLConnection, after hold: LongHold? = nil) {
    // Outside the lock, because a rollback may take long.
    connection.relinquish()
    let returned = Idle(connection: connection, since: MonotonicTime.now())
    // Someone who has no connection goes before those who would open none.
    let isWantedElsewhere = budget.isWanted
    let (grants, isClosed) = state.withLock { state -> ([SlotQueue.Call?], Bool) in
      let isInSlot = hold == nil || hold == .slot
      let isWanted = isInSlot || state.slots.taken + state.idle.count < state.slots.count
      let isUsable = !returned.connection.isBroken && !returned.connection.isOutdated
      let isKept = !state.slots.isClosed && isUsable && !isWantedElsewhere
      var isClosed = false
      if !isKept || !state.held.pass(returned.connection) {
        isClosed = !isKept || !isWanted
        if !isClosed { state.idle.append(returned) }
        state.held.remove(isClosed: isClosed)
      }
      return (state.uncount(hold), isClosed)
    }
    if isClosed {
      returned.connection.close()
      budget.release()
    } else if budget.isWanted, let idle = takeIdle(before: .max, keeping: 0) {
      // Someone has begun to wait meanwhile.
      idle.close()
      budget.release()
    }
    for grantNext in grants { grantNext?() }
  }

  /// Closes idle connections, which a failure of the server may have ended all at once.
  public func closeIdle() {
    let idle = state.withLock { state in
      defer { state.idle = [] }
      return state.idle
    }
    for one in idle {
      one.connection.close()
      budget.release()
    }
  }

  /// Returns what counts a connection: a slot, which goes to the next request, or the place of a long result.
  private func release(_ hold: LongHold? = nil) {
    let grants = state.withLock { $0.uncount(hold) }
    for grantNext in grants { grantNext?() }
  }

  /// Closes idle connections now and others when they are returned; waiters get an error from ``take(_:)``.
  public func close() {
    let grantAll = state.withLock { state in
      state.held.endWaits()
      return state.slots.close()
    }
    closeIdle()
    grantAll()
  }
}
