import KindredModel
import KindredSQLSyntax

/// Joins the records of to-one associations to the record that they are associated with.
struct ToOneJoins: PlanningPart {
  let context: PlanningContext

  /// Returns the result of `body` for the record that an association leads to.
  func through(
    _ resolved: ResolvedAssociation, of record: StatementRecord,
    _ body: (StatementRecord) throws -> CompiledExpression
  ) throws -> CompiledExpression {
    if record.canJoin { return try body(try join(resolved, to: record)) }
    return try record.statement.subquery { select in
      let associated = try context.chains.chain(
        resolved, from: record, into: select, isRepeated: record.statement.repeatsInner)
      select.add(try context.conditions.conditions(of: associated))
      var compiled = try body(associated)
      compiled = compiled.read(as: "(SELECT \(compiled.sql) \(select.from) LIMIT 1)")
      // A subquery has the affinity of its column, but not its collation.
      compiled.changeTraits { ($0.collation, $0.explicitCollation) = (nil, nil) }
      if let absent = compiled.absent {
        let (format, type) = (compiled.format, compiled.type)
        compiled = try dialect.function(
          "ifnull", [compiled, CompiledExpression(sql: absent.sql, type: absent.type)])
        (compiled.format, compiled.type, compiled.absent) = (format, type, absent)
      }
      return compiled
    }
  }

  /// Returns the record that an association leads to; it is joined once, however many expressions read it.
  func join(_ resolved: ResolvedAssociation, to record: StatementRecord) throws -> StatementRecord {
    let memory = state.memory(of: record)
    if let joined = memory.joined[resolved.place] { return joined }
    let isRequired = record.isAlwaysPresent && (resolved.names.node?.isRequired ?? false)
    var previous = record
    for step in resolved.association.steps.dropLast() {
      let names = NameScope(
        model: model, resource: try model.table(named: step.destination).resource, node: nil,
        parent: record.names, via: previous === record ? nil : previous.resource)
      previous = try join(step, from: previous, names, base: record, isRequired: isRequired)
    }
    if let last = resolved.association.steps.last {
      previous = try join(
        last, from: previous, resolved.names, of: resolved, base: record, isRequired: isRequired)
    }
    memory.joined[resolved.place] = previous
    // With an inner join, `WHERE` is equivalent to `ON`, and allows further joins.
    if isRequired { record.select.add(try context.conditions.conditions(of: previous)) }
    return previous
  }

  /// - Parameters:
  ///   - names: The names of the record that the step leads to.
  ///   - resolved: The association whose last step it is; nil for a pivot.
  private func join(
    _ step: AssociationStep, from origin: StatementRecord, _ names: NameScope,
    of resolved: ResolvedAssociation? = nil, base: StatementRecord, isRequired: Bool
  ) throws -> StatementRecord {
    let (select, association) = (base.select, resolved?.association)
    let table = try model.table(named: step.destination).table
    let alias = select.alias(for: table, node: names.node)
    let id = RecordID(alias: alias, depth: select.depth)
    let leadsToOne = model.leadsToOne(step)
    let record = StatementRecord(
      names, table: table, alias: alias, select: select, parent: base, via: origin === base ? nil : origin,
      isAlwaysPresent: isRequired,
      presence: leadsToOne
        ? step.destinationColumns.first.map { .column(id, $0) } : table.pointers(to: id).first,
      parameters: step.parameters, conditions: resolved?.conditions)
    record.isGathered = try origin.gathers([step], in: select, model)
    try state.register(record, above: origin)
    let kind: SelectSource.JoinKind = isRequired ? .required : .optional
    guard leadsToOne else {
      let first = try first(of: step, from: origin, as: record, in: association)
      select.join(first.source, on: [first.condition], kind, adding: record.isCertainlyUnique ? id : nil)
      return record
    }
    let source = try context.sources.source(
      of: record, by: step, from: origin, isRepeated: select.statement.runsOften)
    let inner = record.withoutJoins
    // If the record is missing, these conditions must not make expressions that read it unknown.
    let filters = try state.guardedApart {
      let filters = try context.rules.modelConditions(of: step, of: association, in: inner)
      guard association != nil, !isRequired else { return filters }
      return try filters + context.conditions.conditions(of: inner)
    }
    let links = try context.sources.links(step, from: origin, to: source, in: select.statement)
    let isOne = record.isCertainlyUnique && table.isUnique(step.destinationColumns)
    for (number, item) in source.items.enumerated() {
      var conditions = number == 0 ? links : []
      if let condition = item.condition { conditions.append(condition) }
      if number == source.items.count - 1 { conditions += filters }
      select.join(item.table, on: conditions, kind, adding: isOne && source.items.count == 1 ? id : nil)
    }
    return record
  }

