import KindredPlanning

extension Dialect {
  /// The dialect of PostgreSQL.
  public static let postgreSQL = Dialect(PostgreSQLDialect())
  /// The dialect of PostgreSQL for databases whose tables may be distributed over shards, which computes fewer forms of
  /// a statement.
  public static let sharded = Dialect(PostgreSQLDialect(isSharded: true))
}
