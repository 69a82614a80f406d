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
    try connection.backUp(
      to: destination.connection, pagesPerStep: Int32(clamping: pagesPerStep),
      progress: progress.map { report in
        { try report(DatabaseBackupProgress(remainingPageCount: $0, totalPageCount: $1)) }
      })
  }
}

extension DatabaseQueue {
  /// Returns a database in memory with a copy of the content of a file.
  ///
  /// - Throws: `DatabaseError`.
  public static func inMemoryCopy(
    fromPath path: String, configuration: Configuration = Configuration()
  ) throws -> DatabaseQueue {
    try copy(of: path, to: ":memory:", configuration)
  }

  /// Returns a database in a temporary file with a copy of the content of another one.
  ///
  /// - Throws: `DatabaseError`.
  public static func temporaryCopy(
    fromPath path: String, configuration: Configuration = Configuration()
  ) throws -> DatabaseQueue {
    try copy(of: path, to: "", configuration)
  }

  private static func copy(of path: String, to target: String, _ configuration: Configuration) throws
    -> DatabaseQueue
  {
    var reading = Configuration()
    reading.readonly = true
    let source = try DatabaseQueue(path: path, configuration: reading)
    var writing = configuration
    writing.readonly = false
    let copy = try DatabaseQueue(path: target, configuration: writing)
    try source.backup(to: copy)
    return copy
  }
}

extension Database {
  /// Releases memory that the connection can do without (<https://www.sqlite.org/c3ref/db_release_memory.html>).
  public func releaseMemory() {
    if let connection = try? connection { sqlite3_db_release_memory(connection.handle) }
  }
}

extension DatabaseWriter {
  /// Releases memory that the connections can do without, after the accesses that are under way.
  public func releaseMemory() { try? barrierWriteWithoutTransaction { db in db.releaseMemory() } }

  /// Releases memory that the connections can do without, at some time.
  public func releaseMemoryEventually() {
    asyncBarrierWriteWithoutTransaction { try? $0.get().releaseMemory() }
  }

  /// Rebuilds the database without the space that deleted rows have left
  /// (<https://www.sqlite.org/lang_vacuum.html>).
  ///
  /// - Throws: `DatabaseError`.
  public func vacuum() throws {
    try writeWithoutTransaction { db in try db.execute(sql: "VACUUM") }
  }

  /// Rebuilds the database without the space that deleted rows have left, on another thread.
  ///
  /// - Throws: `DatabaseError`; `CancellationError`.
  public func vacuum() async throws {
    try await writeWithoutTransaction { db in try db.execute(sql: "VACUUM") }
  }

  /// Writes a copy of the database without that space to a file, which must not exist.
  ///
  /// - Throws: `DatabaseError`.
  public func vacuum(into path: String) throws {
    try writeWithoutTransaction { db in try db.execute(sql: "VACUUM INTO ?", arguments: [path]) }
  }

  /// Writes a copy of the database without that space to a file, which must not exist, on another thread.
  ///
  /// - Throws: `DatabaseError`; `CancellationError`.
  public func vacuum(into path: String) async throws {
    try await writeWithoutTransaction { db in try db.execute(sql: "VACUUM INTO ?", arguments: [path]) }
  }

  /// Deletes all tables, views, indexes and triggers, with their content.
  ///
  /// - Throws: `DatabaseError`.
  public func erase() throws {
    try barrierWriteWithoutTransaction { db in try db.erase() }
  }

  /// Deletes all tables, views, indexes and triggers, with their content, on another thread.
  ///
  /// - Throws: `DatabaseError`; `CancellationError`.
  public func erase() async throws {
    try await barrierWriteWithoutTransaction { db in try db.erase() }
  }
}

extension Database {
  /// Deletes the whole content, by a copy of an empty database.
  ///
  /// Unlike a reset (<https://www.sqlite.org/c3ref/c_dbconfig_defensive.html>), it leaves a version of the schema that
  /// is greater than any before, by which all connections notice that their tables are gone.
  func erase() throws {
    let connection = try connection
    let pageSize = try connection.withStatement("PRAGMA page_size") { statement in
      try statement.step() ? statement.int64(0) : 4096
    }
    let empty = try Connection(path: ":memory:", access: .readWriteCreate)
    // A database in WAL mode can't change the size of its pages.
    try empty.execute("PRAGMA page_size = \(pageSize)")
    try empty.backUp(to: connection)
  }

