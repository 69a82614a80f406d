import KindredAssociations
import KindredBackend
import KindredPostgreSQL

extension PostgreSQLReadTransaction {
  func explanation(of plan: Plan) throws -> PlanExplanation {
    var statements: [PlanExplanation.Statement] = []
    func add(_ name: String, _ statement: Plan.Statement) throws {
      statements.append(
        PlanExplanation.Statement(
          node: name, sql: statement.sql, bindings: statement.bindings, plan: try lines(of: statement)))
    }
    for search in plan.searches { try add("search", search.statement) }
    for step in plan.path { try add("path", step.statement) }
    for node in plan.nodes {
      try add(node.name.isEmpty ? "root" : node.name, node.batch?.statement ?? node.statement)
    }
    if let count = plan.count { try add("count", count) }
    if let anchor = plan.anchor { try add("anchor", anchor) }
    if let passed = plan.passed { try add("passed", passed) }
    return PlanExplanation(statements: statements)
  }

  /// Returns the lines of PostgreSQL's generic plan (<https://www.postgresql.org/docs/current/sql-explain.html>).
  private func lines(of statement: Plan.Statement) throws -> [String] {
    // EXPLAIN (GENERIC_PLAN) needs version 16; this also works before.
    let nulls = statement.bindings.map { _ in "NULL" }.joined(separator: ", ")
    let name = "kindred_explained_\(UInt64.random(in: .min ... .max))"
    let plan: QueryResult
    do {
      plan = try run([
        Query("SELECT set_config('plan_cache_mode', 'force_generic_plan', true)"),
        Query("PREPARE \(name) AS \(statement.sql)", isReusable: false),
        Query("EXPLAIN (COSTS OFF) EXECUTE \(name)\(nulls.isEmpty ? "" : "(\(nulls))")", isReusable: false),
        Query("DEALLOCATE \(name)", isReusable: false),
      ])[2]
    } catch {
      // A rollback doesn't remove the prepared statement.
      connection.retire()
      throw error
    }
    return (0..<plan.rowCount).compactMap { plan.text($0, 0) }
  }
}
