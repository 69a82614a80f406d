/// Runs named migrations, which bring a database to the schema that the program needs.
///
///     var migrator = DatabaseMigrator()
///     migrator.registerMigration("Books and Authors") { db in
///       try db.create(table: "author") { t in … }
///     }
///     try migrator.migrate(dbQueue)
///
/// Migrations run in the order in which they are registered, each once and in its own transaction. The table
/// `kindred_named_migration` records which have run; in the file of a program that used GRDB, its `grdb_migrations` does.
/// Foreign keys are not enforced during a migration, so that it
/// can rebuild a table (<https://www.sqlite.org/lang_altertable.html#otheralter>); they are checked before it is
/// committed.
public struct DatabaseMigrator: Sendable {
  /// When the foreign keys of a migration are checked.
  public enum ForeignKeyChecks: Sendable {
    /// When it is committed, so that it can rebuild a table.
    case deferred
    /// By each statement.
    case immediate
  }

  private struct Migration: Sendable {
    let identifier: String
    let checks: ForeignKeyChecks
    /// Whether deferred foreign keys are checked before it is committed.
    let checksDeferredForeignKeys: Bool
    /// The names of earlier migrations that this one replaces.
    let merged: Set<String>
    let migrate: @Sendable (Database, _ applied: Set<String>) throws -> Void
  }

  /// Whether the database is erased before it is migrated if a migration has run that is not registered any more, or
  /// that would give another schema now.
  ///
  /// It is for development only: all data is lost.
  public var eraseDatabaseOnSchemaChange = false

  private var registered: [Migration] = []
  /// Whether deferred foreign keys of the migrations that are registered from now on are checked.
  private var checksDeferredForeignKeys = true

  /// Creates a migrator without migrations.
  public init() {}

  /// Registers a migration.
  ///
  /// - Parameters:
  ///   - identifier: The name by which the database records the migration; it must not change once it has run.
  ///   - foreignKeyChecks: When its foreign keys are checked.
  ///   - migrate: Changes the database.
  public mutating func registerMigration(
    _ identifier: String, foreignKeyChecks: ForeignKeyChecks = .deferred,
    migrate: @escaping @Sendable (Database) throws -> Void
  ) {
    registerMigration(identifier, foreignKeyChecks: foreignKeyChecks, merging: []) { db, _ in
      try migrate(db)
    }
  }

  /// Registers a migration that replaces earlier ones, which are not registered any more.
  ///
  /// It runs if not all of them have run, and replaces their names in the database.
  ///
  /// - Parameters:
  ///   - identifier: The name by which the database records the migration.
  ///   - foreignKeyChecks: When its foreign keys are checked.
  ///   - merged: The names of the earlier migrations.
  ///   - migrate: Changes the database; it receives the names of the earlier migrations that have run.
  public mutating func registerMigration(
    _ identifier: String, foreignKeyChecks: ForeignKeyChecks = .deferred, merging merged: Set<String>,
    migrate: @escaping @Sendable (Database, _ appliedIdentifiers: Set<String>) throws -> Void
  ) {
    registered.append(
      Migration(
        identifier: identifier, checks: foreignKeyChecks,
        checksDeferredForeignKeys: checksDeferredForeignKeys, merged: merged, migrate: migrate))
  }

  /// Returns a migrator that doesn't check the deferred foreign keys of the migrations that are registered with it
  /// from now on, for databases that are too large for it.
  public func disablingDeferredForeignKeyChecks() -> DatabaseMigrator {
    var migrator = self
    migrator.checksDeferredForeignKeys = false
    return migrator
  }

  /// The names of the registered migrations in order.
  public var migrations: [String] { registered.map(\.identifier) }

  /// The names of the registered migrations in order.
  public var identifiers: [String] { migrations }

  /// Runs the migrations that have not run yet.
  ///
  /// A migration that fails is rolled back, and those after it are not run.
  ///
  /// - Parameters:
  ///   - writer: The database.
  ///   - last: The last migration to run; by default, all of them are run.
  /// - Throws: `DatabaseMigratorError`; the error that a migration throws; `DatabaseError`, also if a migration leaves a
  ///   row whose foreign key refers to no row.
  public func migrate(_ writer: some DatabaseWriter, upTo last: String? = nil) throws {
    try check(upTo: last)
    try writer.writeWithoutTransaction { db in try migrate(db, upTo: last) }
  }

