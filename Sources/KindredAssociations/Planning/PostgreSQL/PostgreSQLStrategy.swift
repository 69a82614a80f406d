import KindredSQLSyntax

/// Runs the select of a node for many parent records at once, since each statement takes a round trip.
struct PostgreSQLStrategy: PlanStrategy {
  let dialect: any SQLDialect

  func arranged(_ tree: SelectTree) -> SelectTree {
    var tree = tree
    if let root = tree.nodes.first?.rows { tree.nodes[0].rows.ranking = GroupedRanking(of: root) }
    for number in tree.nodes.indices.dropFirst() { tree.nodes[number].batch = batch(of: tree.nodes[number]) }
    return tree
  }

  /// Returns the select of a node for many parents at once; nil if it reads nothing from them.
  ///
  /// If a single column links the records, and nothing else is read from the parents:
  ///
  ///     SELECT columns FROM book WHERE book."authorId" = ANY($1) ORDER BY book."authorId", order
  ///
  /// If more is read, each parent has a number, which is in the last column of its rows:
  ///
  ///     SELECT columns, above.n FROM unnest($1, $2) WITH ORDINALITY AS above(…, n)
  ///     CROSS JOIN book WHERE book."authorId" = above."0" ORDER BY above.n, order
  ///
  /// If rows are limited, and the dialect does this by windows:
  ///
  ///     SELECT columns, n FROM (
  ///       SELECT columns, above.n, row_number() OVER (PARTITION BY above.n ORDER BY order)
  ///       FROM unnest($1, $2) WITH ORDINALITY AS above(…, n) CROSS JOIN book WHERE …) AS rows(columns, n, place)
  ///     WHERE place <= limit ORDER BY n, place
  ///
  /// If rows are limited otherwise, grouped, or found by a subquery:
  ///
  ///     SELECT rows.columns, above.n FROM unnest($1, $2) WITH ORDINALITY AS above(…, n)
  ///     CROSS JOIN LATERAL (SELECT columns, order FROM book WHERE … ORDER BY order LIMIT …) AS rows(…)
  ///     ORDER BY above.n, rows.order
  private func batch(of node: NodeSelect) -> BatchSelect? {
    let (rows, page) = (node.rows, node.page)
    let isFlat = rows.group == nil && !rows.isDistinct && !rows.source.links.isEmpty
    if isFlat, page.isEmpty, let batch = keyedBatch(of: rows) { return batch }
    var inputs = BatchInputs()
    let sql =
      if isFlat, page.isEmpty {
        flatBatch(of: rows, &inputs)
      } else if isFlat, dialect.limitsByWindows {
        windowBatch(of: node, &inputs)
      } else {
        lateralBatch(of: rows, page: page, &inputs)
      }
    guard !inputs.columns.isEmpty else { return nil }
    return BatchSelect(columns: inputs.columns, sql: sql)
  }

  /// Returns the records of all keys, in the order of these; nil unless a single key links them.
  private func keyedBatch(of rows: RecordSelect) -> BatchSelect? {
    let record = rows.record
    guard let association = record.node?.association, let step = association.steps.first,
      association.steps.count == 1, let name = step.destinationColumns.first,
      step.destinationColumns.count == 1, let origin = record.parent, origin.statement !== record.statement,
      let column = record.table.column(named: name), let type = dialect.type(of: column),
      let other = origin.table.column(named: step.originColumns[0]), dialect.type(of: other) == type,
      // Equal values of these types have equal texts.
      type.hasOneText, column.comparesBytes, other.comparesBytes
    else { return nil }
    let key = record.column(name, in: record.statement)
    let rest = rows.source.conditions + rows.source.joins + rows.columns + rows.order.map(\.sql)
    guard rows.source.links.count == 1, !rest.contains(where: \.readsRowsAbove) else { return nil }
    var inputs = BatchInputs()
    _ = inputs.localized(rows.source.links[0])
    guard inputs.columns.count == 1 else { return nil }
    var keyed = rows
    let number = keyed.column(key)
    keyed.source.links = ["\(key) = ANY(\(SQL.bound(to: .batch(0), as: "\(type.name)[]")))"]
    var first = OrderTerm(sql: key)
    first.isNullable = false
    keyed.order.removeAll { $0.sql == key }
    keyed.order.insert(first, at: 0)
    return BatchSelect(columns: inputs.columns, sql: keyed.sql(page: ""), link: .key(number))
  }

