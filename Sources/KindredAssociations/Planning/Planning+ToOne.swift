import KindredSQLSyntax

/// Records that to-one associations lead to: joined to the record that they are associated with.
extension Planning {
  /// What `body` makes of the record that a to-one association leads to.
  func throughToOne(
    _ key: String, of scope: Scope, _ body: (Scope) throws -> CompiledExpression
  ) throws -> CompiledExpression {
    if scope.canJoin { return try body(try joinToOne(key, of: scope)) }
    guard let keyed = association(key, of: scope) else { return CompiledExpression(sql: "NULL") }
    return try scope.statement.subquery { select in
      let record = try chain(
        keyed.association, from: scope, into: select, node: keyed.node,
        isRepeated: scope.statement.repeatsInner)
      select.conditions += try conditions(of: record)
      var compiled = try body(record)
      compiled.sql = "(SELECT \(compiled.sql) \(select.from()) LIMIT 1)"
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

  /// The record that a to-one association leads to, joined once per key.
  func joinToOne(_ key: String, of scope: Scope) throws -> Scope {
    // The conditions of a request's node do not hold for the model's own expressions.
    let place = readsHidden ? "model:\(key)" : key
    if let joined = scope.joined[place] { return joined }
    guard let keyed = association(key, of: scope) else {
      throw RequestError(.unknownAssociation, "there is no association `\(key)`")
    }
    let isRequired = scope.isSolid && (keyed.node?.isRequired ?? false)
    var previous = scope
    for (number, step) in keyed.association.steps.enumerated() {
      let isLast = number == keyed.association.steps.count - 1
      previous = try join(
        step, from: previous, keyed: isLast ? keyed : nil, base: scope, isRequired: isRequired)
    }
    join(previous, to: scope, as: place)
    // Behind an inner join, `WHERE` is as good as `ON`, and allows further joins.
    if isRequired { scope.select.conditions += try conditions(of: previous) }
    return previous
  }

  private func join(
    _ step: AssociationStep, from origin: Scope, keyed: KeyedAssociation?, base: Scope, isRequired: Bool
  ) throws -> Scope {
    let select = base.select
    var (table, resource) = try table(step.destination)
    if let keyed { resource = try self.resource(keyed.association.destination) }
    let scope = Scope(
      table: table, resource: resource, alias: select.alias(for: table, node: keyed?.node), select: select,
      node: keyed?.node, parent: base)
    scope.isSolid = isRequired
    try register(scope, above: origin)
    if origin !== base { scope.via = origin }
    guard model.leadsToOne(step) else {
      let first = try first(of: step, from: origin, as: scope, in: keyed?.association)
      scope.presence = scope.identity.first
      select.join(first.source, on: [first.condition], isRequired ? .required : .optional)
      return scope
    }
    scope.presence = step.destinationColumns.first.map { scope.column($0, in: select.statement) }
    var filters: [SQL] = []
    let inner = scope.withoutJoins
    for filter in [step.filter, keyed?.association.filter].compactMap({ $0 }) {
      filters.append(try modelCondition(filter, in: inner))
    }
    if keyed != nil, !isRequired { filters += try conditions(of: inner) }
    let source = try source(
      of: scope, by: step, from: origin, isRepeated: select.statement.runsOften)
    let links = links(step, from: origin, to: source, in: select.statement)
    for (number, item) in source.items.enumerated() {
      var conditions = number == 0 ? links : []
      if let condition = item.condition { conditions.append(condition) }
      if number == source.items.count - 1 { conditions += filters }
      select.join(item.table, on: conditions, isRequired ? .required : .optional)
    }
    return scope
  }

  // MARK: The first of several

  /// The first of the records that a step leads to, where the schema allows several: the first that meets the filters
  /// of its association and the conditions of its node.
  ///
  ///     book ON book.id = (SELECT book2.id FROM book AS book2 WHERE … ORDER BY … LIMIT 1)
  ///
  /// - Parameters:
  ///   - scope: the record, in the statement that it is to be joined in.
  ///   - association: the one whose last step it is; nil for a pivot.
  func first(
    of step: AssociationStep, from origin: Scope, as scope: Scope, in association: Association?
  ) throws -> (source: TableReference, condition: SQL) {
    let statement = scope.statement
    let hasKey = !scope.table.pointerColumns.isEmpty
    guard dialect.nestsStatements else {
      let row = try statement.subquery { select in
        try firstRow(of: step, from: origin, like: scope, in: association, into: select, isRepeated: true) {
          let row: SQL = "\(identifier: $0.alias).*"
          return hasKey ? row : "\(row), TRUE AS \(identifier: TransientTable.rowNumber)"
        }
      }
      return (reference(toRowsOf: row, as: scope.alias, isLateral: true), "TRUE")
    }
    // Rows without a key are told apart by their numbers in a copy.
    let copy =
      hasKey ? nil : try source(of: scope, by: step, from: origin, isRepeated: true).items.first?.table
    let chosen = try statement.subquery { select in
      try firstRow(
        of: step, from: origin, like: scope, in: association, into: select,
        isRepeated: !hasKey || statement.repeatsInner
      ) { $0.identity.joined(separator: ", ") }
    }
    let identity = scope.identity.joined(separator: ", ")
    return (
      try copy ?? reference(to: scope),
      "\(scope.identity.count == 1 ? identity : "(\(identity))") = (\(chosen))"
    )
  }

  /// The subquery that finds the first record.
  ///
  /// - Parameter columns: what it shows of the record.
  private func firstRow(
    of step: AssociationStep, from origin: Scope, like scope: Scope, in association: Association?,
    into select: SelectBuilder, isRepeated: Bool, _ columns: (Scope) -> SQL
  ) throws -> SQL {
    let record = Scope(
      table: scope.table, resource: scope.resource, alias: select.alias(for: scope.table), select: select,
      node: association == nil ? nil : scope.node, parent: scope.parent)
    record.via = scope.via
    let source = try source(of: record, by: step, from: origin, isRepeated: isRepeated)
    add(source, links: links(step, from: origin, to: source, in: scope.statement), to: select)
    for filter in [step.filter, association?.filter].compactMap({ $0 }) {
      select.conditions.append(try modelCondition(filter, in: record))
    }
    select.conditions += try conditions(of: record)
    let sort = association?.sort ?? step.sort ?? []
    let order = (try defaultTerms(sort, in: record) + keyTerms(of: record)).map {
      $0.rendered(as: $0.sql, dialect)
    }
    return
      "SELECT \(columns(record)) \(select.from()) ORDER BY \(order.joined(separator: ", ")) LIMIT 1"
  }
}

extension Scope {
  /// The columns that tell a record from all others: of one without a key, the number of the row in its copy.
  var identity: [SQL] {
    let pointers = table.pointerColumns
    return (pointers.isEmpty ? [TransientTable.rowNumber] : pointers).map { .column(record, $0) }
  }
}
