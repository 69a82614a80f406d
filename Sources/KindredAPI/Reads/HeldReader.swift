import Synchronization

/// The connection that a streamed result holds, as seen by the queue of requests that wait for one.
final class HeldReader: Sendable {
  /// What the queue demands of the result.
  enum Demand: Sendable {
    case none
    /// Read on regardless of its client, and release the connection.
    case release
    /// Nothing can be demanded now: it buffers as much as allowed for its client, and still holds the connection.
    case unable
    /// End.
    case end
  }

  private struct State {
    var demand = Demand.none
    var wake: (@Sendable () -> Void)?
  }

  private let state = Mutex(State())
  private let idle = Atomic<UInt64>(0)

  /// Since when the result has been waiting for its client, in nanoseconds of `MonotonicTime`; 0 while it reads.
  var idleSince: UInt64 {
    get { idle.load(ordering: .relaxed) }
    set { idle.store(newValue, ordering: .relaxed) }
  }

  /// The current demand.
  var demand: Demand { state.withLock { $0.demand } }

  /// Changes the demand.
  func ask(_ demand: Demand) { state.withLock { $0.demand = demand } }

  /// Stores the closure that wakes the connection, and calls it if there is a demand already.
  func onReady(_ wake: @escaping @Sendable () -> Void) {
    let isDue = state.withLock { state in
      state.wake = wake
      return state.demand != .none
    }
    if isDue { wake() }
  }

  /// Wakes the connection, so that it meets the demand.
  func wake() { state.withLock { $0.wake }?() }
}
