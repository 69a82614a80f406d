import Foundation
import Synchronization

/// The accesses that are under way, by their threads, for accesses that may be opened inside others.
final class CurrentAccesses: Sendable {
  private struct Access: @unchecked Sendable {
    // Only the thread that has the access takes it out again.
    let database: Database
  }

  private let accesses = Mutex<[ObjectIdentifier: [Access]]>([:])

  /// Runs `body`, during which an access is the current one of this thread.
  func entering<Result>(_ database: Database, _ body: () throws -> Result) rethrows -> Result {
    let thread = ObjectIdentifier(Thread.current)
    let access = Access(database: database)
    accesses.withLock { $0[thread, default: []].append(access) }
    defer {
      accesses.withLock { accesses in
        _ = accesses[thread]?.popLast()
        if accesses[thread]?.isEmpty ?? false { accesses[thread] = nil }
      }
    }
    return try body()
  }

  /// The innermost access of this thread that satisfies a condition; nil if it has none.
  func current(where condition: (Database) -> Bool) -> Database? {
    let thread = ObjectIdentifier(Thread.current)
    let open = accesses.withLock { $0[thread] ?? [] }
    return open.last { condition($0.database) }?.database
  }
}
