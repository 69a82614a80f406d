import KindredClock
import Synchronization

/// The snapshot that a result holds while it is sent.
final class HeldSnapshot: Sendable {
  private struct State {
    var mustRelease = false
    var wake: (@Sendable () -> Void)?
  }

  /// When the result began to be sent, in nanoseconds of `MonotonicTime`.
  let since = MonotonicTime.now()
  /// The number of the database's state that it shows, or of an earlier one; nil if it is unknown.
  let stateNumber: Int64?
  private let state = Mutex(State())
  private let idle = Atomic<UInt64>(0)

  init(of stateNumber: Int64?) { self.stateNumber = stateNumber }

  /// Since when the result has been waiting for its client, in nanoseconds of `MonotonicTime`; 0 while it reads.
  var idleSince: UInt64 {
    get { idle.load(ordering: .relaxed) }
    set { idle.store(newValue, ordering: .relaxed) }
  }

  /// Whether the result must be read to its end, so that the snapshot can be released.
  var mustRelease: Bool { state.withLock(\.mustRelease) }

  /// Demands that the snapshot be released, and wakes the connection to do so.
  func demandRelease() {
    let wake = state.withLock { state in
      state.mustRelease = true
      return state.wake
    }
    wake?()
  }

  /// Stores the closure that wakes the connection, and calls it if the snapshot must be released already.
  func onReady(_ wake: @escaping @Sendable () -> Void) {
    let isDue = state.withLock { state in
      state.wake = wake
      return state.mustRelease
    }
    if isDue { wake() }
  }
}
