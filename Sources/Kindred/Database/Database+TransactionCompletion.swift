extension Database {
  /// When a transaction takes its locks (<https://www.sqlite.org/lang_transaction.html>).
  public enum TransactionKind: Sendable {
    /// When it first reads or writes.
    case deferred
    /// The lock to write, when it begins.
    case immediate
    /// All locks, when it begins.
    case exclusive
  }

  /// How a transaction or savepoint ends.
  public enum TransactionCompletion: Sendable {
    /// Its changes are kept.
    case commit
    /// Its changes are undone.
    case rollback
  }

  /// Runs `body` in a transaction, which ends as `body` says, and is rolled back if it throws.
  ///
  /// - Throws: The error that `body` throws, or `DatabaseError`.
  @_disfavoredOverload
  public func inTransaction(
    _ kind: TransactionKind? = nil, _ body: () throws -> TransactionCompletion
  ) throws { let _: TransactionCompletion = try inTransaction(kind, body) }

  /// Runs `body` in a savepoint, which ends as `body` says, and is rolled back if it throws.
  ///
  /// - Throws: The error that `body` throws, or `DatabaseError`.
  @_disfavoredOverload
  public func inSavepoint(_ body: () throws -> TransactionCompletion) throws {
    let _: TransactionCompletion = try inSavepoint(body)
  }
}

extension Database.TransactionCompletion {
  /// Whether a result of any type says that a transaction is undone.
  static func isRollback<Result>(_ result: Result) -> Bool {
    Result.self == Self.self && result as? Self == .rollback
  }
}
