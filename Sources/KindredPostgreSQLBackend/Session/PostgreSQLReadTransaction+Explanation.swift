import KindredPlanning
import KindredBackend
import KindredOutput
import KindredPostgreSQL

extension PostgreSQLReadTransaction {
  func explanation(
    of executable: ExecutablePlan, _ parameters: Parameters, limit: Int?
  ) throws -> PlanExplanation {
    let plan = executable.plan
    let run = backend.capabilities.isSharded ? try queries(of: executable, parameters, limit: limit) : nil
    var statements: [PlanExplanation.Statement] = []
    func add(_ name: String, _ statement: Plan.Statement) throws {
      var explained = PlanExplanation.Statement(
        node: name, sql: statement.sql, bindings: statement.bindings, plan: [])
      if let run {
        (explained.plan, explained.shards) = try distributedPlan(
          of: statement, run.first { $0.sql.contains(statement.textBeforePage ?? statement.sql) })
      } else {
        explained.plan = try lines(of: statement)
      }
      statements.append(explained)
    }
    for search in plan.searches { try add("search", search.statement) }
    for step in plan.path { try add("path", step.statement) }
    for node in plan.nodes {
      try add(node.name.isEmpty ? "root" : node.name, node.batch?.statement ?? node.statement)
    }
    if let count = plan.count { try add("count", count) }
    // Whole pages are read, which need neither.
    for case let (name, statement?) in plan.statementsOfPages where !["lookahead", "last"].contains(name) {
      try add(name, statement)
    }
    return PlanExplanation(statements: statements)
  }

  func plannerStatistics() throws -> PlannerStatistics {
    try PostgreSQLSchemaReader(schemas: backend.schemas, run: run).plannerStatistics()
  }

  /// Returns the lines of PostgreSQL's generic plan (<https://www.postgresql.org/docs/current/sql-explain.html>).
  private func lines(of statement: Plan.Statement) throws -> [String] {
    // EXPLAIN (GENERIC_PLAN) needs version 16; this also works before.
    let nulls = statement.bindings.map { _ in "NULL" }.joined(separator: ", ")
    let name = "kindred_explained_\(UInt64.random(in: .min ... .max))"
    do {
      return try run([
        Query("SELECT set_config('plan_cache_mode', 'force_generic_plan', true)"),
        Query("PREPARE \(name) AS \(statement.sql)", isReusable: false),
        Query("EXPLAIN (COSTS OFF) EXECUTE \(name)\(nulls.isEmpty ? "" : "(\(nulls))")", isReusable: false),
        Query("DEALLOCATE \(name)", isReusable: false),
      ])[2].texts
    } catch {
      // A rollback doesn't remove the prepared statement.
      connection.retire()
      throw error
    }
  }

  // MARK: Shards

  /// Returns the statements that the request runs, with its values and those of the records that they read.
  private func queries(
    of plan: ExecutablePlan, _ parameters: Parameters, limit: Int?
  ) throws -> [Query] {
    stayOpen()
    recorded = []
    let result = result(of: plan, parameters, limit: limit)
    defer {
      result.close()
      recorded = nil
    }
    try result.start()
    return recorded ?? []
  }

  /// Returns the plan of a distributed statement, which only its values determine, and the number of its shards.
  ///
  /// - Parameter query: The statement with its values; nil if the request doesn't get as far, so that it goes to none.
  private func distributedPlan(
    of statement: Plan.Statement, _ query: Query?
  ) throws -> (lines: [String], shards: Int) {
    let sql = query?.sql ?? statement.sql
    let values = query?.values ?? statement.bindings.map { _ in nil }
    let results = try run([
      Query("EXPLAIN (COSTS OFF) \(sql)", values, isReusable: false),
      Query("EXPLAIN (FORMAT JSON) \(sql)", values, isReusable: false),
    ])
    let plan = results[1].texts.joined(separator: "\n")
    let tasks = try run([Query(Self.tasks, [Array(plan.utf8)])])[0].integer(0, 0)
    return (results[0].texts, query == nil ? 0 : Int(tasks ?? 1))
  }

  /// The greatest number of tasks that a part of a plan has: one for each shard.
  private static let tasks = """
    SELECT max(tasks::text::int8) FROM jsonb_path_query($1::jsonb, 'strict $.**."Task Count"', silent => true) AS tasks
    """
}
