import KindredModel
import KindredSQLSyntax

/// The clauses of a `SELECT` that say where its rows come from.
///
///     FROM table joins WHERE links AND conditions
package struct SelectSource {
  /// The first table or subquery.
  package var table = SQL()
  /// The record whose table that is; nil if it is a subquery or a copy.
  var plainRecord: RecordID?
  package var joins: [Join] = []
  /// Whether a join may exclude records.
  var leavesOutByJoin = false
  /// The conditions that link the records to the one that they are associated with.
  package var links: [SQL] = []
  package var conditions: [SQL] = []

  /// A table, or several, after the first one.
  package struct Join {
    package var sql: SQL
    /// The record that it adds to each row, if the number of rows is the same without it; nil if it may not be.
    let addition: RecordID?
  }

  /// How a table is joined.
  enum JoinKind: SQL {
    /// Records without a match are excluded.
    case required = "JOIN"
    /// Like `required`; SQLite reads the table after those before it.
    case ordered = "CROSS JOIN"
    /// All records are kept.
    case optional = "LEFT JOIN"
  }

  /// Returns the clauses, with an additional condition if there is one.
  ///
  /// - Parameter outer: A table for the outer loop of the join.
  package func sql(outer: SQL? = nil, and condition: SQL? = nil) -> SQL {
    var sql: SQL = "FROM "
    if let outer { sql.append("\(outer) CROSS JOIN ") }
    sql.append(table)
    for join in joins { sql.append(" \(join.sql)") }
    let all = links + conditions + (condition.map { [$0] } ?? [])
    if !all.isEmpty { sql.append(" WHERE \(all.joined(separator: " AND "))") }
    return sql
  }

  /// Returns the source of as many rows, without the joins whose records are read neither by other clauses nor by the
  /// conditions and joins that remain.
  ///
  /// SQLite leaves out such a join of a plain select, but not of an aggregate one, and then can't count by an index alone.
  func counting(readBy clauses: [SQL] = []) -> SelectSource {
    guard joins.contains(where: { $0.addition != nil }) else { return self }
    var source = self
    var readers = clauses + links + conditions
    source.joins = []
    for join in joins.reversed() {
      if let addition = join.addition, !readers.contains(where: { $0.reads { $0 == addition } }) { continue }
      readers.append(join.sql)
      source.joins.insert(join, at: 0)
    }
    return source
  }

  /// Whether no index finds the rows of the first table.
  package var lacksIndex: Bool {
    table.notes.contains { if case .missingIndex? = $0 as? PlanNote { true } else { false } }
  }

  /// Returns whether the rows are records of a table that has a key, each of them once.
  package func isPlain(_ record: RecordID, of table: Table) -> Bool {
    guard case .table = table.kind, !table.pointerColumns.isEmpty else { return false }
    return plainRecord == record && !leavesOutByJoin
  }
}
