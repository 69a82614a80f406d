import CKindredSQLite
import Dispatch
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

    /// Takes an idle connection for the holder of a slot; nil if one has to be opened.
    mutating func takeIdle() throws -> Idle? {
      // Nobody waits for a slot of a closed queue, so it need not be given back.
      guard !slots.isClosed else { throw DatabaseError.misuse("the pool is closed") }
      guard let idle = idle.popLast() else { return nil }
      held.append(ObjectIdentifier(idle.connection))
      return idle
    }
  }

  private let state: Mutex<State>
  /// The time for which `checkOut()` waits; nil for no limit.
  private let timeout: DispatchTimeInterval?
  private let open: @Sendable () throws -> Connection
  /// Whether a connection that is returned may be used again.
  private let isCurrent: @Sendable (Connection) -> Bool

  init(
    count: Int, timeoutMilliseconds: Int?,
    isCurrent: @escaping @Sendable (Connection) -> Bool = { _ in true },
    open: @escaping @Sendable () throws -> Connection
  ) {
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
  func checkOut() throws -> sending Connection {
    if let connection = try checkOutIfFree() { return connection }
    let isGranted = DispatchSemaphore(value: 0)
    let number = enqueue { isGranted.signal() }
    let end = timeout.map { DispatchTime.now() + $0 } ?? .distantFuture
    guard isGranted.wait(timeout: end) == .success else {
      withdraw(number, isOverdue: true)
      throw DatabaseError(extendedCode: SQLITE_BUSY, message: "all connections are in use")
    }
    return try take(number)
  }

  /// Takes or opens a connection; nil if none is free, or others are waiting.
  func checkOutIfFree() throws -> sending Connection? {
    let (isFree, idle) = try state.withLock { state -> (Bool, Idle?) in
      guard state.slots.takeIfFree() else { return (false, nil) }
      return (true, try state.takeIdle())
    }
    guard isFree else { return nil }
    return try idle?.connection ?? openInSlot()
  }

  /// Queues for a connection; `onGrant` is called once, on any thread, when `take(_:)` can take it.
  func enqueue(_ onGrant: @escaping @Sendable () -> Void) -> UInt64 {
    let (number, isGranted) = state.withLock { $0.slots.enqueue { _ in onGrant() } }
    if isGranted { onGrant() }
    return number
  }

  /// Takes or opens the connection of a waiter that has been granted a slot.
  func take(_ number: UInt64) throws -> sending Connection {
    let idle = try state.withLock { state in
      guard state.slots.claim(number) else { throw DatabaseError.misuse("it is not this waiter's turn") }
      return try state.takeIdle()
    }
    return try idle?.connection ?? openInSlot()
  }

  /// Removes a waiter from the queue, or returns the slot it was granted; does nothing if its connection has been
  /// taken.
  func withdraw(_ number: UInt64, isOverdue: Bool) {
    let grantNext = state.withLock { $0.slots.withdraw(number, isOverdue: isOverdue) }
    grantNext?()
  }

  private func openInSlot() throws -> sending Connection {
    do {
      let new = Idle(connection: try open())
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
  func checkIn(_ connection: Connection) {
    let returning = ObjectIdentifier(connection)
    let isHeld = state.withLock { state in
      guard let index = state.held.firstIndex(of: returning) else { return false }
      state.held.swapAt(index, state.held.count - 1)
      state.held.removeLast()
      return true
    }
    guard isHeld else { return }
    // Outside the lock, because a rollback may take long; nobody else has the connection now.
    connection.relinquish()
    let (hits, misses) = connection.takeCacheCounts()
    let returned = Idle(connection: connection)
    let grantNext = state.withLock { state in
      state.counters.cacheHits += hits
      state.counters.cacheMisses += misses
      if state.slots.isClosed || !isCurrent(connection) {
        state.counters.open -= 1
      } else {
        state.idle.append(returned)
      }
      return state.slots.release()
    }
    grantNext?()
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
