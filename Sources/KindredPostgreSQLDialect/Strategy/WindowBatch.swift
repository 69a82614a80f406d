import KindredPlanning
import KindredSQLSyntax

/// The rows of a node for many parents at once, where window functions number those of each parent.
struct WindowBatch {
  private let node: NodeSelect
  private let dialect: any SQLDialect

  private static let number: SQL = "\(identifier: "kindred:n")"
  private static let place: SQL = "\(identifier: "kindred:place")"

  /// Returns nil if the rows can't be told apart by their parents: rows that a subquery finds, the group of all rows,
  /// which exists without any, and groups whose values depend on the parent.
  init?(_ node: NodeSelect, _ dialect: any SQLDialect) {
    let rows = node.rows
    guard !rows.source.links.isEmpty else { return nil }
    if let group = rows.group {
      let values = group + rows.havings + rows.columns + rows.order.map(\.sql)
      guard !group.isEmpty, !values.contains(where: \.readsRowsAbove) else { return nil }
    }
    (self.node, self.dialect) = (node, dialect)
  }

  func sql(_ inputs: inout ParentInputs) -> SQL {
    let names = node.rows.shown.indices.map { "\(identifier: "c\($0)")" as SQL }
    let numbered = node.rows.isDistinct ? distinct(names, &inputs) : all(&inputs).sql
    var conditions: [SQL] = []
    if let offset = node.page.offset { conditions.append("\(Self.place) > \(offset)") }
    if let limit = node.page.limit {
      // The sum of limit and offset might overflow.
      conditions.append("\(Self.place)\(node.page.offset.map { " - \($0)" as SQL } ?? SQL()) <= \(limit)")
    }
    let filter: SQL = conditions.isEmpty ? "" : " WHERE \(conditions.joined(separator: " AND "))"
    let columns = (names + [Self.number, Self.place]).joined(separator: ", ")
    return Select(
      columns: names + [Self.number],
      from: "FROM (\(numbered)) AS \(identifier: "kindred:rows")(\(columns))\(filter)",
      order: [Self.number, Self.place]
    ).sql
  }

  /// Returns the rows with the number of their parent and their place among those of it.
  private func all(_ inputs: inout ParentInputs) -> Select {
    let rows = node.rows
    let from = inputs.localized(rows.source.sql(outer: ParentInputs.place))
    let columns = rows.shown.map { inputs.localized($0) }
    let order = rows.order.map { inputs.localized($0.rendered(as: $0.sql, dialect)) }
    let havings = rows.havings.map { inputs.localized($0) }
    return Select(
      columns: columns + [ParentInputs.number, Self.place(among: ParentInputs.number, order)],
      from: from.replacing(term: ParentInputs.place, with: inputs.source),
      group: rows.group.map { [ParentInputs.number] + $0 } ?? [], havings: havings)
  }

  /// Returns the first row of each set of equal rows of a parent, likewise.
  private func distinct(_ names: [SQL], _ inputs: inout ParentInputs) -> SQL {
    let rows = node.rows
    var all = all(&inputs)
    all.columns = zip(all.columns, names + [Self.number, Self.place]).map { "\($0) AS \($1)" }
    let first = dialect.firstOfEqual(
      all.sql, names + [Self.number], equalIn: [Self.number] + rows.distinguishing(names), place: Self.place,
      order: [Self.number] + rows.distinguishing(names), page: nil)
    let numbers = rows.numbers
    let order = rows.order.map { $0.rendered(as: names[numbers[$0.sql] ?? 0], dialect) }
    return Select(
      columns: names + [Self.number, Self.place(among: Self.number, order)],
      from: "FROM \(dialect.derived(first))"
    ).sql
  }

  private static func place(among number: SQL, _ order: [SQL]) -> SQL {
    let order: SQL = order.isEmpty ? "" : " ORDER BY \(order.joined(separator: ", "))"
    return "row_number() OVER (PARTITION BY \(number)\(order))"
  }
}
