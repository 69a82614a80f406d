/// A bounded number of slots, granted in the order in which they are requested.
///
/// Some work keeps its slot for an unlimited time, or returns the slot and goes on without it. How much of it there is at
/// once is bounded by a number of places, which are granted together with slots.
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
    /// Whether it needs a place for long work as well.
    let isLong: Bool
    let onGrant: Grant
  }

  /// The number of slots.
  public let count: Int
  /// The number of slots in use, including slots that are granted and not claimed yet.
  public private(set) var taken = 0
  /// The number of places for long work.
  public let longCount: Int
  /// The number of those in use.
  public private(set) var longTaken = 0
  /// Whether the queue is closed: every request is then granted, so that no request waits in vain.
  public private(set) var isClosed = false
  /// The number of requests that had to wait.
  public private(set) var waits = 0
  /// The number of requests that gave up waiting.
  public private(set) var timeouts = 0

  private var waiters: [Waiter] = []
  /// The numbers whose slots are granted and not claimed yet, and whether a place for long work is granted with each.
  private var granted: [UInt64: Bool] = [:]
  private var lastNumber: UInt64 = 0

  /// Creates a queue for a number of slots, at least one, and of places for long work.
  public init(count: Int, longCount: Int = 0) {
    self.count = max(1, count)
    self.longCount = longCount
  }

  /// The number of waiting requests.
  public var waiting: Int { waiters.count }

  /// Takes a slot; returns false if none is free, or others wait for one.
  public mutating func takeIfFree() -> Bool {
    // A request that could have a slot doesn't wait.
    guard isClosed || taken < count else { return false }
    taken += 1
    return true
  }

  /// Takes a place for long work for the holder of a slot; returns false if none is free, or others wait for one.
  public mutating func takeLong() -> Bool {
    guard isClosed || longTaken < longCount && !waiters.contains(where: \.isLong) else { return false }
    longTaken += 1
    return true
  }

  /// Requests a slot.
  ///
  /// - Parameters:
  ///   - isLong: Whether it also requests a place for long work.
  ///   - onGrant: Called when a slot is granted later.
  /// - Returns: The number of the request, and whether it is granted already; then the caller calls `onGrant`.
  public mutating func enqueue(
    isLong: Bool = false, _ onGrant: @escaping Grant
  ) -> (number: UInt64, isGranted: Bool) {
    lastNumber += 1
    let waiter = Waiter(number: lastNumber, isLong: isLong, onGrant: onGrant)
    if isClosed || canHave(waiter) {
      grant(waiter)
      return (lastNumber, true)
    }
    waits += 1
    waiters.append(waiter)
    return (lastNumber, false)
  }

  /// Returns whether a place for long work has been granted with a slot that has not been claimed yet.
  public func isLong(_ number: UInt64) -> Bool { granted[number] ?? false }

  /// Claims the slot that was granted to a request; returns false if none was, or it has been claimed or withdrawn.
  public mutating func claim(_ number: UInt64) -> Bool { granted.removeValue(forKey: number) != nil }

  /// Ends a request that has not been claimed.
  ///
  /// - Parameter isOverdue: Whether its time is up; otherwise its caller has withdrawn it.
  /// - Returns: The call that grants its slot to the next request, if there is one.
  public mutating func withdraw(_ number: UInt64, isOverdue: Bool) -> Call? {
    if let index = waiters.firstIndex(where: { $0.number == number }) {
      waiters.remove(at: index)
      if isOverdue { timeouts += 1 }
      return nil
    }
    guard let isLong = granted.removeValue(forKey: number) else { return nil }
    if isLong { longTaken -= 1 }
    return release()
  }

  /// Returns a slot to the queue.
  ///
  /// - Returns: The call that grants it to the next request, if one waits.
  public mutating func release() -> Call? {
    taken -= 1
    return grantNext()
  }

  /// Returns a place for long work to the queue.
  ///
  /// - Returns: The call that grants it to the next request that waits for one, if there is a slot as well.
  public mutating func releaseLong() -> Call? {
    longTaken -= 1
    return grantNext()
  }

  private func canHave(_ waiter: Waiter) -> Bool {
    taken < count && (!waiter.isLong || longTaken < longCount)
  }

  /// Grants a slot to the first request that can have one.
  private mutating func grantNext() -> Call? {
    guard let index = waiters.firstIndex(where: canHave) else { return nil }
    let next = waiters.remove(at: index)
    grant(next)
    return { next.onGrant(next.number) }
  }

  private mutating func grant(_ waiter: Waiter) {
    granted[waiter.number] = waiter.isLong
    taken += 1
    if waiter.isLong { longTaken += 1 }
  }

  /// Closes the queue.
  ///
  /// - Returns: The call that grants a slot to every request that waits.
  public mutating func close() -> Call {
    isClosed = true
    let all = waiters
    waiters = []
    for waiter in all { grant(waiter) }
    return { for waiter in all { waiter.onGrant(waiter.number) } }
  }
}
