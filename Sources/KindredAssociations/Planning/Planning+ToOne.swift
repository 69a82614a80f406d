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
      let order = model.leadsToOne(keyed.association) ? SQL() : try firstOrder(of: keyed.association, in: record)
      var compiled = try body(record)
      compiled.sql = "(SELECT \(compiled.sql) \(select.from())\(order) LIMIT 1)"
      compiled.precedence = .primary
      if let absent = compiled.absent { compiled.sql = "ifnull(\(compiled.sql), \(absent))" }
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
    if model.leadsToOne(keyed.association) {
      for (number, step) in keyed.association.steps.enumerated() {
        let isLast = number == keyed.association.steps.count - 1
        previous = try join(
          step, from: previous, keyed: isLast ? keyed : nil, base: scope, isRequired: isRequired)
      }
    } else {
      previous = try joinFirst(keyed, of: scope, isRequired: isRequired)
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
    let scope = try joined(step, keyed, base: base, isRequired: isRequired)
    try register(scope, above: origin)
    if origin !== base { scope.via = origin }
    scope.presence = step.destinationColumns.first.map { scope.column($0, in: select.statement) }
    var filters: [SQL] = []
    let inner = scope.withoutJoins
    for filter in [step.filter, keyed?.association.filter].compactMap({ $0 }) {
      filters.append(try modelCondition(filter, in: inner))
    }
    if keyed != nil, !isRequired { filters += try conditions(of: inner) }
    let source = source(of: scope, by: step, from: origin, isRepeated: select.statement.runsOften)
    let links = links(step, from: origin, to: source, in: select.statement)
    for (number, item) in source.items.enumerated() {
      var conditions = number == 0 ? links : []
      if let condition = item.condition { conditions.append(condition) }
      if number == source.items.count - 1 { conditions += filters }
      select.join(
        "\(item.sql) ON \(conditions.joined(separator: " AND "))", isRequired ? .required : .optional)
    }
    return scope
  }

  /// The record of a step in the `FROM` clause of the record that it is joined to.
  private func joined(
    _ step: AssociationStep, _ keyed: KeyedAssociation?, base: Scope, isRequired: Bool
  ) throws -> Scope {
    var (table, resource) = try table(step.destination)
    if let keyed { resource = try self.resource(keyed.association.destination) }
    let scope = Scope(
      table: table, resource: resource, alias: base.select.alias(for: table, node: keyed?.node),
      select: base.select, node: keyed?.node, parent: base)
    scope.isSolid = isRequired
    return scope
  }

  // MARK: The first of several

  /// Joins the first of the records that a to-one association leads to, where the schema allows several: the first
  /// that meets the conditions of its node.
  ///
  ///     LEFT JOIN book ON book.id = (SELECT book2.id FROM book AS book2 WHERE … ORDER BY … LIMIT 1)
  func joinFirst(_ keyed: KeyedAssociation, of base: Scope, isRequired: Bool) throws -> Scope {
    let steps = keyed.association.steps
    var via: Scope?
    if steps.count > 1, let pivot = steps.dropLast().last {
      via = try joinFirst(keyed, at: pivot, of: base, isDestination: false, isRequired: isRequired)
    }
    guard let last = steps.last else { return base }
    let scope = try joinFirst(keyed, at: last, of: base, isDestination: true, isRequired: isRequired)
    scope.via = via
    return scope
  }

  /// - Parameters:
  ///   - step: the last of the association, or the one before.
  ///   - isDestination: whether it is the last.
  private func joinFirst(
    _ keyed: KeyedAssociation, at step: AssociationStep, of base: Scope, isDestination: Bool, isRequired: Bool
  ) throws -> Scope {
    let statement = base.statement
    let scope = try joined(step, isDestination ? keyed : nil, base: base, isRequired: isRequired)
    try register(scope, above: base)
    var copy: SQL?
    let first = try statement.subquery { select -> SQL in
      // Records without a key are told apart by the rows of a copy, so the chain has to read the copy.
      let isRepeated = statement.repeatsInner || scope.table.pointerColumns.isEmpty
      let record = try chain(
        keyed.association, from: base, into: select, node: keyed.node?.withoutNames, isRepeated: isRepeated)
      select.conditions += try conditions(of: record)
      let order = try firstOrder(of: keyed.association, in: record)
      guard let chosen = isDestination ? record : record.via else { return "NULL" }
      if chosen.table.pointerColumns.isEmpty {
        copy = source(of: scope, by: step, from: chosen, isRepeated: true).items.first?.sql
      }
      let identity = chosen.identity.joined(separator: ", ")
      return "(SELECT \(identity) \(select.from())\(order) LIMIT 1)"
    }
    let identity = scope.identity
    scope.presence = identity.first
    let list = identity.joined(separator: ", ")
    let from = copy ?? reference(to: scope.table, as: scope.alias, in: statement)
    base.select.join(
      "\(from) ON \(identity.count == 1 ? list : "(\(list))") = \(first)", isRequired ? .required : .optional)
    return scope
  }

  /// The order in which a to-one association takes the first of several records: its own, then that of the key.
  func firstOrder(of association: Association, in scope: Scope) throws -> SQL {
    var terms = try associationTerms(of: association, in: scope) + keyTerms(of: scope)
    var pivot = scope.via
    while let via = pivot {
      terms += keyTerms(of: via)
      pivot = via.via
    }
    return " ORDER BY \(terms.map { $0.rendered(as: $0.sql) }.joined(separator: ", "))"
  }
}

extension Scope {
  /// The columns that tell a record from all others: of one without a key, the number of the row in its copy.
  fileprivate var identity: [SQL] {
    let pointers = table.pointerColumns
    return (pointers.isEmpty ? [TransientTable.rowNumber] : pointers).map { .column(record, $0) }
  }
}

extension RequestNode {
  /// The same where its records have no names of their own.
  fileprivate var withoutNames: RequestNode {
    var node = self
    node.rows.aliases = []
    return node
  }
}
