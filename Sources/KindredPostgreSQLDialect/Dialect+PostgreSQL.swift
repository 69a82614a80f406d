import KindredPlanning

extension Dialect {
  /// The dialect of PostgreSQL.
  public static let postgreSQL = Dialect(PostgreSQLDialect())
  /// Returns the dialect of PostgreSQL for sessions with a function that tests rules.
  public static func postgreSQL(testingRulesBy function: RuleTestFunction) -> Dialect {
    Dialect(PostgreSQLDialect(ruleTest: function))
  }
  /// The dialect of PostgreSQL for databases whose tables may be distributed over shards, which computes fewer forms of
  /// a statement.
  public static let sharded = Dialect(PostgreSQLDialect(isSharded: true))
}
