import CKindredSQLite

extension Connection {
  /// Copies the database, as it is at one moment, to a connection whose database is overwritten
  /// (<https://www.sqlite.org/backup.html>).
  ///
  /// By default, all pages are copied in one step, because the copy would begin anew with each commit of others in
  /// between. In WAL mode, no other connection waits for it.
  ///
  /// - Parameters:
  ///   - copy: The connection.
  ///   - pagesPerStep: The number of pages that are copied before `progress` is called.
  ///   - progress: Receives the number of pages that are left, and that of all; an error that it throws ends the copy,
  ///     unless it was the last step.
  /// - Throws: `DatabaseError`, or the error that `progress` throws.
  public func backUp(
    to copy: Connection, pagesPerStep: Int32 = -1, progress: ((_ left: Int, _ all: Int) throws -> Void)? = nil
  ) throws {
    guard let backup = sqlite3_backup_init(copy.handle, "main", handle, "main") else {
      throw copy.error(sqlite3_errcode(copy.handle))
    }
    var isFinished = false
    defer { if !isFinished { sqlite3_backup_finish(backup) } }
    var code: Int32
    repeat {
      code = sqlite3_backup_step(backup, pagesPerStep)
      guard code == SQLITE_OK || code == SQLITE_DONE else { break }
      do {
        try progress?(Int(sqlite3_backup_remaining(backup)), Int(sqlite3_backup_pagecount(backup)))
      } catch  where code != SQLITE_DONE {
        throw error
      }
    } while code == SQLITE_OK
    isFinished = true
    let end = sqlite3_backup_finish(backup)
    guard code == SQLITE_DONE, end == SQLITE_OK else { throw copy.error(code == SQLITE_DONE ? end : code) }
  }
}
