/// Brings a database to the state that named migrations describe.
///
///     var migrator = DatabaseMigrator()
///     migrator.registerMigration("Books and Authors") { db in
///       try db.create(table: "author") { t in … }
///     }
///     try migrator.migrate(dbQueue)
///
/// Each migration runs once, in the order in which they are registered, and in a transaction of its own. The
/// table `kindred_named_migration` keeps which. Foreign keys are not enforced while one runs, so that it can
/// rebuild a table (<https://www.sqlite.org/lang_altertable.html#otheralter>), but checked at its end.
public struct DatabaseMigrator: Sendable {
  private struct Migration: Sendable {
    let identifier: String
    let migrate: @Sendable (Database) throws -> Void
  }

  private var migrations: [Migration] = []

  /// A migrator without migrations.
  public init() {}

  /// Adds a migration.
  ///
  /// - Parameters:
  ///   - identifier: By what the database remembers it: never to be changed once it has run.
  ///   - migrate: What it does.
  public mutating func registerMigration(
    _ identifier: String, migrate: @escaping @Sendable (Database) throws -> Void
  ) {
    migrations.append(Migration(identifier: identifier, migrate: migrate))
  }

  /// The registered migrations, in their order.
  public var identifiers: [String] { migrations.map(\.identifier) }

  /// Runs the migrations that have not been run.
  ///
  /// One that fails is rolled back, and those after it wait.
  ///
  /// - Parameters:
  ///   - writer: The database.
  ///   - last: The last one to be run; all, by default.
  /// - Throws: `DatabaseMigratorError`; what a migration throws; `DatabaseError`.
  public func migrate(_ writer: some DatabaseWriter, upTo last: String? = nil) throws {
    try check(upTo: last)
    try writer.writeWithoutTransaction { db in
      let enforcesForeignKeys = try Bool.fetchOne(db, sql: "PRAGMA foreign_keys") ?? true
      // Inside of a transaction this setting can't be changed.
      try db.execute(sql: "PRAGMA foreign_keys = OFF")
      let outcome = Result { try run(on: db, upTo: last) }
      if enforcesForeignKeys { try db.execute(sql: "PRAGMA foreign_keys = ON") }
      try outcome.get()
    }
  }

  /// The migrations that have been run, in the order in which they are registered.
  ///
  /// - Throws: `DatabaseError`.
  public func appliedMigrations(_ db: Database) throws -> [String] {
    let applied = try Self.applied(on: db)
    return identifiers.filter(applied.contains)
  }

  /// Whether all migrations have been run.
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
    for migration in migrations {
      try db.inTransaction { try apply(migration, on: db) }
      if migration.identifier == last { return }
    }
  }

  /// Applies a migration, unless it has been applied: also by another process just before.
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

/// Why migrations can't run.
public struct DatabaseMigratorError: Error, Hashable, Sendable {
  /// What is wrong.
  public enum Reason: Hashable, Sendable {
    /// Two migrations are registered by one name.
    case duplicateIdentifier
    /// No migration is registered by that name.
    case unknownIdentifier
    /// A row refers to nothing.
    case foreignKeyViolation(table: String, parent: String)
  }

  /// What is wrong.
  public let reason: Reason
  /// The migration.
  public let migration: String

  /// An error about a migration.
  public init(_ reason: Reason, migration: String) {
    self.reason = reason
    self.migration = migration
  }
}

extension DatabaseMigratorError: CustomStringConvertible {
  /// One line.
  public var description: String {
    switch reason {
    case .duplicateIdentifier: "two migrations are called \"\(migration)\""
    case .unknownIdentifier: "no migration is called \"\(migration)\""
    case .foreignKeyViolation(let table, let parent):
      "the migration \"\(migration)\" leaves a row of \(table) without the row of \(parent) that it refers to"
    }
  }
}
