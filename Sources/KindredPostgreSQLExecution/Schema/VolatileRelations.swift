import KindredPostgreSQL

/// The views, foreign tables and tables with policies whose rows may change without a commit.
///
/// Since views may read each other, a single one of them makes all count as volatile.
struct VolatileRelations {
  private var ids: Set<Int64> = []
  private var names: [String] = []

  /// - Parameter rows: The result of ``SchemaQueries/volatility``.
  init(_ rows: QueryResult) {
    guard (0..<rows.rowCount).contains(where: { rows.text($0, 2).map(Self.isVolatile) ?? true }) else {
      return
    }
    ids = Set((0..<rows.rowCount).compactMap { rows.integer($0, 0) })
    names = (0..<rows.rowCount).compactMap { rows.text($0, 1)?.lowercased() }
  }

  /// Returns whether it has the relation with this OID.
  func contains(_ id: Int64) -> Bool { ids.contains(id) }

  /// Returns whether the rows of a `SELECT` may change without a commit.
  func isRead(by sql: String) -> Bool {
    let text = sql.lowercased()
    return Self.isVolatile(sql) || names.contains { text.contains($0.replacing("\"", with: "\"\"")) }
  }

  /// The constructs of definitions that read the clock, random numbers, or data that isn't stored in tables.
  private static let signs = [
    "now(", "'now", "'today", "'tomorrow", "'yesterday", "age(", "current_", "local", "_timestamp(",
    "timeofday(",
    "random", "uuidv", "tablesample", "nextval(", "currval(", "lastval(", "pg_", "information_schema",
    "dblink",
  ]

  private static func isVolatile(_ definition: String) -> Bool {
    let text = definition.lowercased()
    return signs.contains { text.contains($0) }
  }
}
