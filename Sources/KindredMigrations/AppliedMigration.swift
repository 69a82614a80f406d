import KindredSQLSyntax
import KindredSQLite

/// A row of `kindred_migration`.
struct AppliedMigration {
  let number: Int64
  let fileName: String
  let checksum: String

  static func createTable(on connection: Connection) throws {
    try connection.execute(
      """
      CREATE TABLE IF NOT EXISTS kindred_migration (
        number INTEGER PRIMARY KEY, name TEXT NOT NULL, sha256 TEXT NOT NULL, appliedAt TEXT NOT NULL
      ) WITHOUT ROWID
      """)
  }

  /// Returns all applied migrations in the order of their numbers.
  static func all(on connection: Connection) throws -> [AppliedMigration] {
    let exists = try connection.withStatement(
      "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'kindred_migration'"
    ) { try $0.step() }
    guard exists else { return [] }
    return try connection.withStatement("SELECT number, name, sha256 FROM kindred_migration ORDER BY number")
    {
      statement in
      var all: [AppliedMigration] = []
      while try statement.step() {
        all.append(
          AppliedMigration(
            number: statement.int64(0), fileName: statement.text(1) ?? "", checksum: statement.text(2) ?? ""))
      }
      return all
    }
  }

  /// Returns when each migration was applied, by number.
  static func times(on connection: Connection) throws -> [Int64: String] {
    guard try !all(on: connection).isEmpty else { return [:] }
    return try connection.withStatement("SELECT number, appliedAt FROM kindred_migration") { statement in
      var times: [Int64: String] = [:]
      while try statement.step() { times[statement.int64(0)] = statement.text(1) ?? "" }
      return times
    }
  }

  static func record(_ migration: Migration, on connection: Connection) throws {
    try connection.withStatement("INSERT INTO kindred_migration VALUES (?, ?, ?, datetime('now'))") {
      try $0.bind([.integer(migration.number), .text(migration.fileName), .text(migration.checksum)])
      _ = try $0.step()
    }
  }
}
