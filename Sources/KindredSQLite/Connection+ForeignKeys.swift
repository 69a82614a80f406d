import CKindredSQLite

/// Foreign keys that are checked later than by the statement that violates them
/// (<https://www.sqlite.org/foreignkeys.html#fk_deferred>).
extension Connection {
  /// Whether a foreign key is violated, which a commit would refuse.
  public var violatesForeignKeys: Bool {
    var current: Int32 = 0
    var highest: Int32 = 0
    let code = sqlite3_db_status(handle, SQLITE_DBSTATUS_DEFERRED_FKS, &current, &highest, 0)
    return code == SQLITE_OK && current != 0
  }

  /// Does what the commit would do with foreign keys.
  ///
  /// - Throws: `DatabaseError`, as the commit would.
  public func checkForeignKeys() throws {
    guard violatesForeignKeys else { return }
    throw DatabaseError(
      extendedCode: SQLITE_CONSTRAINT | Int32(DatabaseError.Constraint.foreignKey.rawValue) << 8,
      message: "FOREIGN KEY constraint failed")
  }

  /// Has all foreign keys checked at the commit, until this is taken back or the transaction ends.
  public func setDefersForeignKeys(_ isOn: Bool) throws {
    try withStatement("PRAGMA defer_foreign_keys = \(isOn ? "ON" : "OFF")") { _ = try $0.runForInteger() }
  }
}
