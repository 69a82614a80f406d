import KindredBackend
import KindredPostgreSQL

/// The settings by which a transaction assumes a role until it ends, like `SET LOCAL ROLE` but with bound values.
enum RoleSettings {
  private static let sql = "SELECT set_config('role', $1, true), set_config('request.jwt.claims', $2, true)"

  /// Returns the statement that assumes a role.
  ///
  /// - Throws: `PostgreSQLError` if the name can't be that of a role.
  static func query(for role: DatabaseRole) throws -> Query {
    // `none` would reset the role to the connection's user, who may have more rights.
    guard !role.name.isEmpty, role.name != "none", !role.name.utf8.contains(0) else {
      throw PostgreSQLError(
        state: PostgreSQLError.State.forbidden, message: "the token names no database role")
    }
    return Query(sql, [Array(role.name.utf8), Array(role.claims.utf8)])
  }

  /// The statement that ends a role before the transaction does, so that what follows runs as the connection's
  /// user.
  static let end = Query("SELECT set_config('role', 'none', true)")

  /// Runs `body`, and throws a `forbidden` error if the role does not exist or the connection's user can't assume
  /// it.
  static func refusing<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let error as PostgreSQLError where error.sql == sql && !error.endsConnection {
      throw PostgreSQLError(state: PostgreSQLError.State.forbidden, message: error.message)
    }
  }
}
