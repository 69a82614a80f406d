import Dispatch
import Synchronization

/// A bounded number of connections to one database, opened on demand, each with one holder at a time.
///
/// Requests for a connection are served in the order in which they arrive. A connection that the server has closed
/// meanwhile is replaced.
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
  }

  /// A request that waits for a slot.
  private struct Waiter {
    let number: UInt64
    /// Called when the slot is granted, without holding a lock.
    let onGrant: @Sendable () -> Void
  }

  private struct State {
    var idle: [Idle] = []
    /// The number of slots in use, including those whose connection is still being opened.
    var taken = 0
    /// The waiting requests in order of arrival.
    var waiters: [Waiter] = []
    /// The waiters that have been granted a slot but have not taken its connection yet.
    var granted: Set<UInt64> = []
    var lastNumber: UInt64 = 0
    /// The numbers of long results whose connections are beyond the slots, and of those that hold a slot.
    var extra = 0
    var longInSlots = 0
    var isClosed = false
    var statistics = Statistics()

    /// Passes a free slot to the next waiter.
    mutating func passOn() -> Waiter? {
      guard !waiters.isEmpty else {
        taken -= 1
        return nil
      }
      let next = waiters.removeFirst()
      granted.insert(next.number)
      return next
    }
  }

  private let state = Mutex(State())
  /// The database.
  public let target: ConnectionTarget
  private let size: Int
  private let checkoutMilliseconds: Int

  /// Creates a pool, which opens no connection yet.
  ///
  /// - Parameters:
  ///   - size: The maximum number of connections, at least one.
  ///   - checkoutTimeout: The milliseconds for which `take()` waits for a connection.
  public init(_ target: ConnectionTarget, size: Int, checkoutTimeout: Int) {
    self.target = target
    self.size = max(1, size)
    checkoutMilliseconds = checkoutTimeout
  }

  deinit { close() }

  /// Returns a pool of other connections to the same database.
  public func sibling(size: Int) -> PostgreSQLPool {
    PostgreSQLPool(target, size: size, checkoutTimeout: checkoutMilliseconds)
  }

  /// The current counters.
  public var statistics: Statistics {
    state.withLock { state in
      var statistics = state.statistics
      statistics.inUse = state.taken + state.extra
      statistics.waiting = state.waiters.count
      statistics.open = state.taken + state.extra + state.idle.count
      return statistics
    }
  }

  // MARK: Taking

  /// Takes or opens a connection, and waits for one if necessary.
  ///
  /// - Throws: `PostgreSQLError`, with `53300` if none became free in time.
  public func take() throws(PostgreSQLError) -> sending PostgreSQLConnection {
    if let connection = try takeIfFree() { return connection }
    let isGranted = DispatchSemaphore(value: 0)
    let number = enqueue { isGranted.signal() }
    guard isGranted.wait(timeout: .now() + .milliseconds(checkoutMilliseconds)) == .success else {
      withdraw(number)
      throw PostgreSQLError(
        state: PostgreSQLError.State.tooManyConnections, message: "all connections are in use")
    }
    return try take(number)
  }

  /// Takes or opens a connection; nil if none is free, or others are waiting.
  ///
  /// - Throws: `PostgreSQLError`.
  public func takeIfFree() throws(PostgreSQLError) -> sending PostgreSQLConnection? {
    let isFree = state.withLock { state in
      guard state.isClosed || state.taken < size && state.waiters.isEmpty else { return false }
      state.taken += 1
      return true
    }
    return isFree ? try connection() : nil
  }

  /// Queues for a connection; `onGrant` is called once, on any thread, when ``take(_:)`` can take it.
  public func enqueue(_ onGrant: @escaping @Sendable () -> Void) -> UInt64 {
    let (number, isGranted) = state.withLock { state in
      state.lastNumber += 1
      let number = state.lastNumber
      let isGranted = state.isClosed || state.taken < size && state.waiters.isEmpty
      if isGranted {
        state.taken += 1
        state.granted.insert(number)
      } else {
        state.statistics.waits += 1
        state.waiters.append(Waiter(number: number, onGrant: onGrant))
      }
      return (number, isGranted)
    }
    if isGranted { onGrant() }
    return number
  }

  /// Takes or opens the connection of a waiter that has been granted a slot.
  ///
  /// - Throws: `PostgreSQLError`.
  public func take(_ number: UInt64) throws(PostgreSQLError) -> sending PostgreSQLConnection {
    guard state.withLock({ $0.granted.remove(number) }) != nil else {
      throw PostgreSQLError(
        state: PostgreSQLError.State.tooManyConnections, message: "it is not the waiter's turn")
    }
    return try connection()
  }

  /// Removes a waiter from the queue, or returns the slot it was granted; does nothing if its connection has been
  /// taken.
  public func withdraw(_ number: UInt64) {
    let next = state.withLock { state -> Waiter? in
      if let index = state.waiters.firstIndex(where: { $0.number == number }) {
        state.waiters.remove(at: index)
        state.statistics.timeouts += 1
        return nil
      }
      return state.granted.remove(number) == nil ? nil : state.passOn()
    }
    next?.onGrant()
  }

  /// Takes or opens a connection for the holder of a slot.
  private func connection() throws(PostgreSQLError) -> sending PostgreSQLConnection {
    while true {
      let (idle, isClosed) = state.withLock { ($0.idle.popLast(), $0.isClosed) }
      guard let idle else {
        do throws(PostgreSQLError) {
          guard !isClosed else { throw PostgreSQLError.lost("the pool is closed") }
          return Idle(connection: try PostgreSQLConnection(target)).connection
        } catch {
          passOn()
          throw error
        }
      }
      if !idle.connection.hasEnded { return idle.connection }
    }
  }

  // MARK: Long results

  /// How a connection is counted while a client reads a long result.
  public enum LongHold: Sendable {
    /// It holds a slot.
    case slot
    /// It is an extra connection beyond the slots.
    case extra
  }

  /// Notes that a client may hold a connection for an unlimited time, and passes its slot to another request.
  ///
  /// There may be as many extra connections as slots; beyond that, long results may hold half of the slots.
  ///
  /// - Throws: `PostgreSQLError`, with `53300` if both limits are reached.
  public func holdLong() throws(PostgreSQLError) -> LongHold {
    let (hold, next) = state.withLock { state -> (LongHold?, Waiter?) in
      if state.extra < size {
        state.extra += 1
        return (.extra, state.passOn())
      }
      guard state.longInSlots < size / 2 else { return (nil, nil) }
      state.longInSlots += 1
      return (.slot, nil)
    }
    next?.onGrant()
    guard let hold else {
      throw PostgreSQLError(
        state: PostgreSQLError.State.tooManyConnections, message: "too many clients are reading long results")
    }
    return hold
  }

  // MARK: Giving back

  /// Takes a connection back, and undoes what its holder has left.
  ///
  /// - Parameter hold: How it was counted, if it was held for long.
  public func giveBack(_ connection: PostgreSQLConnection, after hold: LongHold? = nil) {
    // Outside the lock, because a rollback may take long.
    connection.relinquish()
    let returned = Idle(connection: connection)
    let next = state.withLock { state -> Waiter? in
      switch hold {
      case .extra: state.extra -= 1
      case .slot: state.longInSlots -= 1
      case nil: break
      }
      let isWanted = hold != .extra || state.taken + state.idle.count < size
      if !state.isClosed, isWanted, !returned.connection.isBroken { state.idle.append(returned) }
      return hold == .extra ? nil : state.passOn()
    }
    next?.onGrant()
  }

  /// Closes idle connections, which a failure of the server may have ended all at once.
  public func closeIdle() {
    let idle = state.withLock { state in
      defer { state.idle = [] }
      return state.idle
    }
    // Deallocation closes them here, outside the lock.
    _ = consume idle
  }

  private func passOn() { state.withLock { $0.passOn() }?.onGrant() }

  /// Closes idle connections now and others when they are returned; waiters get an error from ``take(_:)``.
  public func close() {
    let waiters = state.withLock { state in
      state.isClosed = true
      defer { state.waiters = [] }
      state.taken += state.waiters.count
      state.granted.formUnion(state.waiters.map(\.number))
      return state.waiters
    }
    closeIdle()
    for waiter in waiters { waiter.onGrant() }
  }
}
