import CKindredSQLite
import Dispatch
import KindredClock
import KindredPooling
import Synchronization

/// A bounded number of connections of one kind, opened on demand, each with one holder at a time.
///
/// Requests for a connection are served in the order in which they arrive.
final class ConnectionSlots: Sendable {
  /// Counters of the slots.
  struct Counters {
    var open = 0
    var inUse = 0
    var waiting = 0
    var waits = 0
    var timeouts = 0
    var cacheHits = 0
    var cacheMisses = 0
  }

  private struct Idle: @unchecked Sendable {
    // An idle connection has no holder, so the one that takes it is its only holder.
    let connection: Connection
  }

  private struct State {
    var idle: [Idle] = []
    /// The connections in use, so that none is returned twice or to the wrong pool; few enough for a search.
    var held: [ObjectIdentifier] = []
    var slots: SlotQueue
    var counters = Counters()
    /// When a snapshot was last given back, in nanoseconds of `MonotonicTime`.
    var lastReturn: UInt64 = 0
    /// The number of commits that are running, during which no snapshot is kept.
    var commits = 0
    /// Whether the end of kept snapshots is scheduled.
    var isTicking = false

    /// Returns whether the next holder is likely to come soon enough to take over the snapshot that is given back.
    mutating func expectsHolder(at time: UInt64, within age: UInt64) -> Bool {
      defer { lastReturn = time }
      return commits == 0 && time < lastReturn + age / 2
    }

    /// Takes an idle connection for the holder of a slot; nil if one has to be opened.
    mutating func takeIdle() throws -> Idle? {
      // Nobody waits for a slot of a closed queue, so it need not be given back.
      guard !slots.isClosed else { throw DatabaseError.misuse("the pool is closed") }
      guard let idle = idle.popLast() else { return nil }
      held.append(ObjectIdentifier(idle.connection))
      return idle
    }

    /// Keeps a connection without a holder, unless it is closed.
    mutating func put(_ connection: Idle, isCurrent: Bool, at index: Int) {
      if slots.isClosed || !isCurrent { counters.open -= 1 } else { idle.insert(connection, at: index) }
    }
  }

  private let state: Mutex<State>
  /// The time for which `checkOut()` waits; nil for no limit.
  private let timeout: DispatchTimeInterval?
  /// Opens a connection, and waits for locks until a time.
  private let open: @Sendable (_ deadline: UInt64?) throws -> Connection
  /// The nanoseconds for which a snapshot may be kept for the next holder; 0 for not at all.
  private let snapshotAge: UInt64
  private let clock = DispatchQueue(label: "kindred.connections")
  /// Whether a connection that is returned may be used again.
  private let isCurrent: @Sendable (Connection) -> Bool

  init(
    count: Int, timeoutMilliseconds: Int?, snapshotAge: UInt64 = 0,
    isCurrent: @escaping @Sendable (Connection) -> Bool = { _ in true },
    open: @escaping @Sendable (_ deadline: UInt64?) throws -> Connection
  ) {
    self.snapshotAge = snapshotAge
    self.isCurrent = isCurrent
    state = Mutex(State(slots: SlotQueue(count: count)))
    timeout = timeoutMilliseconds.map { .milliseconds($0) }
    self.open = open
  }

  var counters: Counters {
    state.withLock { state in
      var counters = state.counters
      counters.inUse = state.held.count
      counters.waiting = state.slots.waiting
      (counters.waits, counters.timeouts) = (state.slots.waits, state.slots.timeouts)
      return counters
    }
  }

  // MARK: Taking

  /// Takes or opens a connection, and waits for one if necessary.
  ///
  /// - Parameters:
  ///   - withSnapshot: Whether it may have a snapshot that was kept; its holder must begin by
  ///     ``Connection/takeSnapshot()``.
  ///   - deadline: When it must be open, in nanoseconds of `MonotonicTime`; nil for no limit but that of locks.
  func checkOut(withSnapshot: Bool = false, before deadline: UInt64? = nil) throws -> sending Connection {
    if let connection = try checkOutIfFree(withSnapshot: withSnapshot, before: deadline) { return connection }
    let isGranted = DispatchSemaphore(value: 0)
    let number = enqueue { isGranted.signal() }
    let end = timeout.map { DispatchTime.now() + $0 } ?? .distantFuture
    guard isGranted.wait(timeout: end) == .success else {
      withdraw(number, isOverdue: true)
      throw DatabaseError(extendedCode: SQLITE_BUSY, message: "all connections are in use")
    }
    return try take(number, withSnapshot: withSnapshot, before: deadline)
  }

  /// Takes or opens a connection; nil if none is free, or others are waiting.
  func checkOutIfFree(
    withSnapshot: Bool = false, before deadline: UInt64? = nil
  ) throws -> sending Connection? {
    let (isFree, idle) = try state.withLock { state -> (Bool, Idle?) in
      guard state.slots.takeIfFree() else { return (false, nil) }
      return (true, try state.takeIdle())
    }
    guard isFree else { return nil }
    return try connection(idle, withSnapshot: withSnapshot, before: deadline)
  }

  /// Queues for a connection; `onGrant` is called once, on any thread, when `take(_:)` can take it.
  func enqueue(_ onGrant: @escaping @Sendable () -> Void) -> UInt64 {
    let (number, isGranted) = state.withLock { $0.slots.enqueue { _ in onGrant() } }
    if isGranted { onGrant() }
    return number
  }

