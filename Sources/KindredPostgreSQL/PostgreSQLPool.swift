import Dispatch
import Synchronization

/// A bounded number of connections to one database, opened when they are needed, each with one holder at a time.
///
/// They are given out in the order in which they were asked for. A connection that the server has closed meanwhile is
/// replaced.
public final class PostgreSQLPool: Sendable {
  /// What the pool has done so far, for metrics.
  public struct Statistics: Hashable, Sendable {
    /// How many connections are open.
    public var open = 0
    /// How many connections are in use.
    public var inUse = 0
    /// How many requests wait for a connection.
    public var waiting = 0
    /// How many times a request had to wait for a connection.
    public var waits = 0
    /// How many times a request waited in vain.
    public var timeouts = 0
  }

  private struct Idle: @unchecked Sendable {
    // Nobody else has it, so who takes it out is its only holder.
    let connection: PostgreSQLConnection
  }

  /// A request that waits for a slot.
  private struct Waiter {
    let number: UInt64
    /// Called when the slot is the request's, without a lock held.
    let onGrant: @Sendable () -> Void
  }

  private struct State {
    var idle: [Idle] = []
    /// Slots that are taken, with a connection or on the way to one.
    var taken = 0
    /// First come, first served.
    var waiters: [Waiter] = []
    /// Those whose turn it is, and who have a slot but no connection yet.
    var granted: Set<UInt64> = []
    var lastNumber: UInt64 = 0
    /// Connections of long results beyond the slots, and such results that have a slot.
    var extra = 0
    var longInSlots = 0
    var isClosed = false
    var statistics = Statistics()

    /// Passes a slot that has become free on to the next waiter.
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

  /// A pool without connections so far.
  ///
  /// - Parameters:
  ///   - size: the most connections, at least one.
  ///   - checkoutTimeout: for how many milliseconds `take` waits for a connection.
  public init(_ target: ConnectionTarget, size: Int, checkoutTimeout: Int) {
    self.target = target
    self.size = max(1, size)
    checkoutMilliseconds = checkoutTimeout
  }

  deinit { close() }

  /// A pool of other connections to the same database.
  public func sibling(size: Int) -> PostgreSQLPool {
    PostgreSQLPool(target, size: size, checkoutTimeout: checkoutMilliseconds)
  }

  /// What the pool has done so far.
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

  /// Takes a connection, or opens one, waiting until one is free.
  ///
  /// - Throws: `PostgreSQLError`: `53300` where none became free in time.
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

  /// Takes a connection, or opens one; nil where none is free, or others wait for one.
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

  /// Queues for a connection: `onGrant` is called once, on any thread, when ``take(_:)`` gives it.
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

  /// Takes the connection of a waiter whose turn it is.
  ///
  /// - Throws: `PostgreSQLError`.
  public func take(_ number: UInt64) throws(PostgreSQLError) -> sending PostgreSQLConnection {
    guard state.withLock({ $0.granted.remove(number) }) != nil else {
      throw PostgreSQLError(
        state: PostgreSQLError.State.tooManyConnections, message: "it is not the waiter's turn")
    }
    return try connection()
  }

  /// Ends a waiter's waiting in vain; nothing happens where its connection has been taken.
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

  /// A connection for who has a slot.
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

  /// What a connection counts as while its holder's client takes a long result.
  public enum LongHold: Sendable {
    /// As one of the slots.
    case slot
    /// As one beyond them.
    case extra
  }

  /// Notes that a connection is held for as long as a client likes, so that others still find one: its slot is given to
  /// the next as far as there may be more connections, as many again as there are slots.
  ///
  /// - Throws: `PostgreSQLError`: `53300` where half of the slots are held so, too.
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
        state: PostgreSQLError.State.tooManyConnections, message: "too many long results are read")
    }
    return hold
  }

  // MARK: Giving back

  /// Takes a connection back, and undoes what its holder left.
  ///
  /// - Parameter hold: what it counted as, where that was for long.
  public func giveBack(_ connection: PostgreSQLConnection, after hold: LongHold? = nil) {
    // Without the lock: a rollback can take its time.
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

  /// Closes idle connections, which may have been lost together.
  public func closeIdle() {
    let idle = state.withLock { state in
      defer { state.idle = [] }
      return state.idle
    }
    // They close here, outside of the lock.
    _ = consume idle
  }

  private func passOn() { state.withLock { $0.passOn() }?.onGrant() }

  /// Closes the idle connections now, and those in use when they come back; who waits is told in vain.
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
