import CKindredSQLite

extension Connection {
  /// Copies the database, as it is at one moment, to a connection whose database is overwritten
  /// (<https://www.sqlite.org/backup.html>).
  ///
  /// All pages are copied in one step, because the copy would begin anew with each commit of others in between. In WAL
  /// mode, nobody waits for it.
  ///
  /// - Throws: `DatabaseError`
  public func backUp(to copy: Connection) throws {
    guard let backup = sqlite3_backup_init(copy.handle, "main", handle, "main") else {
      throw DatabaseError(
        extendedCode: sqlite3_extended_errcode(copy.handle),
        message: String(cString: sqlite3_errmsg(copy.handle)))
    }
    let code = sqlite3_backup_step(backup, -1)
    let end = sqlite3_backup_finish(backup)
    guard code == SQLITE_DONE, end == SQLITE_OK else {
      let code = code == SQLITE_DONE ? end : code
      throw DatabaseError(extendedCode: code, message: String(cString: sqlite3_errstr(code)))
    }
  }
}
