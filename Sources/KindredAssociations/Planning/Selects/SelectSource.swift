import KindredSQLSyntax

/// The clauses of a `SELECT` that say where its rows come from.
///
///     FROM table joins WHERE links AND conditions
struct SelectSource {
  /// The first table, or a subquery.
  var table = SQL()
  /// The record whose table that is; nil where it is another one, or a subquery.
  var plainRecord: RecordID?
  var joins: [SQL] = []
  /// Whether a join may leave records out.
  var leavesOutByJoin = false
  /// What ties the records to the one that they are associated with.
  var links: [SQL] = []
  var conditions: [SQL] = []

  /// How a table is joined.
  enum JoinKind: SQL {
    /// Records that it gives nothing for are left out.
    case required = "JOIN"
    /// The same, and SQLite does not read it before those that stand before it.
    case ordered = "CROSS JOIN"
    /// All records stay.
    case optional = "LEFT JOIN"
  }

  /// The clauses, with one more condition where there is one.
  ///
  /// - Parameter outer: a table of which each row is gone through first.
  func sql(outer: SQL? = nil, and condition: SQL? = nil) -> SQL {
    var sql: SQL = "FROM "
    if let outer { sql.append("\(outer) CROSS JOIN ") }
    sql.append(table)
    for join in joins { sql.append(" \(join)") }
    let all = links + conditions + (condition.map { [$0] } ?? [])
    if !all.isEmpty { sql.append(" WHERE \(all.joined(separator: " AND "))") }
    return sql
  }

  /// Whether the records are those of a table, each once, which its key finds again.
  func isPlain(_ record: RecordID, of table: Table) -> Bool {
    guard case .table = table.kind, !table.pointerColumns.isEmpty else { return false }
    return plainRecord == record && !leavesOutByJoin
  }
}
