import Dispatch
import Synchronization

/// A timer thread for workers that are busy for long, deadlines, and clients that have disconnected.
///
/// It wakes every 5 ms while workers are busy, else every 100 ms as long as there are connections.
final class Watch: Sendable {
  private static let busyInterval = DispatchTimeInterval.milliseconds(5)
  private static let idleInterval = DispatchTimeInterval.milliseconds(100)
  private static let sweepInterval = Duration.milliseconds(100)

  private let semaphore = DispatchSemaphore(value: 0)
  private let ended = DispatchSemaphore(value: 0)
  private let isNapping = Atomic(false)
  private let isStopped = Atomic(false)

  /// Starts the thread.
  ///
  /// - Parameters:
  ///   - tick: Called every few milliseconds while there is work; returns whether there still is some.
  ///   - sweep: Called about ten times a second while it is needed.
  ///   - needsSweep: Returns whether there is anything to sweep; if not, the thread sleeps until there is work.
  func start(
    tick: @escaping @Sendable () -> Bool, sweep: @escaping @Sendable (Moment) -> Void,
    needsSweep: @escaping @Sendable () -> Bool
  ) {
    DispatchQueue(label: "kindred.http.watch").async {
      var nextSweep = Moment.now
      while !self.isStopped.load(ordering: .acquiring) {
        var isBusy = tick()
        let now = Moment.now
        if now >= nextSweep {
          sweep(now)
          nextSweep = now + Self.sweepInterval
        }
        self.isNapping.store(!isBusy, ordering: .sequentiallyConsistent)
        // A worker that began its work just before doesn't wake the thread.
        if !isBusy { isBusy = tick() }
        let end: DispatchTime =
          isBusy ? .now() + Self.busyInterval : needsSweep() ? .now() + Self.idleInterval : .distantFuture
        _ = self.semaphore.wait(timeout: end)
      }
      self.ended.signal()
    }
  }

  /// Notes that there is work, and wakes the thread if it is in a long sleep.
  func wake() {
    guard isNapping.load(ordering: .sequentiallyConsistent),
      isNapping.exchange(false, ordering: .sequentiallyConsistent)
    else { return }
    semaphore.signal()
  }

  /// Stops the thread, and waits until it has ended.
  func stop() {
    isStopped.store(true, ordering: .releasing)
    semaphore.signal()
    ended.wait()
  }
}
