/// A bounded number of slots, granted in the order in which they are requested.
///
/// It decides who gets a slot and who waits, and doesn't know what a slot represents. Its owner protects it by a lock,
/// and calls the closures that it returns after releasing the lock.
public struct SlotQueue {
  /// Called once, without holding a lock, when a slot is granted to the waiter of this number.
  public typealias Grant = @Sendable (UInt64) -> Void
  /// A call that grants slots, to be made without holding a lock.
  public typealias Call = @Sendable () -> Void

  private struct Waiter: Sendable {
    let number: UInt64
    let onGrant: Grant
  }

  /// The number of slots.
  public let count: Int
  /// The number of slots in use, including those that are granted and not claimed yet.
  public private(set) var taken = 0
  /// Whether the queue is closed: every request is then granted, so that nobody waits in vain.
  public private(set) var isClosed = false
  /// The number of requests that had to wait.
  public private(set) var waits = 0
  /// The number of requests that gave up waiting.
  public private(set) var timeouts = 0

  private var waiters: [Waiter] = []
  /// The numbers whose slots are granted and not claimed yet.
  private var granted: Set<UInt64> = []
  private var lastNumber: UInt64 = 0

  /// Creates a queue for a number of slots, at least one.
  public init(count: Int) {
    self.count = max(1, count)
  }

  /// The number of waiting requests.
  public var waiting: Int { waiters.count }

  private var isFree: Bool { isClosed || taken < count && waiters.isEmpty }

  /// Takes a slot; returns false if none is free, or others wait for one.
  public mutating func takeIfFree() -> Bool {
    guard isFree else { return false }
    taken += 1
    return true
  }

  /// Requests a slot.
  ///
  /// - Parameter onGrant: Called when a slot is granted later.
  /// - Returns: The number of the request, and whether it is granted already; then the caller calls `onGrant`.
  public mutating func enqueue(_ onGrant: @escaping Grant) -> (number: UInt64, isGranted: Bool) {
    lastNumber += 1
    if takeIfFree() {
      granted.insert(lastNumber)
      return (lastNumber, true)
    }
    waits += 1
    waiters.append(Waiter(number: lastNumber, onGrant: onGrant))
    return (lastNumber, false)
  }

  /// Claims the slot that was granted to a request; returns false if none was, or it has been claimed or withdrawn.
  public mutating func claim(_ number: UInt64) -> Bool { granted.remove(number) != nil }

  /// Ends a request that has not been claimed.
  ///
  /// - Parameter isOverdue: Whether its time is up; otherwise nobody wants it any more.
  /// - Returns: The call that grants its slot to the next request, if there is one.
  public mutating func withdraw(_ number: UInt64, isOverdue: Bool) -> Call? {
    if let index = waiters.firstIndex(where: { $0.number == number }) {
      waiters.remove(at: index)
      if isOverdue { timeouts += 1 }
      return nil
    }
    return granted.remove(number) == nil ? nil : release()
  }

  /// Returns a slot to the queue.
  ///
  /// - Returns: The call that grants it to the next request, if one waits.
  public mutating func release() -> Call? {
    guard !waiters.isEmpty else {
      taken -= 1
      return nil
    }
    let next = waiters.removeFirst()
    granted.insert(next.number)
    return { next.onGrant(next.number) }
  }

  /// Closes the queue.
  ///
  /// - Returns: The call that grants a slot to every request that waits.
  public mutating func close() -> Call {
    isClosed = true
    let all = waiters
    waiters = []
    taken += all.count
    granted.formUnion(all.map(\.number))
    return { for waiter in all { waiter.onGrant(waiter.number) } }
  }
}