  // MARK: The first of several

  /// Returns the first record that a step leads to, if the schema allows several: the first one that meets the filters
  /// of its association and the conditions of its node.
  ///
  ///     book ON book.id = (SELECT book2.id FROM book AS book2 WHERE … ORDER BY … LIMIT 1)
  ///
  /// - Parameters:
  ///   - record: The record in the statement that it is joined in.
  ///   - association: The association whose last step it is; nil for a pivot.
  func first(
    of step: AssociationStep, from origin: StatementRecord, as record: StatementRecord,
    in association: Association?
  ) throws -> (source: TableReference, condition: SQL) {
    let statement = record.statement
    let sources = context.sources
    let hasKey = !record.table.pointerColumns.isEmpty
    if dialect.joinsLaterally {
      let row = try statement.subquery { select in
        try firstRow(of: step, from: origin, like: record, in: association, into: select, isRepeated: true) {
          let row: SQL = "\(identifier: $0.alias).*"
          return hasKey ? [row] : [row, "TRUE AS \(identifier: StatementRecord.rowNumber)"]
        }
      }
      return (sources.reference(toRowsOf: row, as: record.alias, isLateral: true), "TRUE")
    }
    record.isNumbered = record.table.query != nil
    // Rows without a key are identified by their numbers in a copy, or the numbers that their query gives them.
    let copy =
      hasKey
      ? nil : try sources.source(of: record, by: step, from: origin, isRepeated: true).items.first?.table
    let chosen = try statement.subquery { select in
      try firstRow(
        of: step, from: origin, like: record, in: association, into: select,
        isRepeated: !hasKey || statement.repeatsInner
      ) { $0.pointers }
    }
    let pointers = record.pointers.joined(separator: ", ")
    return (
      try copy ?? sources.reference(to: record),
      "\(record.pointers.count == 1 ? pointers : "(\(pointers))") = (\(chosen))"
    )
  }

  /// Returns the subquery that finds the first record.
  ///
  /// - Parameter columns: The columns that it selects.
  private func firstRow(
    of step: AssociationStep, from origin: StatementRecord, like record: StatementRecord,
    in association: Association?, into select: SelectBuilder, isRepeated: Bool,
    _ columns: (StatementRecord) -> [SQL]
  ) throws -> SQL {
    let names =
      association != nil || record.node == nil
      ? record.names
      : NameScope(
        model: model, resource: record.resource, node: nil, parent: record.names.parent, via: record.names.via
      )
    let candidate = StatementRecord(
      names, table: record.table, alias: select.alias(for: record.table), select: select,
      parent: record.parent, via: record.via, parameters: step.parameters,
      conditions: association == nil ? nil : record.conditions)
    candidate.isNumbered = record.isNumbered
    candidate.isGathered = record.isGathered
    let source = try context.sources.source(of: candidate, by: step, from: origin, isRepeated: isRepeated)
    context.chains.add(
      source, links: try context.sources.links(step, from: origin, to: source, in: record.statement),
      to: select)
    select.add(try context.rules.modelConditions(of: step, of: association, in: candidate))
    select.add(try context.conditions.conditions(of: candidate))
    let sort = association?.sort ?? step.sort ?? []
    let order =
      (try context.orders.defaultTerms(sort, in: candidate) + context.orders.keyTerms(of: candidate))
      .map(\.term).map { $0.rendered(as: $0.sql, dialect) }
    return Select(columns: columns(candidate), from: select.from, order: order, page: " LIMIT 1").sql
  }
}

extension StatementRecord {
  /// Whether the database itself keeps two rows of the table from having the same key.
  fileprivate var isCertainlyUnique: Bool {
    guard case .table = table.kind else { return false }
    return !table.isKeyUnchecked && !table.sharesRows
  }
}
