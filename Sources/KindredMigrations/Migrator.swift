import KindredSQLite

/// Brings a database to the state that numbered SQL files describe.
///
/// Each file is applied once, in the order of the numbers and in a transaction of its own. The table
/// `kindred_migration` records the applied ones. Foreign keys are not enforced while a file runs, so that it can
/// rebuild a table in the way that SQLite recommends
/// (<https://www.sqlite.org/lang_altertable.html#otheralter>), but they are checked at its end.
public struct Migrator: Sendable {
  /// The migrations in order.
  public let migrations: [Migration]

  private let directory: String?

  /// Creates a migrator for the given migrations.
  ///
  /// - Throws: `MigrationError` if two have the same number.
  public init(_ migrations: [Migration]) throws {
    try self.init(migrations, directory: nil)
  }

  /// Creates a migrator for the files of a directory whose names end in `.sql`.
  ///
  /// - Throws: `MigrationError` if a file is misnamed or can't be read, or two have the same number.
  public init(directory: String) throws {
    let migrations = try Directory.fileNames(directory).filter { $0.hasSuffix(".sql") }.map { name in
      try Migration(fileName: name, sql: Directory.text(of: directory + "/" + name))
    }
    try self.init(migrations, directory: directory)
  }

  private init(_ migrations: [Migration], directory: String?) throws {
    self.migrations = migrations.sorted { ($0.number, $0.fileName) < ($1.number, $1.fileName) }
    self.directory = directory
    for (first, second) in zip(self.migrations, self.migrations.dropFirst())
    where first.number == second.number {
      throw MigrationError(.duplicateNumber(otherFile: first.fileName), file: path(second.fileName))
    }
  }

  /// Returns the migrations that `migrate` would apply.
  ///
  /// - Throws: `MigrationError` if the files contradict what has been applied; `DatabaseError`.
  public func pending(on connection: Connection) throws -> [Migration] {
    let applied = try AppliedMigration.all(on: connection)
    let numbers = Set(migrations.map(\.number))
    for former in applied where !numbers.contains(former.number) {
      throw MigrationError(.missing, file: path(former.fileName))
    }
    var pending: [Migration] = []
    for migration in migrations {
      if let former = applied.first(where: { $0.number == migration.number }) {
        guard former.checksum == migration.checksum else {
          throw MigrationError(.changed, file: path(migration.fileName))
        }
      } else if let last = applied.last, last.number > migration.number {
        throw MigrationError(.outOfOrder(laterFile: last.fileName), file: path(migration.fileName))
      } else {
        pending.append(migration)
      }
    }
    return pending
  }

  /// Applies the migrations that have not been applied yet.
  ///
  /// A file that fails is rolled back, and the following ones are not run.
  ///
  /// - Returns: The migrations that were applied.
  /// - Throws: `MigrationError`; `DatabaseError` if the database can't be written to at all.
  @discardableResult
  public func migrate(_ connection: Connection) throws -> [Migration] {
    let pending = try pending(on: connection)
    // This setting can't be changed inside a transaction.
    let areEnforced = try connection.foreignKeys.areEnforced
    try connection.foreignKeys.setEnforced(false)
    let outcome = Result { try pending.filter { try apply($0, on: connection) } }
    try connection.foreignKeys.setEnforced(areEnforced)
    return try outcome.get()
  }

  /// Applies a migration, unless another process has applied it in the meantime.
  private func apply(_ migration: Migration, on connection: Connection) throws -> Bool {
    try connection.writeTransaction {
      try AppliedMigration.createTable(on: connection)
      guard try !AppliedMigration.all(on: connection).contains(where: { $0.number == migration.number })
      else { return false }
      try run(migration, on: connection)
      try checkForeignKeys(after: migration, on: connection)
      try AppliedMigration.record(migration, on: connection)
      return true
    }
  }

  private func run(_ migration: Migration, on connection: Connection) throws {
    var script = Script(migration.sql)
    do {
      while let statement = try script.next(on: connection) {
        let keyword = script.keyword
        guard !Self.transactionKeywords.contains(keyword) else {
          throw MigrationError(
            .transactionStatement(keyword), file: path(migration.fileName), line: script.line())
        }
        while try statement.step() {}
      }
    } catch let error as DatabaseError {
      throw MigrationError(
        .failed(error), file: path(migration.fileName), line: script.line(offset: error.offset))
    }
  }

  private func checkForeignKeys(after migration: Migration, on connection: Connection) throws {
    do {
      try connection.withStatement("PRAGMA foreign_key_check") { statement in
        guard try statement.step() else { return }
        throw MigrationError(
          .foreignKeyViolation(
            table: statement.text(0) ?? "",
            // A WITHOUT ROWID table has none.
            rowID: statement.columnType(1) == .null ? nil : statement.int64(1),
            parent: statement.text(2) ?? ""),
          file: path(migration.fileName))
      }
    } catch let error as DatabaseError {
      // The check itself fails for a foreign key to columns that are not unique, for example.
      throw MigrationError(.failed(error), file: path(migration.fileName))
    }
  }

  private func path(_ fileName: String) -> String {
    directory.map { "\($0)/\(fileName)" } ?? fileName
  }

  /// The first words of the statements that manage transactions.
  private static let transactionKeywords: Set = [
    "BEGIN", "COMMIT", "END", "ROLLBACK", "SAVEPOINT", "RELEASE",
  ]
}
