import KindredSQLSyntax

/// How the records of an association are reached: chains of joined tables.
extension Planning {
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
      guard !model.takesFirst(step, of: association) else {
        try addFirst(of: step, from: previous, as: scope, in: isLast ? association : nil)
        previous = scope
        continue
      }
      let source = try source(of: scope, by: step, from: previous, isRepeated: isRepeated || isInner)
      add(source, links: links(step, from: previous, to: source, in: select.statement), to: select)
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
    guard let last = association.steps.last, !model.leadsOnce(association), !countsWays,
      !model.takesFirst(last, of: association)
    else {
      return try chain(association, from: origin, into: select, node: node, isRepeated: isRepeated)
    }
    let scope = try scope(of: last, isLast: association, select: select, node: node, parent: origin)
    try register(scope, above: origin)
    // The pivot's columns are columns of the same statement.
    let source = try source(of: scope, by: last, from: scope, isRepeated: isRepeated)
    add(source, links: [], to: select)
    let condition = try select.statement.subquery { ways in
      let pivot = try chain(
        association, from: origin, into: ways, node: nil, leavesOutDestination: true,
        pivots: node?.rows.pivots, isRepeated: isRepeated)
      return membership(last, from: pivot, to: source, among: ways.from())
    }
    select.conditions.append(condition)
    for filter in [last.filter, association.filter].compactMap({ $0 }) {
      select.conditions.append(try modelCondition(filter, in: scope))
    }
    return scope
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

  /// Adds the first of the records that a step leads to.
  private func addFirst(
    of step: AssociationStep, from origin: Scope, as scope: Scope, in association: Association?
  ) throws {
    let first = try first(of: step, from: origin, as: scope, in: association)
    if scope.select.source.isEmpty {
      scope.select.begin(with: first.source, isPlain: false)
      scope.select.conditions.append(first.condition)
    } else {
      scope.select.join(first.source, on: [first.condition])
    }
  }

  /// Adds a source to a `FROM` clause, first or by `JOIN`.
  func add(_ source: Source, links: [SQL], to select: SelectBuilder) {
    for (number, item) in source.items.enumerated() {
      var conditions = item.condition.map { [$0] } ?? []
      if select.source.isEmpty {
        select.begin(with: item.table, links: links)
        continue
      }
      if number == 0 { conditions += links }
      // The table is not to be read before the index that leads to it.
      select.join(item.table, on: conditions, number > 0 ? .ordered : .required)
    }
  }
}
