import KindredPostgreSQL
import KindredPostgreSQLDialect

extension PostgreSQLBackend {
  /// The condition that a session may have temporary functions: not on a standby, and only with these privileges.
  static let mayAddFunctions = """
    NOT pg_is_in_recovery() AND has_database_privilege(current_database(), 'TEMP')
      AND EXISTS (SELECT FROM pg_language WHERE lanname = 'plpgsql' AND has_language_privilege(oid, 'USAGE'))
    """

  /// Gives the session of a connection that has no transaction the function that tests rules, once a statement calls it.
  func addRuleTest(to connection: PostgreSQLConnection) {
    guard let ruleTest, ruleTest.isCalled, connection.ownsSession, !connection.hasRuleTest else { return }
    do {
      _ = try connection.run(
        ["BEGIN READ WRITE", RuleTestFunction.definition].map { Query($0, isReusable: false) }
          + [PostgreSQLConnection.commit])
      connection.hasRuleTest = true
    } catch {
      // A statement that needs it fails.
      _ = try? connection.run([Query("ROLLBACK", isReusable: false)])
    }
  }
}
