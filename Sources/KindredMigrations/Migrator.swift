import KindredSQLite

/// Brings a database to the state that numbered SQL files describe.
///
/// Each file is applied once, in the order of the numbers and in a transaction of its own. The table
/// `kindred_migration` records the applied ones. Foreign keys are not enforced while a file runs, so that it can
/// rebuild a table in the way that SQLite recommends
/// (<https://www.sqlite.org/lang_altertable.html#otheralter>), but at its end, it must have added no broken reference.
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
        guard migration.hasChecksum(former.checksum) else {
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

  /// An event of a run.
  public enum Event: Sendable {
    /// The database contained broken references before the run.
    case found(BrokenReferences)
    /// A migration was applied and committed.
    case applied(Migration)
  }

  /// Applies the migrations that have not been applied yet.
  ///
  /// A file that fails is rolled back, and the following ones are not run.
  ///
  /// - Parameter report: called for each event when it happens.
  /// - Returns: The migrations that were applied.
  /// - Throws: `MigrationError`; `DatabaseError` if the database can't be read.
  @discardableResult
  public func migrate(
    _ connection: Connection, report: (Event) -> Void = { _ in }
  ) throws -> [Migration] {
    let pending = try pending(on: connection)
    // This setting can't be changed inside a transaction.
    let areEnforced = try connection.foreignKeys.areEnforced
    try connection.foreignKeys.setEnforced(false)
    let outcome = Result {
      try pending.filter { migration in
        let isFirst = migration == pending.first
        let isApplied = try apply(migration, on: connection) { if isFirst { report(.found($0)) } }
        if isApplied { report(.applied(migration)) }
        return isApplied
      }
    }
    try connection.foreignKeys.setEnforced(areEnforced)
    return try outcome.get()
  }

  /// Applies a migration, unless another process has applied it in the meantime.
  ///
  /// - Parameter found: called with the broken references that the migration finds, if there are any.
  /// - Throws: `MigrationError`, also if what others have applied in the meantime contradicts the files.
  private func apply(
    _ migration: Migration, on connection: Connection, _ found: (BrokenReferences) -> Void
  ) throws -> Bool {
    do {
      return try connection.writeTransaction {
        try AppliedMigration.createTable(on: connection)
        guard try pending(on: connection).contains(migration) else { return false }
        let former = try BrokenReferences(on: connection)
        if !former.isEmpty { found(former) }
        try run(migration, on: connection)
        let references = try BrokenReferences(on: connection)
        do throws(MigrationError.Reason) {
          try references.check(against: former)
        } catch {
          throw MigrationError(error, file: path(migration.fileName))
        }
        try AppliedMigration.record(migration, on: connection)
        return true
      }
    } catch let error as DatabaseError {
      throw MigrationError(.failed(error), file: path(migration.fileName))
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
        if let pragma = script.pragma, Self.ineffectivePragmas.contains(pragma) {
          throw MigrationError(
            .ineffectivePragma(pragma), file: path(migration.fileName), line: script.line())
        }
        while try statement.step() {}
      }
    } catch let error as DatabaseError {
      throw MigrationError(
        .failed(error), file: path(migration.fileName), line: script.line(offset: error.offset))
    }
  }

  private func path(_ fileName: String) -> String {
    directory.map { "\($0)/\(fileName)" } ?? fileName
  }

  /// The first words of the statements that manage transactions.
  private static let transactionKeywords: Set = [
    "BEGIN", "COMMIT", "END", "ROLLBACK", "SAVEPOINT", "RELEASE",
  ]

  /// The pragmas that do nothing inside a transaction (<https://www.sqlite.org/pragma.html>).
  private static let ineffectivePragmas: Set = ["foreign_keys", "journal_mode"]
}
