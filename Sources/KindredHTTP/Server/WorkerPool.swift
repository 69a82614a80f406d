import Dispatch
import Synchronization

/// The threads that wait for events and work on them, each from the first byte of a request to the last.
///
/// As many as the machine has processors, and one more for each that has been at the same work for long: so a
/// query of seconds holds up nobody else's, and short requests don't fight over processors.
final class WorkerPool: Sendable {
  private let events: any EventQueue
  private let work: @Sendable (SocketEvent) -> Void
  private let baseline: Int
  private let group = DispatchGroup()
  /// The places of workers that aren't there.
  private let free: Mutex<[Int]>
  private let target: Atomic<Int>
  private let running = Atomic(0)
  /// Of each worker, the tick at which it began its work; 0 while it waits.
  private let busySince: [AtomicTick]
  private let tick = Atomic(1)
  private let onWake: @Sendable () -> Void

  private final class AtomicTick: Sendable {
    let value = Atomic(0)
  }

  /// Workers at most: each has a stack.
  private static let maximum = 128
  /// Ticks after which a worker is made up for by another: between 25 and 30 milliseconds.
  ///
  /// More threads than processors don't speed up work of some milliseconds, and compete for the processors' caches.
  private static let longRunning = 6

  /// `onWake` is called when a worker takes up work.
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

  /// Notes that a tick of time has passed, and makes up for the workers that are busy for long.
  ///
  /// Says whether any is busy.
  func advanceTick() -> Bool {
    let now = tick.wrappingAdd(1, ordering: .relaxed).newValue
    var isBusy = false
    var long = 0
    for worker in busySince {
      let since = worker.value.load(ordering: .relaxed)
      guard since != 0 else { continue }
      isBusy = true
      if now - since >= Self.longRunning { long += 1 }
    }
    let wanted = min(baseline + long, Self.maximum)
    if target.exchange(wanted, ordering: .relaxed) != wanted { adjust() }
    return isBusy
  }

  /// Waits until the workers have ended, once the queue was woken; false when it takes longer.
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
      // A queue of its own, so that Dispatch gives it a thread however many others are busy.
      DispatchQueue(label: "kindred.http.worker.\(index)").async(group: group) { self.serve(index) }
    }
  }

  private func serve(_ index: Int) {
    let since = busySince[index]
    while let event = events.next() {
      since.value.store(tick.load(ordering: .relaxed), ordering: .relaxed)
      onWake()
      work(event)
      since.value.store(0, ordering: .relaxed)
      if retires(index) { return }
    }
  }

  /// Whether this worker is one too many.
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
