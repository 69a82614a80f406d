import KindredModel
import KindredPlanning
import KindredSQLSyntax

/// Runs the select of a node for many parent records at once, since each statement takes a round trip.
struct PostgreSQLStrategy: PlanStrategy {
  let dialect: PostgreSQLDialect

  /// The shards of the associated records may be others.
  var joinsGroups: Bool { !dialect.isSharded }
  var findsByExistence: Bool { !dialect.isSharded }

  func arranged(_ tree: SelectTree) -> SelectTree {
    var tree = tree
    // The values of a path are those of one record.
    for number in tree.nodes.indices.prefix(1) {
      tree.nodes[number].rows = tree.nodes[number].rows.withShardConditions { $0.link }
    }
    if let root = tree.nodes.first?.rows {
      tree.nodes[0].rows.ranking = GroupedRanking(of: root)
      if tree.isFoundByPrimaryKey, root.group == nil, !root.isDistinct {
        // PostgreSQL flattens the subquery that also returns the state only if it has neither.
        tree.nodes[0].rows.order = []
        tree.nodes[0].page = Page()
      }
    }
    if !dialect.isSharded {
      for number in tree.nodes.indices { tree.nodes[number].rows.readNullsApart(in: tree.nodes[number].page) }
    }
    for number in tree.nodes.indices.dropFirst() { tree.nodes[number].batch = batch(of: tree.nodes[number]) }
    for number in tree.countingRows() where number > 0 {
      let countColumn = tree.nodes[number].batch?.countColumn
      tree.nodes[number].batch = batch(of: tree.nodes[number])
      tree.nodes[number].batch?.countColumn = countColumn
    }
    return tree
  }

