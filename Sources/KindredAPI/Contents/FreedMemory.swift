import Dispatch
import KindredSystem
import Synchronization

/// Gives memory back to the system soon after much of it has been freed.
final class FreedMemory: Sendable {
  private let isScheduled = Atomic(false)

  /// Gives free memory back in a second, once for all calls until then.
  func giveBack() {
    guard !isScheduled.exchange(true, ordering: .acquiringAndReleasing) else { return }
    DispatchQueue.global(qos: .utility).asyncAfter(deadline: .now() + 1) { [self] in
      isScheduled.store(false, ordering: .releasing)
      returnMemory()
    }
  }
}