  private func migrate(_ db: Database, upTo last: String? = nil) throws {
    if eraseDatabaseOnSchemaChange, try hasSchemaChanges(db) { try db.erase() }
    for migration in registered {
      try run(migration, on: db)
      if migration.identifier == last { return }
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

  /// Returns the names of all migrations that have run, registered or not.
  ///
  /// - Throws: `DatabaseError`.
  public func appliedIdentifiers(_ db: Database) throws -> Set<String> { try Self.applied(on: db) }

  /// Returns the names of the migrations that have run, up to the first one that has not.
  ///
  /// - Throws: `DatabaseError`.
  public func completedMigrations(_ db: Database) throws -> [String] {
    let applied = try Self.applied(on: db)
    return Array(identifiers.prefix(while: applied.contains))
  }

  /// Returns whether a migration has run that is not registered, as a later version of the program does.
  ///
  /// - Throws: `DatabaseError`.
  public func hasBeenSuperseded(_ db: Database) throws -> Bool {
    let known = Set(registered.flatMap { [$0.identifier] + $0.merged })
    return try !Self.applied(on: db).isSubset(of: known)
  }

  /// Returns whether the schema differs from the one that the migrations that have run would give now.
  ///
  /// They run on a temporary database with the same configuration.
  ///
  /// - Throws: The error that a migration throws; `DatabaseError`.
  public func hasSchemaChanges(_ db: Database) throws -> Bool {
    let applied = try Self.applied(on: db)
    guard !applied.isEmpty else { return false }
    if try hasBeenSuperseded(db) { return true }
    var configuration = db.configuration
    (configuration.readonly, configuration.journalMode) = (false, .default)
    // Their threads may be that of this access.
    (configuration.targetQueue, configuration.writeTargetQueue) = (nil, nil)
    let scratch = try DatabaseQueue(path: "", configuration: configuration)
    var migrator = self
    migrator.eraseDatabaseOnSchemaChange = false
    guard let last = registered.last(where: { applied.contains($0.identifier) }) else { return true }
    try migrator.migrate(scratch, upTo: last.identifier)
    return try scratch.read { try Self.schema(of: $0) } != Self.schema(of: db)
  }

  private static func schema(of db: Database) throws -> Set<Row> {
    try Row.fetchSet(
      db,
      sql: """
        SELECT type, name, tbl_name, sql FROM main.sqlite_schema
        WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
          AND name NOT IN ('kindred_named_migration', 'grdb_migrations')
        """)
  }

  private func check(upTo last: String?) throws {
    var seen: Set<String> = []
    for identifier in identifiers where !seen.insert(identifier).inserted {
      throw DatabaseMigratorError(.duplicateIdentifier, migration: identifier)
    }
    if let last, !seen.contains(last) { throw DatabaseMigratorError(.unknownIdentifier, migration: last) }
  }

  /// Runs a migration in a transaction, unless it has run.
  private func run(_ migration: Migration, on db: Database) throws {
    // Read first, so that a database that needs no migration is not locked for writing.
    guard try !Self.applied(on: db).contains(migration.identifier) else { return }
    let enforcesForeignKeys = try Bool.fetchOne(db, sql: "PRAGMA foreign_keys") ?? true
    let isDeferred = migration.checks == .deferred && enforcesForeignKeys
    // This setting can't be changed inside a transaction.
    if isDeferred { try db.execute(sql: "PRAGMA foreign_keys = OFF") }
    let outcome = Result { try db.inTransaction { try apply(migration, on: db, isDeferred: isDeferred) } }
    if isDeferred { try db.execute(sql: "PRAGMA foreign_keys = ON") }
    try outcome.get()
  }

  /// Applies a migration unless it has been applied, possibly by another process a moment ago.
  private func apply(_ migration: Migration, on db: Database, isDeferred: Bool) throws {
    if try Self.register(on: db) == nil {
      try db.execute(
        sql: """
          CREATE TABLE \(Register.own.rawValue) (
            identifier TEXT PRIMARY KEY NOT NULL, appliedAt TEXT NOT NULL
          ) WITHOUT ROWID
          """)
    }
    guard try !Self.applied(on: db).contains(migration.identifier) else { return }
    let replaced = try Self.applied(on: db).intersection(migration.merged)
    // A migration that replaces others has nothing to do where all of them have run.
    if migration.merged.isEmpty || replaced != migration.merged { try migration.migrate(db, replaced) }
    if isDeferred, migration.checksDeferredForeignKeys, let violation = try db.foreignKeyViolations().next() {
      let place = "after the migration \"\(migration.identifier)\""
      throw DatabaseError(
        resultCode: .SQLITE_CONSTRAINT_FOREIGNKEY,
        message: "\(try violation.failureDescription(db)), \(place)")
    }
    guard let register = try Self.register(on: db) else { return }
    for identifier in replaced {
      try db.execute(literal: "DELETE FROM \(sql: register.rawValue) WHERE identifier = \(identifier)")
    }
    let date: SQLLiteral = register == .own ? ", datetime('now')" : ""
    try db.execute(
      literal: "INSERT INTO \(sql: register.rawValue) VALUES (\(migration.identifier)\(literal: date))")
  }

  /// Runs the migrations that have not run yet, on another thread, while no other access runs.
  ///
  /// - Parameters:
  ///   - writer: The database.
  ///   - completion: Receives the database or the error, in that access.
  public func asyncMigrate(
    _ writer: some DatabaseWriter,
    completion: @escaping @Sendable (Result<Database, any Error>) -> Void
  ) {
    writer.asyncBarrierWriteWithoutTransaction { access in
      completion(
        Result {
          let db = try access.get()
          try check(upTo: nil)
          try migrate(db)
          return db
        })
    }
  }

  private static func applied(on db: Database) throws -> Set<String> {
    guard let register = try register(on: db) else { return [] }
    return try String.fetchSet(db, sql: "SELECT identifier FROM \(register.rawValue)")
  }

  /// A table that records which migrations have run.
  private enum Register: String, CaseIterable {
    case own = "kindred_named_migration"
    /// That of a program that used GRDB, with which both libraries can go on.
    case ofGRDB = "grdb_migrations"
  }

  /// Returns the table that records which migrations have run; nil if none has run.
  private static func register(on db: Database) throws -> Register? {
    try Register.allCases.first { try db.tableExists($0.rawValue, in: "main") }
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
    }
  }
}
