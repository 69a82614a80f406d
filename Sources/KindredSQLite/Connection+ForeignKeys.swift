import CKindredSQLite

/// Foreign keys that are checked after the statement that violates them
/// (<https://www.sqlite.org/foreignkeys.html#fk_deferred>).
extension Connection {
  /// Whether a deferred foreign key is violated, so that a commit would fail.
  public var violatesForeignKeys: Bool {
    var current: Int32 = 0
    var highest: Int32 = 0
    let code = sqlite3_db_status(handle, SQLITE_DBSTATUS_DEFERRED_FKS, &current, &highest, 0)
    return code == SQLITE_OK && current != 0
  }

  /// Checks foreign keys as a commit does.
  ///
  /// - Throws: The `DatabaseError` that the commit would throw.
  public func checkForeignKeys() throws {
    guard violatesForeignKeys else { return }
    throw DatabaseError(
      extendedCode: SQLITE_CONSTRAINT | Int32(DatabaseError.Constraint.foreignKey.rawValue) << 8,
      message: "FOREIGN KEY constraint failed")
  }

  /// Sets whether all foreign keys are checked only at the commit, until the transaction ends.
  public func setDefersForeignKeys(_ isOn: Bool) throws {
    try withStatement("PRAGMA defer_foreign_keys = \(isOn ? "ON" : "OFF")") { _ = try $0.runForInteger() }
  }
}
