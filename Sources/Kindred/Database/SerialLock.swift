import Dispatch

/// A lock for one thread at a time, which throws instead of deadlocking when its holder locks it again.
final class SerialLock: Sendable {
  /// Created with zero and signaled in `init`: Dispatch traps if a semaphore is freed below its initial value.
  private let free = DispatchSemaphore(value: 0)
  private let threads = AccessingThreads()

  init() { free.signal() }

  /// Runs `body` while holding the lock.
  ///
  /// - Throws: The error that `body` throws; `DatabaseError` (misuse) if this thread holds the lock already.
  func withLock<Result>(_ body: () throws -> Result) throws -> Result {
    try threads.entering {
      free.wait()
      defer { free.signal() }
      return try body()
    }
  }
}
