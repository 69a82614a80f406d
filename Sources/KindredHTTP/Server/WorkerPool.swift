import Dispatch
import Synchronization

/// The threads that wait for events and process them, each from the first byte of a request to the last.
///
/// There are as many as processors, plus one for each that has been busy with the same work for long. So a query of
/// seconds doesn't hold up others, and short requests don't compete for processors.
final class WorkerPool: Sendable {
  private let events: any EventQueue
  private let work: @Sendable (SocketEvent) -> Void
  private let baseline: Int
  private let group = DispatchGroup()
  /// The indices that no worker has.
  private let free: Mutex<[Int]>
  private let target: Atomic<Int>
  private let running = Atomic(0)
  /// For each worker, the tick at which it began its work; 0 while it waits.
  private let busySince: [AtomicTick]
  private let tick = Atomic(1)
  private let onWake: @Sendable () -> Void

  private final class AtomicTick: Sendable {
    let value = Atomic(0)
  }

  /// The largest number of workers, because each has a stack.
  private static let maximum = 128
  /// The number of ticks after which another worker stands in for a busy one: between 25 and 30 milliseconds.
  ///
  /// More threads than processors don't speed up work of a few milliseconds, and thrash the caches.
  private static let longRunning = 6

  /// Creates a pool without starting it.
  ///
  /// - Parameter onWake: Called when a worker begins to process an event.
  init(
    events: any EventQueue, baseline: Int, onWake: @escaping @Sendable () -> Void,
    work: @escaping @Sendable (SocketEvent) -> Void
  ) {
    self.events = events
    self.work = work
    self.onWake = onWake
    self.baseline = min(max(baseline, 1), Self.maximum)
    target = Atomic(self.baseline)
    free = Mutex(Array((0..<Self.maximum).reversed()))
    busySince = (0..<Self.maximum).map { _ in AtomicTick() }
  }

  /// Starts the workers.
  func start() { adjust() }

  /// Counts a tick, and adjusts the number of workers to how many have been busy for long.
  ///
  /// - Returns: Whether any worker is busy.
  func advanceTick() -> Bool {
    let now = tick.wrappingAdd(1, ordering: .relaxed).newValue
    var isBusy = false
    var long = 0
    for worker in busySince {
      let since = worker.value.load(ordering: .sequentiallyConsistent)
      guard since != 0 else { continue }
      isBusy = true
      if now - since >= Self.longRunning { long += 1 }
    }
    let wanted = min(baseline + long, Self.maximum)
    if target.exchange(wanted, ordering: .relaxed) != wanted { adjust() }
    return isBusy
  }

  /// Blocks until all workers have ended, after the queue's `end`; returns false on a timeout.
  func waitUntilEnded(timeout: Duration) -> Bool {
    group.wait(timeout: .now() + timeout.dispatchInterval) == .success
  }

  private func adjust() {
    let wanted = target.load(ordering: .relaxed)
    while true {
      let index = free.withLock { free -> Int? in
        guard running.load(ordering: .relaxed) < wanted, let index = free.popLast() else { return nil }
        running.increase()
        return index
      }
      guard let index else { return }
      // Each worker has its own queue, so that Dispatch gives it a thread however many others are busy.
      DispatchQueue(label: "kindred.http.worker.\(index)").async(group: group) { self.serve(index) }
    }
  }

  private func serve(_ index: Int) {
    let since = busySince[index]
    while let event = events.next() {
      // In one order with what `onWake` reads: either the watch sees this worker, or it is woken.
      since.value.store(tick.load(ordering: .relaxed), ordering: .sequentiallyConsistent)
      onWake()
      work(event)
      since.value.store(0, ordering: .relaxed)
      if retires(index) { return }
    }
  }

  /// Returns whether this worker must end because there are too many.
  private func retires(_ index: Int) -> Bool {
    guard isOneTooMany else { return false }
    return free.withLock { free in
      guard isOneTooMany else { return false }
      running.increase(by: -1)
      free.append(index)
      return true
    }
  }

  private var isOneTooMany: Bool {
    running.load(ordering: .relaxed) > target.load(ordering: .relaxed)
  }
}
