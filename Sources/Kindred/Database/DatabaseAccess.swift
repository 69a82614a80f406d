import KindredSQLite

/// A database that can be read.
public protocol DatabaseReader: AnyObject, Sendable {
  /// Runs `body` in a read transaction, which sees one state of the database whatever is committed meanwhile.
  ///
  /// - Throws: The error that `body` throws, or `DatabaseError`.
  func read<Result>(_ body: (Database) throws -> Result) throws -> Result

  /// Runs `body` in a read transaction on another thread.
  ///
  /// - Throws: The error that `body` throws, or `DatabaseError`.
  func read<Result: Sendable>(_ body: @escaping @Sendable (Database) throws -> Result) async throws -> Result

  /// The database's commits, as seen by observations.
  var commits: DatabaseCommits { get }
}

/// A database that can be read and written.
public protocol DatabaseWriter: DatabaseReader {
  /// Runs `body` in a transaction, which is committed if `body` returns, and rolled back if it throws.
  ///
  /// Only one write access runs at a time; others wait for it.
  ///
  /// - Throws: The error that `body` throws, or `DatabaseError`.
  func write<Result>(_ body: (Database) throws -> Result) throws -> Result

  /// Runs `body` in a transaction on another thread.
  ///
  /// - Throws: The error that `body` throws, or `DatabaseError`.
  func write<Result: Sendable>(
    _ body: @escaping @Sendable (Database) throws -> Result
  ) async throws -> Result

  /// Runs `body` without opening a transaction: each statement commits by itself unless `body` opens one.
  ///
  /// - Throws: The error that `body` throws, or `DatabaseError`.
  func writeWithoutTransaction<Result>(_ body: (Database) throws -> Result) throws -> Result
}

/// The commits of a database, as seen by observations.
public struct DatabaseCommits: Sendable {
  let context: DatabaseContext
}

extension Connection {
  /// Runs `body` as an access to the database, and ends the access.
  func access<Result>(
    in context: DatabaseContext, isQueryOnly: Bool = false, _ body: (Database) throws -> Result
  ) throws -> Result {
    let database = Database(self, context: context, isQueryOnly: isQueryOnly)
    defer { database.close() }
    return try database.checkingDecoding { try body(database) }
  }

  /// Runs `body` as an access that may write, and notifies observers of what it has committed.
  func writingAccess<Result>(
    in context: DatabaseContext, _ body: (Database) throws -> Result
  ) throws -> Result {
    try context.observers.watch(self) { try access(in: context, body) }
  }
}
