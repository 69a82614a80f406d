import CKindredSQLite

/// When a connection checks foreign keys, and whether deferred ones are violated
/// (<https://www.sqlite.org/foreignkeys.html#fk_deferred>).
public struct ForeignKeyChecks {
  let connection: Connection

  /// Whether a deferred foreign key is violated, so that a commit would fail.
  public var areViolated: Bool {
    var current: Int32 = 0
    var highest: Int32 = 0
    let code = sqlite3_db_status(
      connection.handle, SQLITE_DBSTATUS_DEFERRED_FKS, &current, &highest, 0)
    return code == SQLITE_OK && current != 0
  }

  /// Checks deferred foreign keys as a commit does.
  ///
  /// - Throws: The `DatabaseError` that the commit would throw.
  public func check() throws {
    guard areViolated else { return }
    throw DatabaseError(
      extendedCode: SQLITE_CONSTRAINT | Int32(DatabaseError.Constraint.foreignKey.rawValue) << 8,
      message: "FOREIGN KEY constraint failed")
  }

  /// Sets whether all foreign keys are checked only at the commit, until the transaction ends.
  public func setDeferred(_ isOn: Bool) throws {
    try connection.withStatement("PRAGMA defer_foreign_keys = \(isOn ? "ON" : "OFF")") {
      _ = try $0.runForInteger()
    }
  }

  /// Whether foreign keys are enforced.
  package var areEnforced: Bool {
    get throws {
      try connection.withStatement("PRAGMA foreign_keys") { try $0.runForInteger() } != 0
    }
  }

  /// Sets whether foreign keys are enforced; it can't be changed in a transaction.
  package func setEnforced(_ isOn: Bool) throws {
    try connection.execute("PRAGMA foreign_keys = \(isOn ? "ON" : "OFF")")
  }
}

extension Connection {
  /// The checks of foreign keys.
  public var foreignKeys: ForeignKeyChecks { ForeignKeyChecks(connection: self) }
}
