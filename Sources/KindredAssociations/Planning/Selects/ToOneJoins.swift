import KindredSQLSyntax

/// Joins the records of to-one associations to the record that they are associated with.
struct ToOneJoins {
  let context: PlanningContext

  private var state: PlanningState { context.state }
  private var model: Model { context.state.model }
  private var dialect: any SQLDialect { context.dialect }

  /// Returns the result of `body` for the record that an association leads to.
  func through(
    _ resolved: ResolvedAssociation, of scope: Scope, _ body: (Scope) throws -> CompiledExpression
  ) throws -> CompiledExpression {
    if scope.canJoin { return try body(try join(resolved, to: scope)) }
    return try scope.statement.subquery { select in
      let record = try context.chains.chain(
        resolved, from: scope, into: select, isRepeated: scope.statement.repeatsInner)
      select.add(try context.conditions.conditions(of: record))
      var compiled = try body(record)
      compiled.sql = "(SELECT \(compiled.sql) \(select.from) LIMIT 1)"
      compiled.precedence = .primary
      compiled.form = .other
      if let absent = compiled.absent {
        let (format, type) = (compiled.format, compiled.type)
        compiled = try dialect.function(
          "ifnull", [compiled, CompiledExpression(sql: absent.sql, type: absent.type)])
        (compiled.format, compiled.type, compiled.absent) = (format, type, absent)
      }
      return compiled
    }
  }

  /// Returns the joined record of a node.
  func join(_ node: RequestNode, to scope: Scope) throws -> Scope {
    try join(state.memory(of: scope.names).toOne(KeyedAssociation(of: node)), to: scope)
  }

  /// Returns the record that an association leads to; it is joined once, however many expressions read it.
  private func join(_ resolved: ResolvedAssociation, to scope: Scope) throws -> Scope {
    let memory = state.memory(of: scope)
    if let joined = memory.joined[resolved.place] { return joined }
    let isRequired = scope.isSolid && (resolved.names.node?.isRequired ?? false)
    var previous = scope
    for step in resolved.association.steps.dropLast() {
      let names = NameScope(
        model: model, resource: try model.table(named: step.destination).resource, node: nil,
        parent: scope.names,
        via: previous === scope ? nil : previous.resource)
      previous = try join(step, from: previous, names, of: nil, base: scope, isRequired: isRequired)
    }
    if let last = resolved.association.steps.last {
      previous = try join(
        last, from: previous, resolved.names, of: resolved.association, base: scope, isRequired: isRequired)
    }
    memory.joined[resolved.place] = previous
    // With an inner join, `WHERE` is equivalent to `ON`, and allows further joins.
    if isRequired { scope.select.add(try context.conditions.conditions(of: previous)) }
    return previous
  }

  /// - Parameters:
  ///   - names: The names of the record that the step leads to.
  ///   - association: The association whose last step it is; nil for a pivot.
  private func join(
    _ step: AssociationStep, from origin: Scope, _ names: NameScope, of association: Association?,
    base: Scope, isRequired: Bool
  ) throws -> Scope {
    let select = base.select
    let table = try model.table(named: step.destination).table
    let alias = select.alias(for: table, node: names.node)
    let record = RecordID(alias: alias, depth: select.depth)
    let leadsToOne = model.leadsToOne(step)
    let scope = Scope(
      names, table: table, alias: alias, select: select, parent: base, via: origin === base ? nil : origin,
      isSolid: isRequired,
      presence: leadsToOne
        ? step.destinationColumns.first.map { .column(record, $0) } : table.identity(of: record).first)
    try state.register(scope, above: origin)
    let kind: SelectSource.JoinKind = isRequired ? .required : .optional
    guard leadsToOne else {
      let first = try first(of: step, from: origin, as: scope, in: association)
      select.join(first.source, on: [first.condition], kind)
      return scope
    }
    let inner = scope.withoutJoins
    // Where the record is missing, these conditions must not make what reads it unknown.
    let filters = try state.guardedApart {
      let filters = try context.rules.modelConditions(of: step, of: association, in: inner)
      guard association != nil, !isRequired else { return filters }
      return try filters + context.conditions.conditions(of: inner)
    }
    let source = try context.sources.source(
      of: scope, by: step, from: origin, isRepeated: select.statement.runsOften)
    let links = context.sources.links(step, from: origin, to: source, in: select.statement)
    for (number, item) in source.items.enumerated() {
      var conditions = number == 0 ? links : []
      if let condition = item.condition { conditions.append(condition) }
      if number == source.items.count - 1 { conditions += filters }
      select.join(item.table, on: conditions, kind)
    }
    return scope
  }

