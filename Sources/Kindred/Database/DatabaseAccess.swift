import Dispatch
import KindredSQLite

/// A database that can be read.
public protocol DatabaseReader: AnyObject, Sendable {
  /// Runs `body` in a transaction that reads: it sees one state of the database, whoever commits meanwhile.
  ///
  /// - Throws: What `body` throws, or `DatabaseError`.
  func read<Result>(_ body: (Database) throws -> Result) throws -> Result

  /// Runs `body` in a transaction that reads, on another thread.
  ///
  /// - Throws: What `body` throws, or `DatabaseError`.
  func read<Result: Sendable>(_ body: @escaping @Sendable (Database) throws -> Result) async throws -> Result

  /// What is committed, for those who observe it.
  var commits: DatabaseCommits { get }
}

/// A database that can be read and written.
public protocol DatabaseWriter: DatabaseReader {
  /// Runs `body` in a transaction, which is committed at the end, and rolled back if `body` throws.
  ///
  /// Writers wait for one another.
  ///
  /// - Throws: What `body` throws, or `DatabaseError`.
  func write<Result>(_ body: (Database) throws -> Result) throws -> Result

  /// Runs `body` in a transaction, on another thread.
  ///
  /// - Throws: What `body` throws, or `DatabaseError`.
  func write<Result: Sendable>(
    _ body: @escaping @Sendable (Database) throws -> Result
  ) async throws -> Result

  /// Runs `body` without a transaction: each statement is one of its own, unless `body` opens one.
  ///
  /// - Throws: What `body` throws, or `DatabaseError`.
  func writeWithoutTransaction<Result>(_ body: (Database) throws -> Result) throws -> Result
}

extension DatabaseReader {
  /// Runs an access on another thread: accesses wait, which threads of the concurrency's pool must not do.
  func onAnotherThread<Result: Sendable>(
    _ access: @escaping @Sendable () throws -> Result
  ) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
      DispatchQueue.global().async { continuation.resume(with: Swift.Result(catching: access)) }
    }
  }
}

/// What is committed to a database, for those who observe it.
public struct DatabaseCommits: Sendable {
  let context: DatabaseContext
}

extension Connection {
  /// Runs `body` as an access to the database, and ends that.
  func access<Result>(
    in context: DatabaseContext, isQueryOnly: Bool = false, _ body: (Database) throws -> Result
  ) throws -> Result {
    let database = Database(self, context: context, isQueryOnly: isQueryOnly)
    defer { database.close() }
    return try database.checkingDecoding { try body(database) }
  }

  /// Runs `body` as an access that may write, and tells the observers what it has committed.
  func writingAccess<Result>(
    in context: DatabaseContext, _ body: (Database) throws -> Result
  ) throws -> Result {
    try context.observers.watch(self) { try access(in: context, body) }
  }
}
