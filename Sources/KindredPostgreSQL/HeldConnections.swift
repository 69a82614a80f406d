import Dispatch
import KindredClock

/// The connections of a pool that have holders, and the holders of slots to which the server has refused another one,
/// usually because it has too many: they wait for one of these.
///
/// The pool protects it by a lock.
struct HeldConnections: Sendable {
  /// Why a holder of a slot asks for a connection.
  enum Attempt {
    case first
    /// The server has refused one.
    case refused(PostgreSQLError)
    /// The server has closed one.
    case another
  }

  /// The next step of a slot's holder if no connection is idle.
  enum Step {
    case open
    case wait(Handover)
    case fail(PostgreSQLError)
  }

  /// The place at which a connection is passed to a waiting holder of a slot.
  final class Handover: @unchecked Sendable {
    // Set before the semaphore is signalled, and read after it, or with the pool's lock.
    /// The connection; nil if the server may have room for another one.
    fileprivate(set) var connection: PostgreSQLConnection?
    /// Why the server has refused another one.
    let refusal: PostgreSQLError
    private let isOver = DispatchSemaphore(value: 0)

    fileprivate init(_ refusal: PostgreSQLError) {
      self.refusal = refusal
    }

    /// Returns false if the time passes first.
    func wait(until end: DispatchTime) -> Bool { isOver.wait(timeout: end) == .success }

    fileprivate func end() { isOver.signal() }
  }

  private(set) var count = 0
  private var waiters: [Handover] = []
  /// The server's last refusal, and when it was, in nanoseconds of `MonotonicTime`.
  private var lastRefusal: (error: PostgreSQLError, time: UInt64)?

  /// The nanoseconds after a refusal for which others wait too, without asking the server.
  private static let pause: UInt64 = 1_000_000_000

  /// Notes that a connection has a holder.
  mutating func add() { count += 1 }

  /// Returns the next step of a slot's holder if no connection is idle.
  mutating func step(_ attempt: Attempt) -> Step {
    let refusal: PostgreSQLError
    switch attempt {
    case .another: return .open
    case .refused(let error):
      lastRefusal = (error, MonotonicTime.now())
      guard count > 0 else { return .fail(error) }
      refusal = error
    case .first:
      guard count > 0, !waiters.isEmpty, let last = lastRefusal, MonotonicTime.now() < last.time + Self.pause
      else { return .open }
      refusal = last.error
    }
    let handover = Handover(refusal)
    waiters.append(handover)
    return .wait(handover)
  }

  /// Ends a wait whose time has passed.
  mutating func withdraw(_ handover: Handover) { waiters.removeAll { $0 === handover } }

  /// Passes a connection from its holder to the one that has waited longest; returns false if none waits.
  mutating func pass(_ connection: PostgreSQLConnection) -> Bool {
    guard !waiters.isEmpty else { return false }
    let next = waiters.removeFirst()
    next.connection = connection
    next.end()
    return true
  }

  /// Notes that a connection no longer has a holder.
  ///
  /// - Parameter isClosed: Whether the server has room for another one instead.
  mutating func remove(isClosed: Bool) {
    count -= 1
    // Without holders, none would ever be passed.
    let ended = count == 0 ? waiters.count : isClosed ? min(1, waiters.count) : 0
    for waiter in waiters.prefix(ended) { waiter.end() }
    waiters.removeFirst(ended)
  }

  /// Ends all waits.
  mutating func endWaits() {
    for waiter in waiters { waiter.end() }
    waiters = []
  }
}
