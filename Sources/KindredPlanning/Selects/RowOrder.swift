import KindredSQLSyntax
import OrderedCollections

/// The note of an aggregate whose result depends on the order in which its rows are read.
struct OrderedRowsNote: SQLNote {
  /// Whether that is the default order of the records; otherwise any order will do that depends only on what the client
  /// sees.
  let isDefaultOrder: Bool
}

/// The order in which the rows of groups are read, where what a group shows depends on it.
struct RowOrder {
  /// The terms, as `ORDER BY` has them.
  let terms: [SQL]
  /// The collations of grouping expressions that consider different texts equal; a group then shows the first of them.
  let collations: [SQL: String]
}

extension Select {
  private static let rows: SQL = "\(identifier: "kindred:rows")"

  /// Returns the same groups of rows that are read in an order.
  ///
  ///     SELECT columns FROM (SELECT values FROM … WHERE … ORDER BY order LIMIT -1) AS rows
  ///     GROUP BY group HAVING havings ORDER BY …
  ///
  /// Without `LIMIT`, SQLite leaves out the order of a subquery where it expects no effect. Rows of one group keep their
  /// order when the groups are sorted.
  func read(in order: RowOrder) -> Select {
    var values: OrderedSet<SQL> = []
    func isAggregate(_ term: SQL) -> Bool { term.notes.contains { $0 is GroupAggregateNote } }
    func value(_ sql: SQL) -> SQL { "\(Self.rows).\(Self.name(ofRowValue: values.append(sql).index))" }
    func read(_ sql: SQL) -> SQL {
      sql.replacingValues(columnsWhere: { $0.depth == 0 }, inTermsWhere: isAggregate) { read, _ in value(read)
      }
    }
    let keys = group.joined(separator: ", ")
    let window: SQL =
      "PARTITION BY \(group.isEmpty ? "NULL" : keys) ORDER BY \(order.terms.joined(separator: ", "))"
    func shown(_ sql: SQL) -> SQL {
      sql.replacingValues(columnsWhere: { $0.depth == 0 }, inTermsWhere: isAggregate) { read, isInAggregate in
        guard !isInAggregate, !order.collations.isEmpty else { return value(read) }
        // With `min` or `max`, SQLite would show what the row of that value has.
        let first = value("first_value(\(read)) OVER (\(window))")
        return order.collations[read].map { "(\(first) COLLATE \(identifier: $0))" } ?? first
      }
    }
    let columns = columns.map(shown)
    let (groups, conditions, terms) = (group.map(read), havings.map(read), self.order.map(read))
    let named = values.enumerated().map { "\($1) AS \(Self.name(ofRowValue: $0))" as SQL }
    let source = Select(columns: named, from: from, order: order.terms, page: " LIMIT -1").text
    return Select(
      columns: columns, names: names, isDistinct: isDistinct, from: "FROM (\(source)) AS \(Self.rows)",
      group: groups,
      havings: conditions, order: terms, page: page)
  }

  private static func name(ofRowValue number: Int) -> SQL { "\(identifier: "v\(number)")" }
}
