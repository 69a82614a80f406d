import Foundation
import Synchronization

/// The threads that have an access, so that a nested access throws instead of waiting for its own thread.
final class AccessingThreads: Sendable {
  private let threads = Mutex<Set<ObjectIdentifier>>([])

  /// Runs `body` as an access of this thread.
  ///
  /// - Throws: The error that `body` throws; `DatabaseError` (misuse) if this thread has an access already.
  func entering<Result>(_ body: () throws -> Result) throws -> Result {
    let thread = ObjectIdentifier(Thread.current)
    guard threads.withLock({ $0.insert(thread).inserted }) else {
      throw DatabaseError.misuse("database accesses can't be nested; use the Database of the outer one")
    }
    defer { _ = threads.withLock { $0.remove(thread) } }
    return try body()
  }

  /// Whether this thread has an access.
  var hasCurrent: Bool { threads.withLock { $0.contains(ObjectIdentifier(Thread.current)) } }
}
