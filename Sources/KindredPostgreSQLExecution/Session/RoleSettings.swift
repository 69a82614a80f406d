import KindredBackend
import KindredPostgreSQL

/// How a transaction becomes that of a role: by settings that end with it, as `SET LOCAL ROLE` does, whose values are
/// bound.
enum RoleSettings {
  private static let sql = "SELECT set_config('role', $1, true), set_config('request.jwt.claims', $2, true)"

  /// The statement that takes on a role.
  ///
  /// - Throws: `PostgreSQLError` for what is no name of a role.
  static func query(for role: DatabaseRole) throws -> Query {
    // `none` is nobody's name: it stands for the user of the connection, who may have any rights.
    guard !role.name.isEmpty, role.name != "none", !role.name.utf8.contains(0) else {
      throw PostgreSQLError(
        state: PostgreSQLError.State.forbidden, message: "the credentials name no role of the database")
    }
    return Query(sql, [Array(role.name.utf8), Array(role.claims.utf8)])
  }

  /// The statement that ends a role before the transaction does, so that what follows runs as the user of the
  /// connection.
  static let end = Query("SELECT set_config('role', 'none', true)")

  /// Runs `body`, and throws that it is forbidden where it fails because of a role that is not there, or that the user
  /// of the connection may not take on.
  static func refusing<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let error as PostgreSQLError where error.sql == sql && !error.endsConnection {
      throw PostgreSQLError(state: PostgreSQLError.State.forbidden, message: error.message)
    }
  }
}
