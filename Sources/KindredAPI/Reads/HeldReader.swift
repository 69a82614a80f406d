import Synchronization

/// The connection of a result that is sent as it is read, as those see it who wait for a connection.
final class HeldReader: Sendable {
  /// What others want of the result.
  enum Demand: Sendable {
    case none
    /// To read on without its client, and to release the connection.
    case release
    /// Nothing at the moment: it holds as much as it may for its client, and the connection still.
    case unable
    /// To end.
    case end
  }

  private struct State {
    var demand = Demand.none
    var wake: (@Sendable () -> Void)?
  }

  private let state = Mutex(State())
  private let idle = Atomic<UInt64>(0)

  /// Since when the client takes what was read, in nanoseconds of `MonotonicTime`; 0 while more is read.
  var idleSince: UInt64 {
    get { idle.load(ordering: .relaxed) }
    set { idle.store(newValue, ordering: .relaxed) }
  }

  /// What others want.
  var demand: Demand { state.withLock { $0.demand } }

  /// Changes what is wanted.
  func ask(_ demand: Demand) { state.withLock { $0.demand = demand } }

  /// Notes what has the connection look at the result, and uses it where somebody waits already.
  func onReady(_ wake: @escaping @Sendable () -> Void) {
    let isDue = state.withLock { state in
      state.wake = wake
      return state.demand != .none
    }
    if isDue { wake() }
  }

  /// Has the connection look at the result.
  func wake() { state.withLock { $0.wake }?() }
}
