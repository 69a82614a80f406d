import KindredPlanning
import KindredSQLSyntax

/// A `CASE`: the result of the first branch whose condition is true, or equals the value.
struct PostgreSQLCase {
  var value: CompiledExpression?
  let branches: [(condition: CompiledExpression, result: CompiledExpression)]
  let other: CompiledExpression?

  func compiled() throws -> CompiledExpression {
    // The value is written once for each branch.
    if let value, value.sql.length * branches.count > CompiledExpression.maximumRepetition {
      throw TypeMismatch(message: "the value of `case` is too long for this number of branches")
    }
    let results = try PostgreSQLAlternatives(branches.map(\.result) + (other.map { [$0] } ?? []))
    var sql: SQL = "CASE"
    for (branch, result) in zip(branches, results.values) {
      let condition =
        try value.map { try PostgreSQLComparison($0, branch.condition).equality }
        ?? branch.condition.asCondition().sql
      sql.append(" WHEN \(condition) THEN \(result.sql)")
    }
    if other != nil, let last = results.values.last { sql.append(" ELSE \(last.sql)") }
    sql.append(" END")
    return CompiledExpression(sql: sql, type: results.type)
  }
}
