import Foundation
import Testing

@testable import Kindred

@Suite("Migrators")
struct MigratorTests {
  @Test
  func `the schema is compared by means of a database with the same configuration`() throws {
    var configuration = Configuration()
    configuration.prepareDatabase { db throws in
      db.add(
        function: DatabaseFunction("twice", argumentCount: 1, pure: true) { values in
          Int.fromDatabaseValue(values[0]).map { $0 * 2 }
        })
    }
    let queue = try DatabaseQueue(configuration: configuration)
    var migrator = DatabaseMigrator()
    migrator.eraseDatabaseOnSchemaChange = true
    migrator.registerMigration("players") { db throws in
      try db.execute(sql: "CREATE TABLE player (score, double AS (twice(score)))")
    }
    try migrator.migrate(queue)
    try queue.write { db in try db.execute(sql: "INSERT INTO player VALUES (2)") }
    #expect(try !queue.read(migrator.hasSchemaChanges))
    try migrator.migrate(queue)
    #expect(try queue.read { db in try Int.fetchOne(db, sql: "SELECT double FROM player") } == 4)
  }

  @Test
  func `an edited migration of the same number of statements gives a pool its new tables`() throws {
    let path = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).sqlite").path
    defer {
      for ending in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + ending) }
    }
    let pool = try DatabasePool(path: path)
    try pool.erase()
    for column in ["name", "score"] {
      var migrator = DatabaseMigrator()
      migrator.eraseDatabaseOnSchemaChange = true
      migrator.registerMigration("players") { db throws in
        try db.execute(sql: "CREATE TABLE player (id INTEGER PRIMARY KEY, \(column))")
      }
      try migrator.migrate(pool)
      #expect(try pool.read { db in try db.columns(in: "player").map(\.name) } == ["id", column])
      #expect(try pool.read { db in try Row.fetchAll(db, sql: "SELECT id, \(column) FROM player") } == [])
    }
  }

  @Test
  func `disabled checks of foreign keys are those of the migrations that are registered afterwards`() throws {
    func migrator(checked: Bool) -> DatabaseMigrator {
      var migrator = DatabaseMigrator()
      migrator.registerMigration("tables") { db throws in
        try db.execute(
          sql: """
            CREATE TABLE team (id INTEGER PRIMARY KEY);
            CREATE TABLE player (id INTEGER PRIMARY KEY, teamId INTEGER REFERENCES team);
            """)
      }
      if !checked { migrator = migrator.disablingDeferredForeignKeyChecks() }
      migrator.registerMigration("players") { db in try db.execute(sql: "INSERT INTO player VALUES (1, 1)") }
      return checked ? migrator.disablingDeferredForeignKeyChecks() : migrator
    }
    let error = #expect(throws: DatabaseError.self) { try migrator(checked: true).migrate(DatabaseQueue()) }
    #expect(error?.extendedResultCode == .SQLITE_CONSTRAINT_FOREIGNKEY)
    let queue = DatabaseQueue()
    try migrator(checked: false).migrate(queue)
    #expect(try queue.read { db in try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM player") } == 1)
  }

  @Test
  func `an asynchronous migration gives its database, or its error`() async throws {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("players") { db in try db.execute(sql: "CREATE TABLE player (id)") }
    func tables(_ migrator: DatabaseMigrator) async throws -> [String] {
      try await withCheckedThrowingContinuation { continuation in
        migrator.asyncMigrate(DatabaseQueue()) { result in
          continuation.resume(
            with: result.flatMap { db in
              Result { try String.fetchAll(db, sql: "SELECT name FROM sqlite_schema WHERE name = 'player'") }
            })
        }
      }
    }
    #expect(try await tables(migrator) == ["player"])
    migrator.registerMigration("players") { _ in }
    let twice = migrator
    await #expect(throws: DatabaseMigratorError.self) { try await tables(twice) }
  }
}