  /// Takes or opens the connection of a waiter that has been granted a slot.
  func take(
    _ number: UInt64, withSnapshot: Bool = false, before deadline: UInt64? = nil
  ) throws -> sending Connection {
    let idle = try state.withLock { state in
      guard state.slots.claim(number) else { throw DatabaseError.misuse("it is not this waiter's turn") }
      return try state.takeIdle()
    }
    return try connection(idle, withSnapshot: withSnapshot, before: deadline)
  }

  /// Removes a waiter from the queue, or returns the slot it was granted; does nothing if its connection has been
  /// taken.
  func withdraw(_ number: UInt64, isOverdue: Bool) {
    let grantNext = state.withLock { $0.slots.withdraw(number, isOverdue: isOverdue) }
    grantNext?()
  }

  private func connection(
    _ idle: Idle?, withSnapshot: Bool, before deadline: UInt64?
  ) throws -> sending Connection {
    guard let idle else { return try openInSlot(before: deadline) }
    if !withSnapshot { idle.connection.endSnapshot() }
    return idle.connection
  }

  private func openInSlot(before deadline: UInt64?) throws -> sending Connection {
    do {
      let new = Idle(connection: try open(deadline))
      state.withLock { state in
        state.counters.open += 1
        state.held.append(ObjectIdentifier(new.connection))
      }
      return new.connection
    } catch {
      let grantNext = state.withLock { $0.slots.release() }
      grantNext?()
      throw error
    }
  }

  // MARK: Giving back

  /// Takes a connection back, and undoes what its holder has left behind.
  ///
  /// - Parameter keepsSnapshot: Whether the next holder may take over the transaction of ``Connection/takeSnapshot()``,
  ///   if it is likely to come soon.
  func checkIn(_ connection: Connection, keepsSnapshot: Bool = false) {
    let returning = ObjectIdentifier(connection)
    let keepsSnapshot = keepsSnapshot && snapshotAge > 0
    let now = keepsSnapshot ? MonotonicTime.now() : 0
    let (isHeld, isAwaited) = state.withLock { state in
      guard let index = state.held.firstIndex(of: returning) else { return (false, false) }
      state.held.swapAt(index, state.held.count - 1)
      state.held.removeLast()
      return (true, keepsSnapshot && state.expectsHolder(at: now, within: snapshotAge))
    }
    guard isHeld else { return }
    // Outside the lock, because a rollback may take long; no other request has the connection now.
    let isKept = isAwaited && connection.canKeepSnapshot(at: now)
    if isKept { connection.clearInterruption() } else { connection.relinquish() }
    let (hits, misses) = connection.takeCacheCounts()
    let returned = Idle(connection: connection)
    let (grantNext, isFirstKept) = state.withLock { state in
      state.counters.cacheHits += hits
      state.counters.cacheMisses += misses
      state.put(returned, isCurrent: isCurrent(connection), at: state.idle.count)
      let isFirstKept = isKept && !state.isTicking
      state.isTicking = state.isTicking || isKept
      return (state.slots.release(), isFirstKept)
    }
    grantNext?()
    if isFirstKept { scheduleTick() }
  }

  // MARK: Kept snapshots

  /// Ends old snapshots, repeatedly while any are kept.
  private func scheduleTick() {
    clock.asyncAfter(deadline: .now() + .nanoseconds(Int(snapshotAge))) { [weak self] in
      guard let self else { return }
      let now = MonotonicTime.now()
      endSnapshots { $0.end <= now }
      let goesOn = state.withLock { state in
        state.isTicking = state.idle.contains { $0.connection.snapshot != nil }
        return state.isTicking
      }
      if goesOn { scheduleTick() }
    }
  }

  /// Ends the snapshots of idle connections that meet a condition.
  private func endSnapshots(where condition: (Snapshot) -> Bool) {
    while true {
      let next = state.withLock { state -> Idle? in
        let index = state.idle.firstIndex { $0.connection.snapshot.map(condition) ?? false }
        // If requests wait, the one that gets the connection looks at the age.
        guard let index, state.slots.takeIfFree() else { return nil }
        return state.idle.remove(at: index)
      }
      guard let next else { return }
      next.connection.endSnapshot()
      let grantNext = state.withLock { state in
        // The connections that were used last are taken first.
        state.put(next, isCurrent: isCurrent(next.connection), at: 0)
        return state.slots.release()
      }
      grantNext?()
    }
  }

  /// Runs `body` while no idle connection has a snapshot.
  func withoutKeptSnapshots<Result>(_ body: () throws -> Result) rethrows -> Result {
    state.withLock { $0.commits += 1 }
    defer { state.withLock { $0.commits -= 1 } }
    endSnapshots { _ in true }
    return try body()
  }

  /// Closes the idle connections.
  func closeIdle() {
    let idle = state.withLock { state in
      state.counters.open -= state.idle.count
      defer { state.idle = [] }
      return state.idle
    }
    // Deallocation closes them here, outside the lock.
    _ = consume idle
  }

  /// Closes idle connections now and others when they are returned; waiters get an error from `take(_:)`.
  func close() {
    let grantAll = state.withLock { $0.slots.close() }
    closeIdle()
    grantAll()
  }
}
