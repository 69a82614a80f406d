/// Runs named migrations, which bring a database to the schema that the program needs.
///
///     var migrator = DatabaseMigrator()
///     migrator.registerMigration("Books and Authors") { db in
///       try db.create(table: "author") { t in … }
///     }
///     try migrator.migrate(dbQueue)
///
/// Migrations run in the order in which they are registered, each once and in its own transaction. The table
/// `kindred_named_migration` records which have run. Foreign keys are not enforced during a migration, so that it
/// can rebuild a table (<https://www.sqlite.org/lang_altertable.html#otheralter>); they are checked before it is
/// committed.
public struct DatabaseMigrator: Sendable {
  private struct Migration: Sendable {
    let identifier: String
    let migrate: @Sendable (Database) throws -> Void
  }

  private var migrations: [Migration] = []

  /// Creates a migrator without migrations.
  public init() {}

  /// Registers a migration.
  ///
  /// - Parameters:
  ///   - identifier: The name by which the database records the migration; it must not change once it has run.
  ///   - migrate: Changes the database.
  public mutating func registerMigration(
    _ identifier: String, migrate: @escaping @Sendable (Database) throws -> Void
  ) {
    migrations.append(Migration(identifier: identifier, migrate: migrate))
  }

  /// The names of the registered migrations in order.
  public var identifiers: [String] { migrations.map(\.identifier) }

  /// Runs the migrations that have not run yet.
  ///
  /// A migration that fails is rolled back, and those after it are not run.
  ///
  /// - Parameters:
  ///   - writer: The database.
  ///   - last: The last migration to run; by default, all of them are run.
  /// - Throws: `DatabaseMigratorError`; the error that a migration throws; `DatabaseError`.
  public func migrate(_ writer: some DatabaseWriter, upTo last: String? = nil) throws {
    try check(upTo: last)
    try writer.writeWithoutTransaction { db in
      let enforcesForeignKeys = try Bool.fetchOne(db, sql: "PRAGMA foreign_keys") ?? true
      // This setting can't be changed inside a transaction.
      try db.execute(sql: "PRAGMA foreign_keys = OFF")
      let outcome = Result { try run(on: db, upTo: last) }
      if enforcesForeignKeys { try db.execute(sql: "PRAGMA foreign_keys = ON") }
      try outcome.get()
    }
  }

  /// Returns the names of the migrations that have run, in the order in which they are registered.
  ///
  /// - Throws: `DatabaseError`.
  public func appliedMigrations(_ db: Database) throws -> [String] {
    let applied = try Self.applied(on: db)
    return identifiers.filter(applied.contains)
  }

  /// Returns whether all migrations have run.
  ///
  /// - Throws: `DatabaseError`.
  public func hasCompletedMigrations(_ db: Database) throws -> Bool {
    let applied = try Self.applied(on: db)
    return identifiers.allSatisfy(applied.contains)
  }

  private func check(upTo last: String?) throws {
    var seen: Set<String> = []
    for identifier in identifiers where !seen.insert(identifier).inserted {
      throw DatabaseMigratorError(.duplicateIdentifier, migration: identifier)
    }
    if let last, !seen.contains(last) { throw DatabaseMigratorError(.unknownIdentifier, migration: last) }
  }

  private func run(on db: Database, upTo last: String?) throws {
    // Read first, so that a database that needs no migration is not locked for writing.
    let applied = try Self.applied(on: db)
    for migration in migrations {
      if !applied.contains(migration.identifier) {
        try db.inTransaction { try apply(migration, on: db) }
      }
      if migration.identifier == last { return }
    }
  }

  /// Applies a migration unless it has been applied, possibly by another process a moment ago.
  private func apply(_ migration: Migration, on db: Database) throws {
    try db.execute(
      sql: """
        CREATE TABLE IF NOT EXISTS kindred_named_migration (
          identifier TEXT PRIMARY KEY NOT NULL, appliedAt TEXT NOT NULL
        ) WITHOUT ROWID
        """)
    guard try !Self.applied(on: db).contains(migration.identifier) else { return }
    try migration.migrate(db)
    if let row = try Row.fetchOne(db, sql: "PRAGMA foreign_key_check") {
      let (table, parent): (String?, String?) = (row["table"], row["parent"])
      throw DatabaseMigratorError(
        .foreignKeyViolation(table: table ?? "", parent: parent ?? ""), migration: migration.identifier)
    }
    try db.execute(
      sql: "INSERT INTO kindred_named_migration VALUES (?, datetime('now'))",
      arguments: [migration.identifier])
  }

  private static func applied(on db: Database) throws -> Set<String> {
    guard try db.tableExists("kindred_named_migration") else { return [] }
    return try String.fetchSet(db, sql: "SELECT identifier FROM kindred_named_migration")
  }
}

/// An error of running migrations.
public struct DatabaseMigratorError: Error, Hashable, Sendable {
  /// The reason why the migration can't run.
  public enum Reason: Hashable, Sendable {
    /// Two migrations are registered under one name.
    case duplicateIdentifier
    /// No migration is registered under that name.
    case unknownIdentifier
    /// A row of `table` refers to a row of `parent` that does not exist.
    case foreignKeyViolation(table: String, parent: String)
  }

  /// The reason why the migration can't run.
  public let reason: Reason
  /// The name of the migration.
  public let migration: String

  /// Creates an error about a migration.
  public init(_ reason: Reason, migration: String) {
    self.reason = reason
    self.migration = migration
  }
}

extension DatabaseMigratorError: CustomStringConvertible {
  /// Describes the error in one line.
  public var description: String {
    switch reason {
    case .duplicateIdentifier: "two migrations have the name \"\(migration)\""
    case .unknownIdentifier: "there is no migration \"\(migration)\""
    case .foreignKeyViolation(let table, let parent):
      "after the migration \"\(migration)\", a row of \(table) refers to a missing row of \(parent)"
    }
  }
}
