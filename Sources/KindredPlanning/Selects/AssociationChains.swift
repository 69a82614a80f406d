import KindredModel
import KindredSQLSyntax

/// Joins the tables of associations, which lead to the associated records.
struct AssociationChains: PlanningPart {
  let context: PlanningContext

  /// Adds the tables of an association to `select`, and the conditions that link them to `origin`.
  ///
  /// There is a row for each path to a record.
  ///
  /// - Returns: The destination's record.
  func chain(
    _ resolved: ResolvedAssociation, from origin: StatementRecord, into select: SelectBuilder,
    isRepeated: Bool
  ) throws -> StatementRecord {
    let association = resolved.association
    let pivot = try pivots(
      of: association, nodes: resolved.names.node?.rows.pivots ?? [], from: origin, into: select,
      isRepeated: isRepeated)
    guard let last = association.steps.last else { return pivot }
    let record = try newRecord(
      resolved.names, of: last, in: select, parent: origin, via: association.steps.count > 1 ? pivot : nil,
      conditions: resolved.conditions)
    record.isGathered = try pivot.gathers([last], in: select, model)
    try add(record, by: last, of: association, isLast: true, from: pivot, isRepeated: isRepeated)
    return record
  }

  /// Adds the tables before the destination's.
  ///
  /// - Parameter nodes: The request's nodes for the pivots, in the order of the steps.
  /// - Returns: The last pivot's record, or the origin if there is none.
  private func pivots(
    of association: Association, nodes: [RequestNode], from origin: StatementRecord,
    into select: SelectBuilder, isRepeated: Bool
  ) throws -> StatementRecord {
    var previous = origin
    for (number, step) in association.steps.dropLast().enumerated() {
      let node = nodes.indices.contains(number) ? nodes[number] : nil
      let via = number > 0 ? previous : nil
      let names = NameScope(
        model: model, resource: try model.table(named: step.destination).resource, node: node,
        parent: previous.names, via: via?.resource)
      let record = try newRecord(
        names, of: step, in: select, parent: previous, via: via,
        conditions: context.associations.conditions(on: names))
      record.isGathered = try previous.gathers([step], in: select, model)
      try add(record, by: step, of: association, isLast: false, from: previous, isRepeated: isRepeated)
      previous = record
    }
    return previous
  }

  /// Adds the destination's table to `select`, and the condition that it can be reached from `origin`.
  ///
  /// There is one row for each record, however many ways lead to it.
  ///
  /// - Parameter countsWays: Whether there is a row for each way nevertheless, because the join table is read.
  func destination(
    of resolved: ResolvedAssociation, from origin: StatementRecord, into select: SelectBuilder,
    countsWays: Bool = false, isRepeated: Bool
  ) throws -> StatementRecord {
    let association = resolved.association
    let node = resolved.names.node
    let countsWays = countsWays || (node?.readsVia ?? false)
    guard let last = association.steps.last, !countsWays, model.findsByWays(association) else {
      return try chain(resolved, from: origin, into: select, isRepeated: isRepeated)
    }
    let record = try newRecord(
      resolved.names, of: last, in: select, parent: origin, via: nil, conditions: resolved.conditions)
    record.isGathered = try origin.gathers(association.steps, in: select, model)
    guard !model.takesFirst(last, of: association) else {
      // The subquery contains the same records, and their aliases, once more.
      try context.state.isolatingAliases {
        try begin(select, with: record) { ways in
          try chain(resolved, from: origin, into: ways, isRepeated: isRepeated)
        }
      }
      try context.state.register(record, above: origin)
      return record
    }
    try context.state.register(record, above: origin)
    // The pivot is in the same statement.
    let source = try context.sources.source(of: record, by: last, from: record, isRepeated: isRepeated)
    add(source, links: [], to: select)
    let condition = try select.statement.subquery { ways in
      let pivot = try pivots(
        of: association, nodes: node?.rows.pivots ?? [], from: origin, into: ways, isRepeated: isRepeated)
      return try context.sources.membership(last, from: pivot, to: source, among: ways.from)
    }
    select.add(condition)
    select.add(try context.rules.modelConditions(of: last, of: association, in: record))
    return record
  }

