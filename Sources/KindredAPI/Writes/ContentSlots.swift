import Foundation
import KindredHTTP
import KindredPooling
import Synchronization

/// Bounds how many long contents are read and planned at once: to the number of processors.
///
/// A request waits for its turn without a thread.
final class ContentSlots: Sendable {
  /// The length in bytes from which a content is long.
  static let length = 64 << 10

  private let queue: Mutex<SlotQueue>
  private let freed: FreedMemory

  /// - Parameters:
  ///   - freed: Told of the memory that contents have taken.
  ///   - count: How many contents are read at once.
  init(_ freed: FreedMemory, count: Int = max(1, ProcessInfo.processInfo.activeProcessorCount)) {
    self.freed = freed
    queue = Mutex(SlotQueue(count: count))
  }

  /// Calls `body` with a slot once one is free, on any thread; never if the client leaves before.
  func whenFree(
    for client: HTTPCancellation, _ body: @escaping @Sendable (ContentSlot) -> Void
  ) {
    let grant: SlotQueue.Grant = { [self] number in
      guard queue.withLock({ $0.claim(number) }) else { return }
      client.onCancel(nil)
      body(ContentSlot(in: self))
    }
    let granted = queue.withLock { queue -> UInt64? in
      let (number, isGranted) = queue.enqueue(grant)
      if isGranted { return number }
      // Set before the slot can be granted, since the request then sets other actions. It withdraws on another
      // thread, because the action must be short.
      client.onCancel { [self] in DispatchQueue.global().async { [self] in withdraw(number) } }
      return nil
    }
    if let granted { grant(granted) }
  }

  private func withdraw(_ number: UInt64) {
    let next = queue.withLock { $0.withdraw(number, isOverdue: false) }
    next?()
  }

  fileprivate func release() {
    let next = queue.withLock { $0.release() }
    next?()
    freed.giveBack()
  }
}

/// The turn of a request to read its content.
///
/// It is released at the latest when nothing refers to it, since a client may leave before its request is answered.
final class ContentSlot: Sendable {
  private let slots: ContentSlots
  private let isReleased = Atomic(false)

  fileprivate init(in slots: ContentSlots) {
    self.slots = slots
  }

  deinit {
    guard !isReleased.load(ordering: .acquiring) else { return }
    // On another thread, since the slots of many clients that have left would otherwise be released within one another.
    DispatchQueue.global().async { [slots] in slots.release() }
  }

  /// Lets the next request read its content.
  func release() {
    guard !isReleased.exchange(true, ordering: .acquiringAndReleasing) else { return }
    slots.release()
  }
}
