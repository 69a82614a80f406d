import CKindredSQLite
import KindredSQLSyntax
import KindredSQLite

extension DatabaseReader {
  /// Copies the database into another one, which is overwritten (<https://www.sqlite.org/backup.html>).
  ///
  /// - Parameters:
  ///   - writer: The other database.
  ///   - pagesPerStep: The number of pages that are copied before `progress` is called; all of them by default.
  ///   - progress: Receives how much has been copied; an error that it throws ends the copy, unless it was the last
  ///     step.
  /// - Throws: `DatabaseError`, or the error that `progress` throws.
  public func backup(
    to writer: some DatabaseWriter, pagesPerStep: Int = -1,
    progress: ((DatabaseBackupProgress) throws -> Void)? = nil
  ) throws {
    try writer.writeWithoutTransaction { destination in
      try read { source in
        try source.backup(to: destination, pagesPerStep: pagesPerStep, progress: progress)
      }
    }
  }
}

/// How much of a database a backup has copied.
public struct DatabaseBackupProgress: Hashable, Sendable {
  /// The number of pages that are left.
  public let remainingPageCount: Int
  /// The number of all pages.
  public let totalPageCount: Int

  /// The number of pages that have been copied.
  public var completedPageCount: Int { totalPageCount - remainingPageCount }
  /// Whether all pages have been copied.
  public var isCompleted: Bool { remainingPageCount == 0 }
}

extension Database {
  /// Copies the database into another one, which is overwritten.
  ///
  /// - Throws: `DatabaseError`, or the error that `progress` throws.
  public func backup(
    to destination: Database, pagesPerStep: Int = -1,
    progress: ((DatabaseBackupProgress) throws -> Void)? = nil
  ) throws {
    let target = try destination.connection
    guard let backup = sqlite3_backup_init(target.handle, "main", try connection.handle, "main") else {
      throw target.error(sqlite3_errcode(target.handle))
    }
    var isFinished = false
    defer { if !isFinished { sqlite3_backup_finish(backup) } }
    var code: Int32
    repeat {
      code = sqlite3_backup_step(backup, Int32(clamping: pagesPerStep))
      guard code == SQLITE_OK || code == SQLITE_DONE else { break }
      let state = DatabaseBackupProgress(
        remainingPageCount: Int(sqlite3_backup_remaining(backup)),
        totalPageCount: Int(sqlite3_backup_pagecount(backup)))
      do {
        try progress?(state)
      } catch  where code != SQLITE_DONE {
        throw error
      }
    } while code == SQLITE_OK
    isFinished = true
    let result = sqlite3_backup_finish(backup)
    guard code == SQLITE_DONE, result == SQLITE_OK else {
      throw target.error(code == SQLITE_DONE ? result : code)
    }
  }
}

extension DatabaseWriter {
  /// Rebuilds the database without the space that deleted rows have left
  /// (<https://www.sqlite.org/lang_vacuum.html>).
  ///
  /// - Throws: `DatabaseError`.
  public func vacuum() throws {
    try writeWithoutTransaction { db in try db.execute(sql: "VACUUM") }
  }

  /// Writes a copy of the database without that space to a file, which must not exist.
  ///
  /// - Throws: `DatabaseError`.
  public func vacuum(into path: String) throws {
    try writeWithoutTransaction { db in try db.execute(sql: "VACUUM INTO ?", arguments: [path]) }
  }

  /// Deletes all tables, views, indexes and triggers, with their content.
  ///
  /// - Throws: `DatabaseError`.
  public func erase() throws {
    try barrierWriteWithoutTransaction { db in try db.erase() }
  }
}

extension Database {
  /// Deletes the whole content, by SQLite's own means (<https://www.sqlite.org/c3ref/c_dbconfig_defensive.html>).
  func erase() throws {
    let connection = try connection
    func reset(_ isOn: Bool) throws {
      // Defensive connections refuse to reset a database.
      let options = [(SQLITE_DBCONFIG_DEFENSIVE, !isOn), (SQLITE_DBCONFIG_RESET_DATABASE, isOn)]
      for (option, value) in options {
        let code = kindred_sqlite3_db_config(connection.handle, option, value ? 1 : 0)
        guard code == SQLITE_OK else { throw connection.error(code) }
      }
    }
    try reset(true)
    let outcome = Result { try execute(sql: "VACUUM") }
    try reset(false)
    try outcome.get()
  }

  /// Rebuilds the indexes that use a collation, after its order has changed.
  ///
  /// - Throws: `DatabaseError`.
  public func reindex(collation: CollationName) throws {
    try execute("REINDEX \(identifier: collation.rawValue)")
  }

  /// Checks that all foreign keys refer to existing rows.
  ///
  /// - Parameter table: The table whose foreign keys are checked; all by default.
  /// - Throws: `DatabaseError` (foreign key) about the first one that doesn't.
  public func checkForeignKeys(in table: String? = nil) throws {
    let sql = table.map { "PRAGMA foreign_key_check(\(SQLText.quoted($0)))" } ?? "PRAGMA foreign_key_check"
    guard let row = try Row.fetchOne(self, sql: sql) else { return }
    let (origin, parent): (String?, String?) = (row["table"], row["parent"])
    throw DatabaseError(
      resultCode: .SQLITE_CONSTRAINT_FOREIGNKEY,
      message: "a row of \(origin ?? "") refers to a missing row of \(parent ?? "")")
  }
}

// MARK: - Dump

extension DatabaseReader {
  /// Prints the rows of a query, its columns separated by `|`.
  ///
  /// - Throws: `DatabaseError`.
  public func dumpSQL(_ sql: SQLLiteral) throws {
    try read { db in try db.dumpSQL(sql) }
  }

  /// Prints the rows of a request.
  ///
  /// - Throws: `AssociationError`, `DatabaseError`.
  public func dumpRequest(_ request: some FetchRequest) throws {
    try read { db in try db.dumpRequest(request) }
  }
}

extension Database {
  /// Prints the rows of a query, its columns separated by `|`.
  ///
  /// - Throws: `DatabaseError`.
  public func dumpSQL(_ sql: SQLLiteral) throws { try dumpRequest(SQLRequest<Row>(literal: sql)) }

  /// Prints the rows of a request.
  ///
  /// - Throws: `AssociationError`, `DatabaseError`.
  public func dumpRequest(_ request: some FetchRequest) throws {
    let rows = try Row.fetchCursor(self, request)
    try rows.forEach { row in
      print(
        row.databaseValues.map { value in
          if case .text(let text) = value.sqlValue { text } else { value.isNull ? "" : value.description }
        }.joined(separator: "|"))
    }
  }
}
