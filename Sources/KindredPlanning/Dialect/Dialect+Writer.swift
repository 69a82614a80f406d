extension Dialect {
  /// The writer of the dialect.
  var writer: any SQLDialect {
    switch self {
    case .sqlite: SQLiteDialect()
    case .postgreSQL: PostgreSQLDialect()
    case .sharded: PostgreSQLDialect(isSharded: true)
    }
  }
}