  /// Begins a select with records that are each there once, however many ways lead to them.
  ///
  /// - Parameters:
  ///   - isOnce: Whether only one way leads to each record.
  ///   - reached: Adds the tables of the ways, and returns the record that they lead to.
  func begin(
    _ select: SelectBuilder, with record: StatementRecord, isOnce: Bool = false,
    reached: (SelectBuilder) throws -> StatementRecord
  ) throws {
    let statement = select.statement
    let (keys, ways) = try statement.subquery { ways -> ([SQL], SQL) in
      let reached = try reached(ways)
      return (reached.table.distinguishingColumns.map { reached.column($0.name, in: statement) }, ways.from)
    }
    guard !record.table.identity.isEmpty else {
      // All columns identify the record, and may be NULL; but several records may be equal.
      let distinct: SQL = isOnce ? SQL() : "DISTINCT "
      return select.begin(
        with: context.sources.reference(
          toRowsOf: "SELECT \(distinct)\(keys.joined(separator: ", ")) \(ways)", as: record.alias))
    }
    select.begin(with: try context.sources.reference(to: record))
    let key = record.table.distinguishingColumns.map { record.table.keyColumn($0.name, of: record.id) }
      .joined(separator: ", ")
    select.add("\(keys.count == 1 ? key : "(\(key))") IN (SELECT \(keys.joined(separator: ", ")) \(ways))")
  }

  private func newRecord(
    _ names: NameScope, of step: AssociationStep, in select: SelectBuilder, parent: StatementRecord,
    via: StatementRecord?, conditions: ResolvedConditions?
  ) throws -> StatementRecord {
    let table = try model.table(named: step.destination).table
    return StatementRecord(
      names, table: table, alias: select.alias(for: table, node: names.node), select: select,
      parent: parent, via: via, parameters: step.parameters, conditions: conditions)
  }

  /// Adds the table of a step.
  ///
  /// - Parameter isLast: Whether it is the destination's, whose conditions the caller adds.
  private func add(
    _ record: StatementRecord, by step: AssociationStep, of association: Association, isLast: Bool,
    from previous: StatementRecord, isRepeated: Bool
  ) throws {
    let (select, last) = (record.select, isLast ? association : nil)
    try context.state.register(record, above: previous)
    guard !model.takesFirst(step, of: association) else {
      return try addFirst(of: step, from: previous, as: record, in: last)
    }
    // A joined table is searched once for each row of the tables before it.
    let isInner = !select.isEmpty && !(select.isStatement && select.statement.indexesJoins)
    let source = try context.sources.source(
      of: record, by: step, from: previous, isRepeated: isRepeated || isInner)
    add(
      source, links: try context.sources.links(step, from: previous, to: source, in: select.statement),
      to: select)
    select.add(try context.rules.modelConditions(of: step, of: last, in: record))
    if !isLast { select.add(try context.conditions.conditions(of: record)) }
  }

  /// Adds the first record that a step leads to.
  private func addFirst(
    of step: AssociationStep, from origin: StatementRecord, as record: StatementRecord,
    in association: Association?
  ) throws {
    let first = try context.toOne.first(of: step, from: origin, as: record, in: association)
    if record.select.isEmpty {
      record.select.begin(with: first.source, isPlain: false)
      record.select.add(first.condition)
    } else {
      record.select.join(first.source, on: [first.condition])
    }
  }

  /// Adds a source to a `FROM` clause, with a `JOIN` unless it is the first one.
  func add(_ source: TableSource, links: [SQL], to select: SelectBuilder) {
    for (number, item) in source.items.enumerated() {
      var conditions = item.condition.map { [$0] } ?? []
      if select.isEmpty {
        select.begin(with: item.table, links: links, to: source.record.table)
        continue
      }
      if number == 0 { conditions += links }
      // The table must be read after the transient index that leads to it.
      select.join(item.table, on: conditions, number > 0 ? .ordered : .required)
    }
  }
}
