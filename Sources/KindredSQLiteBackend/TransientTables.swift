import KindredPlanning
import KindredSQLite
import KindredSQLSyntax

/// Creates the transient tables of a connection, and refills them when the database has changed.
enum TransientTables {
  /// The temporary table that records which state of the database each transient table holds.
  private static let ledger = "kindred:transient"

  static func refresh(_ table: TransientTable, on connection: Connection) throws {
    // Inside the transaction this is the version of the snapshot.
    let version = try connection.dataVersion
    try connection.execute(
      "CREATE TEMP TABLE IF NOT EXISTS \"\(ledger)\" (name TEXT PRIMARY KEY, definition TEXT, version INTEGER)"
    )
    let definition = table.create + table.fill
    let made = try connection.withStatement(
      "SELECT version FROM temp.\"\(ledger)\" WHERE name = ?1 AND definition = ?2"
    ) { statement in
      try statement.bind([.text(table.name), .text(definition)])
      return try statement.step() ? statement.int64(0) : nil
    }
    // The version does not change with the connection's own writes, so a writing connection always refills; nor with the
    // time.
    guard made != version || !connection.isReadOnly || !table.isTimeless else { return }
    try connection.savepoint {
      if made == nil {
        try connection.execute("DROP TABLE IF EXISTS temp.\(SQL.quoted(table.name))")
        try connection.execute(table.create)
      } else {
        try connection.execute("DELETE FROM temp.\(SQL.quoted(table.name))")
      }
      try connection.execute(table.fill)
      try connection.withStatement("INSERT OR REPLACE INTO temp.\"\(ledger)\" VALUES (?1, ?2, ?3)") {
        statement in
        try statement.bind([.text(table.name), .text(definition), .integer(version)])
        _ = try statement.step()
      }
    }
  }
}
