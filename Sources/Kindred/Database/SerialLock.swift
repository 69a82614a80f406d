import Dispatch
import Foundation
import Synchronization

/// Lets one thread in at a time, and tells a thread that comes in again instead of letting it wait for itself.
final class SerialLock: Sendable {
  /// It starts at zero: a semaphore must not end below where it started.
  private let free = DispatchSemaphore(value: 0)
  /// Which thread is inside.
  private let holder = Mutex<ObjectIdentifier?>(nil)

  init() { free.signal() }

  /// Runs `body` when nobody else is inside.
  ///
  /// - Throws: What `body` throws; `DatabaseError` (misuse) where the thread is inside already.
  func withLock<Result>(_ body: () throws -> Result) throws -> Result {
    let thread = ObjectIdentifier(Thread.current)
    guard holder.withLock({ $0 }) != thread else {
      throw DatabaseError.misuse("an access to the database inside of another one: use the one that is there")
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
