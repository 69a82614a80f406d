import Synchronization

/// Memory for output, kept in a pool: allocating it anew for each response would cost more than filling it.
public final class OutputMemory: @unchecked Sendable {
  // Used by one owner at a time: the one that took it from the pool or created it.

  package let base: UnsafeMutablePointer<UInt8>
  /// How many bytes may be written; ``slack`` more follow them.
  package let capacity: Int

  /// How many bytes copies of whole vectors may reach beyond the end.
  @inlinable public static var slack: Int { 32 }

  package init(capacity: Int) {
    self.capacity = capacity
    base = .allocate(capacity: capacity + Self.slack)
  }

  deinit { base.deallocate() }

  // MARK: The pool

  private static let idle = Mutex<[OutputMemory]>([])
  /// The size of a part of a result, which only its last value may exceed.
  package static var partSize: Int { 128 << 10 }
  private static let pooledCapacity = partSize + partSize / 8
  private static let pooledCount = 16

  /// Takes memory for a part of a result from the pool.
  package static func take() -> OutputMemory {
    idle.withLock { $0.popLast() } ?? OutputMemory(capacity: pooledCapacity)
  }

  /// Returns the memory to the pool; memory that grew for one large value is freed instead.
  @usableFromInline package func giveBack() {
    guard capacity == Self.pooledCapacity else { return }
    Self.idle.withLock { if $0.count < Self.pooledCount { $0.append(self) } }
  }
}
