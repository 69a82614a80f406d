import KindredSQLSyntax

/// The clauses of a `SELECT`, the last form before text.
///
///     SELECT [DISTINCT] columns
///     FROM … WHERE …
///     GROUP BY group HAVING havings
///     ORDER BY order LIMIT …
struct Select {
  var columns: [SQL]
  var isDistinct = false
  /// The clauses from `FROM` to `WHERE`.
  var from: SQL
  var group: [SQL] = []
  var havings: [SQL] = []
  var order: [SQL] = []
  /// `LIMIT` and `OFFSET`, after a space; empty for all rows.
  var page = SQL()

  var sql: SQL {
    let shown = columns.isEmpty ? "1" : columns.joined(separator: ", ")
    var sql: SQL = "SELECT \(isDistinct ? "DISTINCT " : SQL())\(shown) \(from)"
    if !group.isEmpty { sql.append(" GROUP BY \(group.joined(separator: ", "))") }
    if !havings.isEmpty { sql.append(" HAVING \(havings.joined(separator: " AND "))") }
    if !order.isEmpty { sql.append(" ORDER BY \(order.joined(separator: ", "))") }
    return sql + page
  }
}
