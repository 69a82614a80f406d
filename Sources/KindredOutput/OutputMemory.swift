import Synchronization

/// Memory for output, used again and again: taking it anew from the system for each answer would cost more than
/// filling it.
package final class OutputMemory: @unchecked Sendable {
  // Has one holder at a time: who takes it from the pool, or makes it.

  package let base: UnsafeMutablePointer<UInt8>
  /// How many bytes may be written; behind them there are ``slack`` more.
  package let capacity: Int

  /// What copies of whole vectors may reach beyond their ends.
  @inlinable package static var slack: Int { 32 }

  package init(capacity: Int) {
    self.capacity = capacity
    base = .allocate(capacity: capacity + Self.slack)
  }

  deinit { base.deallocate() }

  // MARK: The pool

  private static let idle = Mutex<[OutputMemory]>([])
  /// What a part of a result is at most, but for its last value.
  @inlinable package static var partSize: Int { 128 << 10 }
  private static let pooledCapacity = partSize + partSize / 8
  private static let pooledCount = 16

  /// Takes memory for a part of a result.
  package static func take() -> OutputMemory {
    idle.withLock { $0.popLast() } ?? OutputMemory(capacity: pooledCapacity)
  }

  /// Gives it back; what has grown, for the sake of one large value, is let go.
  package func giveBack() {
    guard capacity == Self.pooledCapacity else { return }
    Self.idle.withLock { if $0.count < Self.pooledCount { $0.append(self) } }
  }
}