  /// Gives the root, a record that is found by its primary key, a select for many keys at once.
  ///
  ///     SELECT columns, above.n FROM unnest($1) WITH ORDINALITY AS above("0", n)
  ///     CROSS JOIN author WHERE author.id = above."0" ORDER BY above.n
  func batched(_ tree: SelectTree, over keys: Set<Int>) -> SelectTree {
    guard let root = tree.nodes.first, tree.isFoundByPrimaryKey, root.page.isWhole, root.rows.ranking == nil,
      // A node of a sharded database can't join its tables with an array.
      !dialect.isSharded
    else { return tree }
    var inputs = ParentInputs(dialect, keys: keys)
    let sql = flatBatch(of: root.rows, &inputs)
    let others = tree.nodes.dropFirst().compactMap { $0.batch?.sql }
    guard !inputs.columns.isEmpty, !([sql] + others).contains(where: { $0.isBound { $0.reads(keys) } }) else {
      return tree
    }
    var tree = tree
    tree.nodes[0].batch = BatchSelect(columns: inputs.columns, sql: sql)
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
  /// If rows are limited, grouped or distinct in a sharded database, or limited, and no index finds those of a parent:
  ///
  ///     SELECT columns, n FROM (
  ///       SELECT columns, above.n, row_number() OVER (PARTITION BY above.n ORDER BY order)
  ///       FROM unnest($1, $2) WITH ORDINALITY AS above(…, n) CROSS JOIN book WHERE … GROUP BY above.n, group
  ///     ) AS rows(columns, n, place) WHERE place <= limit ORDER BY n, place
  ///
  /// If they are limited, grouped or distinct in others, or are found by a subquery:
  ///
  ///     SELECT rows.columns, above.n FROM unnest($1, $2) WITH ORDINALITY AS above(…, n)
  ///     CROSS JOIN LATERAL (SELECT columns, order FROM book WHERE … ORDER BY order LIMIT …) AS rows(…)
  ///     ORDER BY above.n, rows.order
  private func batch(of node: NodeSelect) -> BatchSelect? {
    let page = node.page
    var inputs = ParentInputs(dialect)
    let rows = node.rows.withShardConditions { inputs.condition(for: $0) }
    var node = node
    node.rows = rows
    let isFlat = rows.group == nil && !rows.isDistinct && !rows.source.links.isEmpty
    if isFlat, page.isWhole, let batch = keyedBatch(of: rows) { return batch }
    let sql =
      if isFlat, page.isWhole {
        flatBatch(of: rows, &inputs)
      } else if dialect.isSharded || isInOnePass(node), let batch = WindowBatch(node, dialect) {
        batch.sql(&inputs)
      } else {
        lateralBatch(of: rows, page: page.sql(dialect), &inputs)
      }
    guard !inputs.columns.isEmpty else { return nil }
    return BatchSelect(columns: inputs.columns, sql: sql)
  }

  /// Returns the records of all keys, in the order of these; nil unless a single key links them.
  private func keyedBatch(of rows: RecordSelect) -> BatchSelect? {
    let record = rows.record
    guard let association = record.node?.association, let step = association.steps.first,
      association.steps.count == 1, let name = step.destinationColumns.first,
      step.destinationColumns.count == 1, let origin = record.tableAbove,
      let column = record.table.column(named: name), let type = dialect.type(of: column),
      let other = origin.column(named: step.originColumns[0]), dialect.type(of: other) == type,
      // Equal values of these types have equal texts.
      type.hasOneText, column.comparesBytes, other.comparesBytes
    else { return nil }
    let key = SQL.column(record.id, name)
    let rest =
      rows.source.conditions + rows.source.joins.map(\.sql) + rows.columns + rows.order.map(\.sql)
    guard rows.source.links.count == 1, !rest.contains(where: \.readsRowsAbove) else { return nil }
    var inputs = ParentInputs(dialect)
    _ = inputs.localized(rows.source.links[0])
    guard inputs.columns.count == 1 else { return nil }
    var keyed = rows
    let number = keyed.column(key)
    keyed.source.links = ["\(key) = ANY(\(SQL.bound(to: .batch(0), as: "\(type.name)[]")))"]
    var first = OrderTerm(sql: key)
    first.isNullable = false
    keyed.order.removeAll { $0.sql == key }
    keyed.order.insert(first, at: 0)
    var batch = BatchSelect(columns: inputs.columns, sql: keyed.sql(page: ""), link: .key(number))
    if rows.source.conditions.isEmpty, rows.source.isPlain(record.id, of: record.table) {
      keyed.source.joins = []
      batch.counting = Select(columns: [key, "count(*)"], from: keyed.source.sql(), group: [key]).sql
    }
    return batch
  }

  /// Returns whether the first rows of all parents are found in one pass, since no index finds those of a parent.
  private func isInOnePass(_ node: NodeSelect) -> Bool {
    let rows = node.rows
    return rows.group == nil && !rows.isDistinct && rows.source.lacksIndex
  }

  private func flatBatch(of rows: RecordSelect, _ inputs: inout ParentInputs) -> SQL {
    var order = OrderTerm(sql: ParentInputs.number)
    order.isNullable = false
    return rows.batch(&inputs, orderedBy: order)
  }

  private func lateralBatch(of rows: RecordSelect, page: SQL, _ inputs: inout ParentInputs) -> SQL {
    let shown = rows.shown
    var columns = shown
    var numbers = columns.numbers
    let places = rows.order.map { term in
      if let number = numbers[term.sql] { return number }
      columns.append(term.sql)
      numbers[term.sql] = columns.count - 1
      return columns.count - 1
    }
    let inner = inputs.localized(rows.sql(columns, page: page))
    let names = columns.indices.map { "\(identifier: "c\($0)")" as SQL }
    let table: SQL = "\(identifier: "kindred:rows")"
    let result = shown.indices.map { "\(table).\(names[$0])" as SQL } + [ParentInputs.number]
    let order =
      [ParentInputs.number]
      + zip(rows.order, places).map { $0.rendered(as: "\(table).\(names[$1])", dialect) }
    return Select(
      columns: result,
      from:
        "FROM \(inputs.source) CROSS JOIN LATERAL (\(inner)) AS \(table)(\(names.joined(separator: ", ")))",
      order: order
    ).sql
  }
}

extension PostgreSQLDialect {
  func strategy(for model: Model) -> any PlanStrategy { PostgreSQLStrategy(dialect: self) }
}

extension SQL.Binding {
  /// Whether it is one of these literals, or made of one.
  fileprivate func reads(_ literals: Set<Int>) -> Bool {
    switch self {
    case .parameter(let number): literals.contains(number)
    case .beginning(let pattern, let escape, _), .regularExpression(let pattern, let escape, _):
      pattern.reads(literals) || escape?.reads(literals) ?? false
    case .moment(let binding), .json(let binding), .document(let binding), .elements(let binding):
      binding.reads(literals)
    case .value, .claim, .cursor, .ancestor, .batch: false
    }
  }
}
