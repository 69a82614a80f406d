import KindredModel
import KindredSQLSyntax

extension SchemaSource {
  /// Returns how many of the distinct values of a column are values of a key, and how many there are.
  ///
  /// - Parameters:
  ///   - rows: The number of rows to read.
  ///   - most: The largest number of values to look for.
  package func countValues(
    of column: Column, in table: Table, amongFirst rows: Int, upTo most: Int, foundIn key: Column,
    of target: Table
  ) throws -> (found: Int64, total: Int64) {
    let (rows, most) = (SQL(trusted: String(rows)), SQL(trusted: String(most)))
    let counts = try integers(
      """
      SELECT COUNT(*), COALESCE(SUM(CASE WHEN EXISTS (\
      SELECT 1 FROM \(target.reference) AS k WHERE k.\(identifier: key.name) = v.v) THEN 1 ELSE 0 END), 0) \
      FROM (SELECT DISTINCT r.v FROM (SELECT \(identifier: column.name) AS v FROM \(table.reference) LIMIT \(rows)) AS r \
      WHERE r.v IS NOT NULL LIMIT \(most)) AS v
      """)
    return counts.count == 2 ? (counts[1], counts[0]) : (0, 0)
  }
}
