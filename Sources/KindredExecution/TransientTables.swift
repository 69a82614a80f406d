import KindredAssociations
import KindredSQLite
import KindredSQLSyntax

/// Makes the transient tables of a connection, and makes them anew when the database has changed.
enum TransientTables {
  /// Remembers, in the connection's own temporary schema, which state of the database each table holds.
  private static let ledger = "kindred:transient"

  static func refresh(_ table: TransientTable, on connection: Connection) throws {
    // Read inside of the transaction, it is the version of the snapshot.
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
    // The version doesn't change with the connection's own writes, so one that writes can't go by it.
    guard made != version || !connection.isReadOnly else { return }
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
