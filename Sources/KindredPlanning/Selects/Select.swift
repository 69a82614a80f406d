import KindredSQLSyntax
import OrderedCollections

/// The clauses of a `SELECT`, the last form before text.
///
///     SELECT [DISTINCT] columns
///     FROM … WHERE …
///     GROUP BY group HAVING havings
///     ORDER BY order LIMIT …
package struct Select {
  package var columns: [SQL]
  /// The names of the columns, where another statement reads them by name.
  var names: [SQL] = []
  var isDistinct = false
  /// The clauses from `FROM` to `WHERE`.
  var from: SQL
  var group: [SQL] = []
  var havings: [SQL] = []
  var order: [SQL] = []
  /// `LIMIT` and `OFFSET`, after a space; empty for all rows.
  package var page = SQL()
  /// The order in which the rows of groups are read; nil for any.
  var rowOrder: RowOrder?

  package init(
    columns: [SQL], names: [SQL] = [], isDistinct: Bool = false, from: SQL, group: [SQL] = [],
    havings: [SQL] = [],
    order: [SQL] = [], page: SQL = SQL()
  ) {
    self.columns = columns
    self.names = names
    self.isDistinct = isDistinct
    self.from = from
    self.group = group
    self.havings = havings
    self.order = order
    self.page = page
  }

  package var sql: SQL {
    if let rowOrder { return read(in: rowOrder).text }
    return readsGroupsInSubquery ? ofGroups.text : text
  }

  var text: SQL {
    let named = names.isEmpty ? columns : zip(columns, names).map { "\($0) AS \($1)" }
    let shown = named.isEmpty ? "1" : named.joined(separator: ", ")
    var sql: SQL = "SELECT \(isDistinct ? "DISTINCT " : SQL())\(shown) \(from)"
    if !group.isEmpty { sql.append(" GROUP BY \(group.joined(separator: ", "))") }
    if !havings.isEmpty { sql.append(" HAVING \(havings.joined(separator: " AND "))") }
    if !order.isEmpty { sql.append(" ORDER BY \(order.joined(separator: ", "))") }
    return sql + page
  }
}

// MARK: - Groups in subqueries

/// The note of an aggregate of a group.
struct GroupAggregateNote: SQLNote {}

/// The note of a subquery that computes operands from the values around it.
package struct OperandsNote: SQLNote {
  package init() {}
}

extension Select {
  private static let groups: SQL = "\(identifier: "kindred:groups")"

  /// Whether a subquery reads values of the groups.
  private var readsGroupsInSubquery: Bool {
    let notes = (columns + havings + order).flatMap(\.notes)
    return notes.contains { $0 is OperandsNote }
      && (!group.isEmpty || notes.contains { $0 is GroupAggregateNote })
  }

  /// The same select with the groups in a subquery of their own, whose columns are the values that a group has.
  ///
  ///     SELECT columns FROM (SELECT values FROM … WHERE … GROUP BY group) AS groups
  ///     WHERE havings ORDER BY order LIMIT …
  ///
  /// Other subqueries recognise neither a grouping expression nor an aggregate that reads no column.
  private var ofGroups: Select {
    var values: OrderedSet<SQL> = []
    func read(_ sql: SQL) -> SQL {
      sql.replacingValues(columnsWhere: { $0.depth == 0 }) { value in
        "\(Self.groups).\(Self.name(ofValue: values.append(value).index))"
      }
    }
    let (columns, conditions, order) = (columns.map(read), havings.map(read), order.map(read))
    let named = values.enumerated().map { "\($1) AS \(Self.name(ofValue: $0))" as SQL }
    let rows = Select(columns: named, from: from, group: group).text
    let filter: SQL = conditions.isEmpty ? "" : " WHERE \(conditions.joined(separator: " AND "))"
    return Select(
      columns: columns, names: names, isDistinct: isDistinct,
      from: "FROM (\(rows)) AS \(Self.groups)\(filter)",
      order: order, page: page)
  }

  private static func name(ofValue number: Int) -> SQL { "\(identifier: "v\(number)")" }
}
