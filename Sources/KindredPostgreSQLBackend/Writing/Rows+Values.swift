import KindredBackend
import KindredPostgreSQL
import KindredSQLSyntax

extension Rows {
  /// The values of all rows.
  var values: [[SQLValue]] {
    (0..<count).map { row in
      (0..<result.columnCount).map { withPlace(row, $0) { SQLValue($0) } }
    }
  }

  /// The same of a change: that of a view without a key returns no columns, but still the number of records.
  var valuesOfChange: [[SQLValue]] {
    result.columnCount > 0 ? values : Array(repeating: [], count: result.affectedRows)
  }
}
