import CKindredSQLite
import KindredSQLite

extension Database {
  /// Whether a transaction is open.
  public var isInsideTransaction: Bool { isOpen && ownConnection.isInTransaction }

  /// Runs `body` in a transaction, which is rolled back if `body` throws, or returns `TransactionCompletion.rollback`.
  ///
  /// Inside another transaction it opens a savepoint instead.
  ///
  /// - Parameters:
  ///   - kind: When the transaction takes its locks; immediately by default.
  ///   - body: The statements of the transaction.
  /// - Throws: The error that `body` throws, or `DatabaseError`.
  public func inTransaction<Result>(
    _ kind: TransactionKind? = nil, _ body: () throws -> Result
  ) throws -> Result {
    guard try !connection.isInTransaction else { return try inSavepoint(body) }
    try beginTransaction(kind)
    do {
      let result = try insideTransaction(body)
      if TransactionCompletion.isRollback(result) { try rollback() } else { try commit() }
      return result
    } catch {
      if isInsideTransaction { try? rollback() }
      forgetSchema()
      throw error
    }
  }

  /// Runs `body` in a savepoint, whose changes are rolled back if `body` throws, or returns
  /// `TransactionCompletion.rollback`.
  ///
  /// Outside of a transaction it opens one, as `inTransaction` does.
  ///
  /// - Throws: The error that `body` throws, or `DatabaseError`.
  public func inSavepoint<Result>(_ body: () throws -> Result) throws -> Result {
    guard try connection.isInTransaction else { return try inTransaction(nil, body) }
    knownVersion = nil
    var undone: Result?
    do {
      let connection = try connection
      return try notifying {
        try connection.savepoint {
          let result = try insideTransaction(body)
          if TransactionCompletion.isRollback(result) {
            undone = result
            throw RollBack()
          }
          return result
        }
      }
    } catch {
      forgetSchema()
      guard error is RollBack, let undone else { throw error }
      return undone
    }
  }

  private struct RollBack: Error {}

  /// Runs `body` in a read transaction.
  func reading<Result>(_ body: () throws -> Result) throws -> Result {
    knownVersion = nil
    return try connection.readTransaction { try insideTransaction(body) }
  }

  /// Runs `body` in the transaction that is open, and stays open.
  ///
  /// - Throws: `DatabaseError` (abort) if it is not open, or is not any more.
  func insideOpenTransaction<Result>(_ body: () throws -> Result) throws -> Result {
    func check() throws {
      guard isInsideTransaction else {
        throw DatabaseError(extendedCode: SQLITE_ABORT, message: "the transaction of the snapshot has ended")
      }
    }
    try check()
    let result = try insideTransaction(body)
    try check()
    return result
  }

  /// Runs `body`, which is refused further statements when its transaction is gone, and checks that it may be
  /// committed.
  private func insideTransaction<Result>(_ body: () throws -> Result) throws -> Result {
    transactionDepth += 1
    defer { transactionDepth -= 1 }
    let result = try checkingDecoding(body)
    try ownConnection.checkInterruption()
    return result
  }

  /// Begins a transaction, which must be ended in the same access.
  ///
  /// - Parameter kind: When the transaction takes its locks; immediately by default.
  /// - Throws: `DatabaseError`.
  public func beginTransaction(_ kind: TransactionKind? = nil) throws {
    (keptTransactionDate, knownVersion) = (nil, nil)
    switch kind ?? (isQueryOnly || configuration.readonly ? .deferred : .immediate) {
    case .immediate:
      let connection = try connection
      try notifying { try connection.beginWrite() }
    case .deferred: try execute(sql: "BEGIN DEFERRED")
    case .exclusive: try execute(sql: "BEGIN EXCLUSIVE")
    }
  }

  /// Commits the transaction.
  ///
  /// - Throws: `DatabaseError`; the transaction is rolled back then.
  public func commit() throws {
    let connection = try connection
    try notifying { try connection.commit() }
  }

  /// Rolls back the transaction.
  ///
  /// - Throws: `DatabaseError`.
  public func rollback() throws {
    let connection = try connection
    try notifying { connection.rollback() }
    forgetSchema()
  }

  /// Runs `body`, in which statements that write throw.
  ///
  /// - Throws: The error that `body` throws.
  public func readOnly<Result>(_ body: () throws -> Result) throws -> Result {
    let before = isQueryOnly
    isQueryOnly = true
    defer { isQueryOnly = before }
    return try body()
  }

  /// Runs `body`, then throws the first error that a subscript of a row recorded meanwhile.
  func checkingDecoding<Result>(_ body: () throws -> Result) throws -> Result {
    let result = try body()
    try failures.check()
    return result
  }
}
