import Dispatch
import Synchronization

/// Looks after what takes time: workers that are busy for long, deadlines, clients that have gone.
///
/// A thread that wakes every 5 ms while workers are busy, else every 100 ms.
final class Watch: Sendable {
  private static let busyInterval = DispatchTimeInterval.milliseconds(5)
  private static let idleInterval = DispatchTimeInterval.milliseconds(100)
  private static let sweepInterval = Duration.milliseconds(100)

  private let semaphore = DispatchSemaphore(value: 0)
  private let ended = DispatchSemaphore(value: 0)
  private let isNapping = Atomic(false)
  private let isStopped = Atomic(false)

  /// Begins.
  ///
  /// `tick` is called every few milliseconds of work and says whether there still is some; `sweep` about ten
  /// times a second.
  func start(tick: @escaping @Sendable () -> Bool, sweep: @escaping @Sendable (Moment) -> Void) {
    DispatchQueue(label: "kindred.http.watch").async {
      var nextSweep = Moment.now
      while !self.isStopped.load(ordering: .acquiring) {
        let isBusy = tick()
        let now = Moment.now
        if now >= nextSweep {
          sweep(now)
          nextSweep = now + Self.sweepInterval
        }
        self.isNapping.store(!isBusy, ordering: .releasing)
        _ = self.semaphore.wait(timeout: .now() + (isBusy ? Self.busyInterval : Self.idleInterval))
      }
      self.ended.signal()
    }
  }

  /// There is work.
  func wake() {
    guard isNapping.load(ordering: .relaxed), isNapping.exchange(false, ordering: .acquiring) else { return }
    semaphore.signal()
  }

  /// Ends, and waits for the end.
  func stop() {
    isStopped.store(true, ordering: .releasing)
    semaphore.signal()
    ended.wait()
  }
}
