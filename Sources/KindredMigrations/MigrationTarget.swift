/// A database that migrations are applied to.
public protocol MigrationTarget {
  /// The applied migrations, in the order of their numbers; none if the database has no table of them yet.
  var appliedMigrations: [AppliedMigration] { get throws }

  /// Calls `body` with the settings that migrations run with.
  func prepared<Result>(for body: () throws -> Result) throws -> Result

  /// Runs a migration and records it, all or nothing, while no other process does so.
  ///
  /// - Parameters:
  ///   - isPending: Returns whether no other process has applied it in the meantime; called once none can any more.
  ///   - found: Called with the broken references that it finds, if there are any.
  /// - Returns: Whether it was applied.
  /// - Throws: `MigrationFailure`, and what `isPending` throws.
  func apply(
    _ migration: Migration, if isPending: () throws -> Bool, found: (BrokenReferences) -> Void
  ) throws -> Bool
}

/// Why a migration can't be applied.
public struct MigrationFailure: Error {
  /// The kind of failure.
  public let reason: MigrationError.Reason
  /// The line of the statement in the file, from 1; nil if it is about none.
  public let line: Int?

  /// Creates a failure.
  public init(_ reason: MigrationError.Reason, line: Int? = nil) {
    (self.reason, self.line) = (reason, line)
  }
}