  // MARK: The first of several

  /// Returns the first record that a step leads to, if the schema allows several: the first one that meets the filters
  /// of its association and the conditions of its node.
  ///
  ///     book ON book.id = (SELECT book2.id FROM book AS book2 WHERE … ORDER BY … LIMIT 1)
  ///
  /// - Parameters:
  ///   - scope: The record, in the statement that it is joined in.
  ///   - association: The association whose last step it is; nil for a pivot.
  func first(
    of step: AssociationStep, from origin: Scope, as scope: Scope, in association: Association?
  ) throws -> (source: TableReference, condition: SQL) {
    let statement = scope.statement
    let sources = context.sources
    let hasKey = !scope.table.pointerColumns.isEmpty
    guard dialect.nestsStatements else {
      let row = try statement.subquery { select in
        try firstRow(of: step, from: origin, like: scope, in: association, into: select, isRepeated: true) {
          let row: SQL = "\(identifier: $0.alias).*"
          return hasKey ? row : "\(row), TRUE AS \(identifier: TransientTable.rowNumber)"
        }
      }
      return (sources.reference(toRowsOf: row, as: scope.alias, isLateral: true), "TRUE")
    }
    // Rows without a key are identified by their numbers in a copy.
    let copy =
      hasKey
      ? nil : try sources.source(of: scope, by: step, from: origin, isRepeated: true).items.first?.table
    let chosen = try statement.subquery { select in
      try firstRow(
        of: step, from: origin, like: scope, in: association, into: select,
        isRepeated: !hasKey || statement.repeatsInner
      ) { $0.identity.joined(separator: ", ") }
    }
    let identity = scope.identity.joined(separator: ", ")
    return (
      try copy ?? sources.reference(to: scope),
      "\(scope.identity.count == 1 ? identity : "(\(identity))") = (\(chosen))"
    )
  }

  /// Returns the subquery that finds the first record.
  ///
  /// - Parameter columns: The columns that it selects.
  private func firstRow(
    of step: AssociationStep, from origin: Scope, like scope: Scope, in association: Association?,
    into select: SelectBuilder, isRepeated: Bool, _ columns: (Scope) -> SQL
  ) throws -> SQL {
    let names =
      association != nil || scope.node == nil
      ? scope.names
      : NameScope(
        model: model, resource: scope.resource, node: nil, parent: scope.names.parent, via: scope.names.via)
    let record = Scope(
      names, table: scope.table, alias: select.alias(for: scope.table), select: select,
      parent: scope.parent, via: scope.via)
    let source = try context.sources.source(of: record, by: step, from: origin, isRepeated: isRepeated)
    context.chains.add(
      source, links: context.sources.links(step, from: origin, to: source, in: scope.statement), to: select)
    select.add(try context.rules.modelConditions(of: step, of: association, in: record))
    select.add(try context.conditions.conditions(of: record))
    let sort = association?.sort ?? step.sort ?? []
    let order = (try context.orders.defaultTerms(sort, in: record) + context.orders.keyTerms(of: record))
      .map { $0.rendered(as: $0.sql, dialect) }
    return
      "SELECT \(columns(record)) \(select.from) ORDER BY \(order.joined(separator: ", ")) LIMIT 1"
  }
}
