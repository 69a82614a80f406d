import KindredSQLSyntax
import OrderedCollections

/// How the records of an association are found: chains of joined tables, by index or by a transient one.
extension Planning {
  /// A table in a `FROM` clause, and its columns that lead to it.
  struct Source {
    /// What joins to each other, the table itself last.
    var items: [(sql: SQL, condition: SQL?)]
    /// The columns to be equal to those of the origin.
    var keys: [SQL]
  }

  /// The table of `scope`, to be found by `columns`.
  ///
  /// - Parameter isRepeated: whether it is searched often: then it must not be scanned.
  func source(of scope: Scope, by columns: [String], isRepeated: Bool) -> Source {
    let table = scope.table
    let plain = Source(
      items: [(sql: reference(to: table, as: scope.alias, in: scope.statement), condition: nil)],
      keys: columns.map { "\(identifier: scope.alias).\(identifier: $0)" })
    guard !columns.isEmpty, !table.isIndexed(columns) else { return plain }
    if case .table = table.kind {
      missingIndexes.append(createIndex(on: table, columns))
    }
    guard isRepeated, table.kind != .ofRequest else { return plain }
    let transient = transientTable(of: table, by: columns)
    let pointers = table.pointerColumns
    guard !pointers.isEmpty else {
      return Source(
        items: [(sql: "temp.\(identifier: transient.name) AS \(identifier: scope.alias)", condition: nil)],
        keys: plain.keys)
    }
    let index = scope.select.alias(for: "index")
    let pointing: [SQL] = pointers.enumerated().map { number, column in
      "\(identifier: scope.alias).\(identifier: column) = \(identifier: index).\(identifier: "p\(number)")"
    }
    return Source(
      items: [
        (sql: "temp.\(identifier: transient.name) AS \(identifier: index)", condition: nil),
        (sql: plain.items[0].sql, condition: pointing.joined(separator: " AND ")),
      ],
      keys: columns.indices.map { "\(identifier: index).\(identifier: "k\($0)")" })
  }

  /// A table in a `FROM` clause.
  func reference(to table: Table, as alias: String, in statement: StatementBuilder) -> SQL {
    if case .commonTableExpression = table.kind { statement.readsCommonTableExpression = true }
    guard alias != table.name else { return "\(identifier: table.name)" }
    return "\(identifier: table.name) AS \(identifier: alias)"
  }

  private func createIndex(on table: Table, _ columns: [String]) -> String {
    let name = ([table.name, "on"] + columns).joined(separator: "_")
    let list = columns.map { "\(identifier: $0)" as SQL }.joined(separator: ", ")
    return ("CREATE INDEX \(identifier: name) ON \(identifier: table.name) (\(list))" as SQL).rendered().text
  }

  private func transientTable(of table: Table, by columns: [String]) -> TransientTable {
    let name = "kindred:\(table.name)(\(columns.joined(separator: ",")))"
    if let transient = transients[name] { return transient }
    let transient = TransientTable(
      name: name, of: table, by: columns, commonTableExpressions: commonTableExpressions(for: table))
    transients[name] = transient
    return transient
  }

  /// The `WITH` clause of a statement that reads `table`; empty where it needs none.
  private func commonTableExpressions(for table: Table) -> SQL {
    if case .commonTableExpression = table.kind { commonTableExpressions } else { SQL() }
  }

  /// The `WITH` clause that defines every common table expression of the model: each may read the others.
  var commonTableExpressions: SQL {
    let definitions: [SQL] = model.tables.values.compactMap { table in
      guard case .commonTableExpression(let sql) = table.kind else { return nil }
      return "\(identifier: table.name) AS (\(SQL(trusted: sql)))"
    }
    return "WITH \(definitions.joined(separator: ", ")) "
  }

  // MARK: Chains

