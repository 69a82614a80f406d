import Dispatch
import Foundation
import Synchronization

/// A lock for one thread at a time, which throws instead of deadlocking when its holder locks it again.
final class SerialLock: Sendable {
  /// Created with zero and signaled in `init`: Dispatch traps if a semaphore is freed below its initial value.
  private let free = DispatchSemaphore(value: 0)
  /// The thread that holds the lock.
  private let holder = Mutex<ObjectIdentifier?>(nil)

  init() { free.signal() }

  /// Runs `body` while holding the lock.
  ///
  /// - Throws: The error that `body` throws; `DatabaseError` (misuse) if this thread holds the lock already.
  func withLock<Result>(_ body: () throws -> Result) throws -> Result {
    let thread = ObjectIdentifier(Thread.current)
    guard holder.withLock({ $0 }) != thread else {
      throw DatabaseError.misuse("accesses can't be nested: use the Database of the outer one")
    }
    free.wait()
    holder.withLock { $0 = thread }
    defer {
      holder.withLock { $0 = nil }
      free.signal()
    }
    return try body()
  }
}
