import KindredSQLSyntax
import KindredSQLite

/// Foreign keys are not enforced while a file runs, so that it can rebuild a table in the way that SQLite recommends
/// (<https://www.sqlite.org/lang_altertable.html#otheralter>), but at its end, it must have added no broken reference.
extension Connection: MigrationTarget {
  /// The rows of the table, if it exists.
  public var appliedMigrations: [AppliedMigration] {
    get throws {
      let exists = try withStatement(
        "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'kindred_migration'"
      ) { try $0.step() }
      guard exists else { return [] }
      return try rows(
        "SELECT number, name, sha256, appliedAt FROM kindred_migration ORDER BY number"
      ) { row in
        AppliedMigration(
          number: row.int64(0), fileName: row.text(1) ?? "", checksum: row.text(2) ?? "",
          time: row.text(3) ?? "")
      }
    }
  }

  /// Calls `body` without enforcing foreign keys.
  public func prepared<Result>(for body: () throws -> Result) throws -> Result {
    // This setting can't be changed inside a transaction.
    let areEnforced = try foreignKeys.areEnforced
    try foreignKeys.setEnforced(false)
    let outcome = Swift.Result { try body() }
    try foreignKeys.setEnforced(areEnforced)
    return try outcome.get()
  }

  /// Runs a migration in a transaction.
  public func apply(
    _ migration: Migration, if isPending: () throws -> Bool, found: (BrokenReferences) -> Void
  ) throws -> Bool {
    do {
      return try writeTransaction {
        try execute(
          """
          CREATE TABLE IF NOT EXISTS kindred_migration (
            number INTEGER PRIMARY KEY, name TEXT NOT NULL, sha256 TEXT NOT NULL, appliedAt TEXT NOT NULL
          ) WITHOUT ROWID
          """)
        guard try isPending() else { return false }
        let former = try BrokenReferences(on: self)
        if !former.isEmpty { found(former) }
        try run(migration)
        let references = try BrokenReferences(on: self)
        do throws(MigrationError.Reason) {
          try references.check(against: former)
        } catch {
          throw MigrationFailure(error)
        }
        try record(migration)
        return true
      }
    } catch let error as DatabaseError {
      throw MigrationFailure(.failed(error))
    }
  }

  private func run(_ migration: Migration) throws {
    var script = Script(migration.sql)
    do {
      while let statement = try script.next(on: self) {
        let keyword = script.keyword
        guard !Self.transactionKeywords.contains(keyword) else {
          throw MigrationFailure(.transactionStatement(keyword), line: script.line())
        }
        if let pragma = script.pragma, Self.ineffectivePragmas.contains(pragma) {
          throw MigrationFailure(.ineffectivePragma(pragma), line: script.line())
        }
        while try statement.step() {}
      }
    } catch let error as DatabaseError {
      throw MigrationFailure(.failed(error), line: script.line(offset: error.offset))
    }
  }

  private func record(_ migration: Migration) throws {
    try withStatement("INSERT INTO kindred_migration VALUES (?, ?, ?, datetime('now'))") {
      try $0.bind([.integer(migration.number), .text(migration.fileName), .text(migration.checksum)])
      _ = try $0.step()
    }
  }

  /// The first words of the statements that manage transactions.
  private static let transactionKeywords: Set = [
    "BEGIN", "COMMIT", "END", "ROLLBACK", "SAVEPOINT", "RELEASE",
  ]

  /// The pragmas that do nothing inside a transaction (<https://www.sqlite.org/pragma.html>).
  private static let ineffectivePragmas: Set = ["foreign_keys", "journal_mode"]
}

extension MigrationError.Reason {
  /// The reason that an error of SQLite is.
  static func failed(_ error: DatabaseError) -> MigrationError.Reason {
    .failed(message: error.text, isFull: error.isFull)
  }
}