  /// Adds the tables of an association to `select`, and the conditions that tie them to `origin`.
  ///
  /// Each way to a record gives a row of its own.
  ///
  /// - Parameter leavesOutDestination: whether it ends at the last pivot.
  func chain(
    _ association: Association, from origin: Scope, into select: SelectBuilder, node: RequestNode?,
    leavesOutDestination: Bool = false, pivots: [RequestNode]? = nil, isRepeated: Bool
  ) throws -> Scope {
    var previous = origin
    let pivots = pivots ?? node?.rows.pivots ?? []
    for (number, step) in association.steps.dropLast(leavesOutDestination ? 1 : 0).enumerated() {
      let isLast = number == association.steps.count - 1
      let pivot = pivots.indices.contains(number) ? pivots[number] : nil
      let scope = try scope(
        of: step, isLast: isLast ? association : nil, select: select, node: pivot ?? (isLast ? node : nil),
        parent: isLast ? origin : previous)
      try register(scope, above: previous)
      if number > 0 { scope.via = previous }
      // A table joined to others runs once for each of their rows.
      let isInner =
        !select.source.isEmpty && !(select.isStatement && select.statement.leavesJoinsToSQLite)
      add(
        source(of: scope, by: step.destinationColumns, isRepeated: isRepeated || isInner),
        equalTo: step.originColumns.map { previous.column($0, in: select.statement) }, to: select)
      if let filter = step.filter { select.conditions.append(try modelCondition(filter, in: scope)) }
      if isLast, let filter = association.filter {
        select.conditions.append(try modelCondition(filter, in: scope))
      }
      if pivot != nil { select.conditions += try conditions(of: scope) }
      previous = scope
    }
    return previous
  }

  /// Adds the destination's table to `select`, and the condition that a way leads to it from `origin`.
  ///
  /// Each record gives one row, however many ways lead to it.
  ///
  /// - Parameter countsWays: whether each way gives a row nevertheless, for something reads the join table.
  func destination(
    of association: Association, from origin: Scope, into select: SelectBuilder, node: RequestNode?,
    countsWays: Bool = false, isRepeated: Bool
  ) throws -> Scope {
    let countsWays = countsWays || (node?.readsVia ?? false)
    guard let last = association.steps.last, !leadsOnce(association), !countsWays else {
      return try chain(association, from: origin, into: select, node: node, isRepeated: isRepeated)
    }
    let scope = try scope(of: last, isLast: association, select: select, node: node, parent: origin)
    try register(scope, above: origin)
    let source = source(of: scope, by: last.destinationColumns, isRepeated: isRepeated)
    add(source, equalTo: nil, to: select)
    let ways: SQL = try select.statement.subquery { ways in
      let pivot = try chain(
        association, from: origin, into: ways, node: nil, leavesOutDestination: true,
        pivots: node?.rows.pivots, isRepeated: isRepeated)
      let keys = last.originColumns.map { pivot.column($0, in: select.statement) }.joined(separator: ", ")
      return "SELECT \(keys) \(ways.from())"
    }
    let keys = source.keys.joined(separator: ", ")
    select.conditions.append("\(source.keys.count == 1 ? keys : "(\(keys))") IN (\(ways))")
    for filter in [last.filter, association.filter].compactMap({ $0 }) {
      select.conditions.append(try modelCondition(filter, in: scope))
    }
    return scope
  }

  /// Whether no two ways of an association lead from one record to the same one.
  func leadsOnce(_ association: Association) -> Bool {
    let steps = association.steps
    // A join table: its two foreign keys are unique together.
    if steps.count == 2, steps[0].direction == .has, let pivot = model.tables[steps[0].destination],
      pivot.isUnique(steps[0].destinationColumns + steps[1].originColumns),
      let destination = model.tables[steps[1].destination],
      destination.isUnique(steps[1].destinationColumns)
    {
      return true
    }
    return steps.dropFirst().allSatisfy { step in
      model.tables[step.origin]?.isUnique(step.originColumns) ?? false
    }
  }

  private func scope(
    of step: AssociationStep, isLast association: Association?, select: SelectBuilder,
    node: RequestNode?, parent: Scope
  ) throws -> Scope {
    var (table, resource) = try table(step.destination)
    if let association { resource = try self.resource(association.destination) }
    let scope = Scope(
      table: table, resource: resource, alias: select.alias(for: table, node: node), select: select,
      node: node, parent: parent)
    return scope
  }

  /// Adds a source to a `FROM` clause, first or by `JOIN`.
  private func add(_ source: Source, equalTo origins: [SQL]?, to select: SelectBuilder) {
    let equalities = origins.map { zip(source.keys, $0).map { "\($0) = \($1)" as SQL } } ?? []
    for (number, item) in source.items.enumerated() {
      var conditions = item.condition.map { [$0] } ?? []
      if select.source.isEmpty {
        select.source = item.sql
        select.conditions += equalities
        continue
      }
      if number == 0 { conditions += equalities }
      // The table is not to be read before the index that leads to it.
      select.join(
        "\(item.sql) ON \(conditions.joined(separator: " AND "))", number > 0 ? .ordered : .required)
    }
  }
}