  /// Rebuilds the indexes that use a collation, after its order has changed.
  ///
  /// - Throws: `DatabaseError`.
  public func reindex(collation: CollationName) throws {
    try execute("REINDEX \(identifier: collation.rawValue)")
  }

  /// Copies the pages of the WAL file into the database (<https://www.sqlite.org/c3ref/wal_checkpoint_v2.html>).
  ///
  /// - Parameters:
  ///   - kind: What it waits for.
  ///   - name: The name of the database; all of them if `nil`.
  /// - Returns: The number of pages in the WAL file, and the number of copied ones.
  /// - Throws: `DatabaseError` if the database is locked.
  @discardableResult
  public func checkpoint(
    _ kind: CheckpointMode = .passive, on name: String? = "main"
  ) throws -> (walFrameCount: Int, checkpointedFrameCount: Int) {
    let connection = try connection
    var (frames, copied) = (Int32(-1), Int32(-1))
    let code = sqlite3_wal_checkpoint_v2(connection.handle, name, kind.rawValue, &frames, &copied)
    guard code == SQLITE_OK else { throw connection.error(code) }
    return (Int(frames), Int(copied))
  }

  /// What a checkpoint waits for.
  public enum CheckpointMode: Int32, Sendable, CaseIterable {
    /// Nothing: it copies as much as it can.
    case passive = 0
    /// Accesses that write.
    case full = 1
    /// Accesses, so that the WAL file starts again from its beginning.
    case restart = 2
    /// Accesses, so that the WAL file becomes empty.
    case truncate = 3
  }

  /// A row whose foreign key refers to no row.
  public struct ForeignKeyViolation: Hashable, Sendable {
    /// The table of the row.
    public let originTable: String
    /// The rowid; nil if the table has none.
    public let originRowID: Int64?
    /// The table that it refers to.
    public let destinationTable: String
    /// The number of the foreign key in its table.
    public let foreignKeyId: Int

    /// Returns a description of the violation for programmers, with the columns of the foreign key.
    ///
    /// - Throws: `DatabaseError`.
    public func failureDescription(_ db: Database) throws -> String {
      func list(_ columns: [String]?) -> String { columns.map { "(\($0.joined(separator: ", ")))" } ?? "" }
      let key = try db.foreignKeys(on: originTable).first { $0.id == foreignKeyId }
      let row = originRowID.map { ", in the row \($0)" } ?? ""
      return "FOREIGN KEY constraint violation - from \(originTable)\(list(key?.originColumns))"
        + " to \(destinationTable)\(list(key?.destinationColumns))\(row)"
    }

    /// Returns the violation as the error that SQLite reports for it.
    public func databaseError(_ db: Database) -> DatabaseError {
      DatabaseError(
        resultCode: .SQLITE_CONSTRAINT_FOREIGNKEY, message: try? failureDescription(db))
    }
  }

  /// Returns a cursor over the rows whose foreign keys refer to no row.
  ///
  /// - Parameters:
  ///   - table: The table whose foreign keys are checked; all by default.
  ///   - schema: The name of its database; the first one that has the table by default.
  /// - Throws: `DatabaseError` if there is no such table.
  public func foreignKeyViolations(
    in table: String? = nil, in schema: String? = nil
  ) throws -> MapCursor<RowCursor, ForeignKeyViolation> {
    if let table { _ = try columns(in: table, in: schema) }
    let prefix = schema.map { SQLText.quoted($0) + "." } ?? ""
    let argument = table.map { "(\(SQLText.quoted($0)))" } ?? ""
    return try Row.fetchCursor(self, sql: "PRAGMA \(prefix)foreign_key_check\(argument)").map { row in
      ForeignKeyViolation(
        originTable: try row.decode(forKey: "table"), originRowID: try row.decode(forKey: "rowid"),
        destinationTable: try row.decode(forKey: "parent"), foreignKeyId: try row.decode(forKey: "fkid"))
    }
  }

  /// The version of SQLite's library as a number: 3046001 for 3.46.1.
  public static var sqliteLibVersionNumber: Int32 { sqlite3_libversion_number() }

  /// The maximum number of parameters of a statement.
  public var maximumStatementArgumentCount: Int {
    isOpen ? Int(sqlite3_limit((try? connection.handle) ?? nil, SQLITE_LIMIT_VARIABLE_NUMBER, -1)) : 0
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
