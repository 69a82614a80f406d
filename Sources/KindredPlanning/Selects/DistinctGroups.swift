import KindredModel
import KindredSQLSyntax

/// Sets of equal rows as groups, where nothing but what distinguishes them is shown, and the least value of a column tells
/// which row of a set is the first.
///
///     SELECT keys, MIN(place) FROM … GROUP BY keys ORDER BY keys LIMIT page
///
/// A group shows any of its equal values, so these must have one text.
struct DistinctGroups {
  private let rows: RecordSelect
  private let keys: [SQL]
  private let place: SQL

  /// Returns nil if the sets aren't such ones, or the values have no types.
  init?(of rows: RecordSelect, by keys: [SQL], first place: OrderTerm) {
    (self.rows, self.keys, self.place) = (rows, keys, place.sql)
    guard place.type?.kind == .integer, rows.group == nil, !keys.isEmpty,
      rows.columns.allSatisfy({ $0 == place.sql || keys.contains($0) && Self.hasOneText($0, in: rows) })
    else { return nil }
  }

  private static func hasOneText(_ value: SQL, in rows: RecordSelect) -> Bool {
    guard let name = value.column(of: rows.record.id), let column = rows.record.table.column(named: name)
    else { return false }
    return column.comparesBytes && rows.dialect.type(of: column)?.hasOneText ?? false
  }

  /// Returns the groups with names for their columns.
  ///
  /// - Parameter condition: A further condition on each row.
  func sql(_ names: [SQL], and condition: SQL?, order: [SQL], page: SQL) -> SQL {
    let values: [SQL] = rows.columns.map { $0 == place ? "MIN(\($0))" : $0 }
    return Select(
      columns: values, names: names, from: rows.source.sql(and: condition), group: keys, order: order,
      page: page
    ).sql
  }
}