  private func flatBatch(of rows: RecordSelect, _ inputs: inout BatchInputs) -> SQL {
    var order = OrderTerm(sql: BatchInputs.number)
    order.isNullable = false
    let from = inputs.localized(rows.source.sql(outer: BatchInputs.place))
    let columns = (rows.columns + [BatchInputs.number]).map { inputs.localized($0) }
    let terms = ([order] + rows.order).map { inputs.localized($0.rendered(as: $0.sql, dialect)) }
    return Select(
      columns: columns, from: from.replacing(term: BatchInputs.place, with: inputs.source), order: terms
    ).sql
  }

  private func windowBatch(of node: NodeSelect, _ inputs: inout BatchInputs) -> SQL {
    let rows = node.rows
    let from = inputs.localized(rows.source.sql(outer: BatchInputs.place))
    let columns = rows.shown.map { inputs.localized($0) }
    let terms = rows.order.map { inputs.localized($0.rendered(as: $0.sql, dialect)) }
    let order: SQL = terms.isEmpty ? "" : " ORDER BY \(terms.joined(separator: ", "))"
    let window: SQL = "row_number() OVER (PARTITION BY \(BatchInputs.number)\(order))"
    let inner = Select(
      columns: columns + [BatchInputs.number, window],
      from: from.replacing(term: BatchInputs.place, with: inputs.source)
    ).sql
    let names = columns.indices.map { "\(identifier: "c\($0)")" as SQL }
    let (number, place): (SQL, SQL) = ("\(identifier: "kindred:n")", "\(identifier: "kindred:place")")
    var conditions: [SQL] = []
    if let offset = node.offset { conditions.append("\(place) > \(offset)") }
    if let limit = node.limit {
      conditions.append("\(place) <= \(limit)\(node.offset.map { " + \($0)" as SQL } ?? SQL())")
    }
    let all = names + [number, place]
    return Select(
      columns: names + [number],
      from:
        "FROM (\(inner)) AS \(identifier: "kindred:rows")(\(all.joined(separator: ", "))) WHERE \(conditions.joined(separator: " AND "))",
      order: [number, place]
    ).sql
  }

  private func lateralBatch(of rows: RecordSelect, page: SQL, _ inputs: inout BatchInputs) -> SQL {
    let shown = rows.shown
    var columns = shown
    let places = rows.order.map { term in
      columns.firstIndex(of: term.sql)
        ?? {
          columns.append(term.sql)
          return columns.count - 1
        }()
    }
    let inner = inputs.localized(rows.sql(columns, page: page))
    let names = columns.indices.map { "\(identifier: "c\($0)")" as SQL }
    let table: SQL = "\(identifier: "kindred:rows")"
    let result = shown.indices.map { "\(table).\(names[$0])" as SQL } + [BatchInputs.number]
    let order =
      [BatchInputs.number]
      + zip(rows.order, places).map { $0.rendered(as: "\(table).\(names[$1])", dialect) }
    return Select(
      columns: result,
      from:
        "FROM \(inputs.source) CROSS JOIN LATERAL (\(inner)) AS \(table)(\(names.joined(separator: ", ")))",
      order: order
    ).sql
  }
}

/// The inputs of a batch: an array for each column that it reads from the parents, and the number of each parent.
private struct BatchInputs {
  static let table: SQL = "\(identifier: "kindred:above")"
  static let number: SQL = "\(table).\(identifier: "kindred:n")"

  private(set) var columns: [SQL.Binding] = []
  private var types: [String] = []

  /// A placeholder for the source until all columns are known.
  static let place = SQL.term("unnest")

  private static func name(_ number: Int) -> SQL { "\(identifier: "kindred:\(number)")" }

  /// Returns an expression that reads the parents from the inputs.
  mutating func localized(_ sql: SQL) -> SQL {
    sql.replacingBindings { binding, type in
      guard case .ancestor = binding else { return nil }
      let type = type ?? "text"
      // `unnest` would take an array of arrays apart altogether.
      let isArray = type.hasSuffix("[]")
      let number =
        columns.firstIndex(of: binding)
        ?? {
          columns.append(binding)
          types.append(isArray ? "text" : type)
          return columns.count - 1
        }()
      let value: SQL = "\(Self.table).\(Self.name(number))"
      return isArray ? "(\(value)::\(SQL(trusted: type)))" : value
    }
  }

  /// The parents in a `FROM` clause: `unnest(…) WITH ORDINALITY AS above(…)`.
  var source: SQL {
    let arrays = types.enumerated().map { SQL.bound(to: .batch($0), as: "\($1)[]") }
    let names = columns.indices.map(Self.name) + ["\(identifier: "kindred:n")"]
    return
      "unnest(\(arrays.joined(separator: ", "))) WITH ORDINALITY AS \(Self.table)(\(names.joined(separator: ", ")))"
  }
}
