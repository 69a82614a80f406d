import KindredBackend
import KindredModel
import KindredPostgreSQL

/// The settings by which a transaction assumes a role until it ends, like `SET LOCAL ROLE` but with bound values.
struct RoleSettings {
  /// The settings of a role itself (`ALTER ROLE … SET …`), which PostgreSQL applies only to its own sessions.
  struct Own: Sendable {
    /// The names and values of the settings, in the order in which they apply.
    var values: [(name: String, value: String)] = []
    /// The milliseconds that a statement of the role may take; nil if the role sets no limit.
    var milliseconds: UInt64?
  }

  private static let start = "SELECT set_config('role', $1, true), set_config('request.jwt.claims', $2, true)"

  /// Returns the statement that assumes a role.
  ///
  /// - Parameters:
  ///   - own: The settings of the role itself.
  ///   - limit: The milliseconds that a statement may take anyway; nil for no limit.
  /// - Throws: `PostgreSQLError` if the name can't be that of a role.
  static func query(for role: DatabaseRole, _ own: Own, limit: UInt64?) throws -> Query {
    // `none` would reset the role to the connection's user, who may have more rights.
    guard !role.name.isEmpty, role.name != "none", !role.name.utf8.contains(0) else {
      throw PostgreSQLError(.forbidden, "the token names no database role")
    }
    var settings = own.values
    if let milliseconds = own.milliseconds, milliseconds < limit ?? .max {
      settings.append(("statement_timeout", String(milliseconds)))
    }
    if let headers = role.headers { settings.append(("request.headers", headers)) }
    var sql = start
    for number in settings.indices { sql += ", set_config($\(2 * number + 3), $\(2 * number + 4), true)" }
    let values = [role.name, role.claims] + settings.flatMap { [$0.name, $0.value] }
    return Query(sql, values.map { Array($0.utf8) })
  }

  /// The statement that ends a role before the transaction does, so that what follows runs as the connection's
  /// user.
  static let end = Query("SELECT set_config('role', 'none', true)")

  /// Runs `body`, and throws a `forbidden` error if the role does not exist or the connection's user can't assume
  /// it.
  static func refusing<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let error as PostgreSQLError
      where error.sql?.hasPrefix(start) ?? false && !error.endsConnection
    {
      throw PostgreSQLError(.forbidden, error.message)
    }
  }
}

extension RoleSettings.Own {
  /// Reads the settings of all roles, by their names, from the result of ``SchemaQueries/roleSettings``.
  static func all(_ rows: QueryResult) -> [ExactName: RoleSettings.Own] {
    var all: [ExactName: RoleSettings.Own] = [:]
    for row in 0..<rows.rowCount {
      guard let role = rows.text(row, 0), let name = rows.text(row, 1), let value = rows.text(row, 2),
        rows.isTrue(row, 3)
      else { continue }
      if name.lowercased() == "statement_timeout" {
        all[ExactName(role), default: .init()].milliseconds = rows.integer(row, 4).flatMap {
          $0 > 0 ? UInt64($0) : nil
        }
      } else {
        all[ExactName(role), default: .init()].values.append((name, value))
      }
    }
    return all
  }
}
