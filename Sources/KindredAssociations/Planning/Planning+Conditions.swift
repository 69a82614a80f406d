import KindredSQLSyntax

/// What must hold for a record: its filters, its searches, and the associations that it must have.
extension Planning {
  /// The conditions that the request puts on the record of `scope`.
  ///
  /// - Parameter joinedSearch: the search that the statement's own `FROM` clause makes, by number.
  func conditions(of scope: Scope, joinedSearch: Int? = nil) throws -> [SQL] {
    guard let node = scope.node else { return [] }
    var conditions = node.equalities.map { equality($0, in: scope) }
    conditions += try node.filters.map { try condition($0, in: scope) }
    // What must hold for a group says nothing of a record.
    if !node.isGrouped { conditions += try node.havings.map { try condition($0, in: scope) } }
    for (number, search) in node.searches.enumerated() where number != joinedSearch {
      conditions.append(try match(search, in: scope))
    }
    for child in node.children where child.isRequired {
      if scope.canJoin, scope.isSolid, child.association?.cardinality == .toOne, child.recursion == nil {
        // An inner join says it.
        _ = try joinToOne(child.key, of: scope)
      } else {
        conditions.append(try exists(child, of: scope))
      }
    }
    return conditions
  }

  /// That an associated record is there which meets its own conditions.
  private func exists(_ child: RequestNode, of scope: Scope) throws -> SQL {
    guard let association = child.association else { return "TRUE" }
    return try scope.statement.subquery { select in
      let records = try chain(
        association, from: scope, into: select, node: child, isRepeated: scope.statement.repeatsInner)
      select.conditions += try conditions(of: records)
      return "EXISTS (SELECT 1 \(select.from()))"
    }
  }

  // MARK: To-one associations

  /// What `body` says of the record that a to-one association leads to.
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
      if let absent = compiled.absent { compiled.sql = "ifnull(\(compiled.sql), \(absent))" }
      return compiled
    }
  }

  /// The record that a to-one association leads to, joined once per key.
  func joinToOne(_ key: String, of scope: Scope) throws -> Scope {
    // What the request says of a node does not hold for the model's own expressions.
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
    try register(scope, above: origin)
    scope.isSolid = isRequired
    if origin !== base { scope.via = origin }
    scope.presence = step.destinationColumns.first.map { scope.column($0, in: select.statement) }
    var filters: [SQL] = []
    let inner = scope.withoutJoins
    for filter in [step.filter, keyed?.association.filter].compactMap({ $0 }) {
      filters.append(try modelCondition(filter, in: inner))
    }
    if keyed != nil, !isRequired { filters += try conditions(of: inner) }
    let source = source(of: scope, by: step.destinationColumns, isRepeated: select.statement.runsOften)
    let origins = step.originColumns.map { origin.column($0, in: select.statement) }
    let link = zip(source.keys, origins).map { "\($0) = \($1)" as SQL }
    for (number, item) in source.items.enumerated() {
      var conditions = number == 0 ? link : []
      if let condition = item.condition { conditions.append(condition) }
      if number == source.items.count - 1 {
        conditions += filters
        if !step.isToOne, !table.primaryKey.isEmpty {
          conditions.append(
            try isFirst(scope, equal: step.destinationColumns, to: origins, keyed: keyed, step: step))
        }
      }
      select.join(
        "\(item.sql) ON \(conditions.joined(separator: " AND "))", isRequired ? .required : .optional)
    }
    return scope
  }

  /// That a record is the first of those that a to-one association leads to, where the schema allows several.
  private func isFirst(
    _ scope: Scope, equal columns: [String], to origins: [SQL], keyed: KeyedAssociation?,
    step: AssociationStep
  ) throws -> SQL {
    let equalities: [SQL] = try scope.keyColumns.map { column in
      try scope.statement.subquery { select in
        let first = Scope(
          table: scope.table, resource: scope.resource, alias: select.alias(for: scope.table), select: select,
          node: scope.node, parent: scope.parent)
        select.source = reference(to: first.table, as: first.alias, in: scope.statement)
        select.conditions = zip(columns, origins).map { "\(first.column($0, in: scope.statement)) = \($1)" }
        for filter in [step.filter, keyed?.association.filter].compactMap({ $0 }) {
          select.conditions.append(try modelCondition(filter, in: first))
        }
        if keyed != nil { select.conditions += try conditions(of: first) }
        let sort = try readingHidden { try (keyed?.association.sort ?? []).map { try term($0, in: first) } }
        let key = first.keyColumns.map { OrderTerm(sql: first.column($0.name, in: scope.statement)) }
        let order = (sort + key).map { $0.rendered(as: $0.sql) }.joined(separator: ", ")
        let found = first.column(column.name, in: scope.statement)
        return
          "\(scope.column(column.name, in: scope.statement)) = (SELECT \(found) \(select.from()) ORDER BY \(order) LIMIT 1)"
      }
    }
    return equalities.joined(separator: " AND ")
  }

  // MARK: Full text

  /// The full-text table of a search.
  func fullText(of scope: Scope, for search: RequestNode.Search) throws -> FullText {
    guard let fullText = scope.table.fullText else {
      throw RequestError(
        .invalidValue,
        "\(scope.resource.name) has no full-text index to search: use `filter` with `like`, or make an FTS5 table with content='\(scope.table.name)'",
        at: search.origin)
    }
    return fullText
  }

  private func match(_ search: RequestNode.Search, in scope: Scope) throws -> SQL {
    let fullText = try fullText(of: scope, for: search)
    let table: SQL = "\(identifier: fullText.table)"
    let rowID: SQL = "\(identifier: scope.alias).\(identifier: fullText.rowIDName)"
    return
      "\(rowID) IN (SELECT rowid FROM \(table) WHERE \(table) MATCH \(.parameter(search.literal)))"
  }

  /// Joins the full-text table to the record's statement, so that its rank can order the result.
  func joinSearch(_ search: RequestNode.Search, to scope: Scope) throws -> SQL {
    let fullText = try fullText(of: scope, for: search)
    var alias = scope.alias
    if fullText.table != scope.table.name {
      alias = scope.select.alias(for: fullText.table)
      let table: SQL = "\(identifier: fullText.table)"
      scope.select.join(
        "\(alias == fullText.table ? table : "\(table) AS \(identifier: alias)") ON \(identifier: alias).rowid = \(identifier: scope.alias).\(identifier: fullText.rowIDName)"
      )
    }
    scope.select.conditions.append(
      "\(identifier: alias).\(identifier: fullText.table) MATCH \(.parameter(search.literal))")
    if fullText.version >= 5 { return "\(identifier: alias).rank" }
    // FTS3 and FTS4 know no rank: the more hits, the better. `offsets` has four numbers for each
    // (https://www.sqlite.org/fts3.html#offsets).
    let offsets: SQL = "offsets(\(identifier: alias))"
    return "(length(replace(\(offsets), ' ', '')) - length(\(offsets)))"
  }
}
