import KindredSQLSyntax

/// The statements of the tree.
extension Planning {
  /// Plans the node of the root.
  func planRoot(_ records: Records) throws {
    let node = request.root
    try checkShape(of: node, name: "")
    let statement = StatementBuilder(
      dialect, level: plan.path.count, runsOften: false, givesMany: !records.isSingle)
    // Above the root there is nothing to speak of, even where a path leads to it.
    let scope = try open(records, node: node, statement: statement).asRoot
    plan.isSingle = records.isSingle
    plan.absence = absence(of: records)
    nodes.append(nil)
    var rows = try planRows(of: node, association: records.association, in: scope)
    if request.count { plan.count = planned(withClause(statement, rows.count)) }
    if !plan.isSingle { try planPages(of: &rows) }
    let page = plan.isSingle ? " LIMIT 1" : page(of: node, ahead: 1, passed: rows.passed)
    nodes[0] = Plan.Node(
      statement: planned(withClause(statement, rows.select(page: page))), shape: rows.shape,
      isToMany: !plan.isSingle, level: statement.level, recursion: nil, name: "")
    mergeJoin(below: rows)
    finishPath()
  }

  /// Has the statements merge-joined with the root's that can be.
  private func mergeJoin(below root: Rows) {
    guard dialect.nestsStatements else { return }
    for candidate in mergeCandidates {
      guard let join = MergeJoin(candidate, below: root, in: model) else { continue }
      let rows = join.rows
      nodes[candidate.number]?.mergeJoin = join.columns
      nodes[candidate.number]?.statement = planned(withClause(rows.statement, rows.select(page: "")))
    }
  }

  /// Plans a node that has a statement of its own, below the record of `scope`; its number.
  ///
  /// - Parameters:
  ///   - hops: joined to-many nodes on the way, whose records are not returned.
  ///   - isRepetition: whether it is the second level of a recursion.
  func planNested(
    _ node: RequestNode, below scope: Scope, hops: [RequestNode], name: String, isRepetition: Bool = false
  ) throws -> Int {
    let isToMany = node.association?.cardinality == .toMany || !hops.isEmpty
    try checkShape(of: node, name: name, isToMany: isToMany)
    if node.recursion != nil, !hops.isEmpty {
      throw RequestError(
        .invalidExpression, "`\(node.key)` can't repeat below a joined association: include that one",
        at: node.origin)
    }
    let above = scope.statement
    let statement = StatementBuilder(
      dialect, level: above.level + 1, runsOften: above.repeatsInner, givesMany: isToMany)
    let record =
      hops.isEmpty
      ? try open(node, below: scope, in: statement)
      : try open(node, through: hops, below: scope, in: statement)
    let number = nodes.count
    nodes.append(nil)
    if node.recursion != nil {
      record.recursion = RecursionContext(
        node: node, base: scope, number: number, isRepetition: isRepetition)
    }
    let rows = try planRows(
      of: node, association: node.association, in: record, isCondensed: !hops.isEmpty, name: name)
    if isRepetition { try alignRepetition(of: record) }
    // Of records that repeat, the reader of the rows counts those that are not their own ancestors.
    let page = !isToMany ? " LIMIT 1" : node.recursion == nil ? self.page(of: node) : SQL()
    nodes[number] = Plan.Node(
      statement: planned(withClause(statement, rows.select(page: page))), shape: rows.shape,
      batch: dialect.nestsStatements ? nil : batch(of: rows, page: page), isToMany: isToMany,
      level: statement.level, recursion: record.recursion?.result, name: name)
    if isToMany, hops.isEmpty, page.isEmpty, record.recursion == nil {
      mergeCandidates.append(MergeJoin.Candidate(number: number, rows: rows, above: scope))
    }
    return number
  }

  func open(
    _ node: RequestNode, below scope: Scope, in statement: StatementBuilder
  ) throws -> Scope {
    guard let association = node.association else {
      throw RequestError(.unknownAssociation, "`\(node.key)` is no association", at: node.origin)
    }
    return try destination(
      of: association, from: scope, into: statement.newSelect(), node: node,
      isRepeated: statement.runsOften)
  }

  /// The records of a node below joined to-many ones: each once, however many ways lead to it.
  private func open(
    _ node: RequestNode, through hops: [RequestNode], below scope: Scope, in statement: StatementBuilder
  ) throws -> Scope {
    guard let last = node.association else { return scope }
    let resource = try self.resource(last.destination)
    let select = statement.newSelect()
    let result = Scope(
      table: resource.table, resource: resource, alias: select.alias(for: resource.table), select: select,
      node: node, parent: nil)
    result.parentRefusal = "the records above are joined, and not returned"
    let (keys, ways) = try statement.subquery { ways -> ([SQL], SQL) in
      var record = scope
      for hop in hops + [node] {
        guard let association = hop.association else { continue }
        record = try chain(
          association, from: record, into: ways, node: hop, isRepeated: statement.runsOften)
        ways.conditions += try conditions(of: record)
      }
      return (record.identityColumns.map { record.column($0.name, in: statement) }, ways.from())
    }
    if result.table.identity.isEmpty {
      // All columns are it, and may be NULL.
      select.begin(
        with: reference(
          toRowsOf: "SELECT DISTINCT \(keys.joined(separator: ", ")) \(ways)", as: result.alias))
    } else {
      select.begin(with: try reference(to: result))
      let key = result.identityColumns.map { result.column($0.name, in: statement) }.joined(separator: ", ")
      select.conditions.append(
        "\(keys.count == 1 ? key : "(\(key))") IN (SELECT \(keys.joined(separator: ", ")) \(ways))")
    }
    return result
  }

  /// Limit and offset, each bound.
  ///
  /// - Parameters:
  ///   - ahead: how many more rows than asked for, to tell whether more follow.
  ///   - passed: how many rows come before the page, beside its offset.
  func page(of node: RequestNode, ahead: Int64 = 0, passed: SQL? = nil) -> SQL {
    let offsets = [node.offset.map { dialect.integer(.parameter($0)) }, passed].compactMap { $0 }
    var limit = node.limit.map { dialect.integer(.parameter($0)) }
    if ahead != 0 { limit?.append(" + \(dialect.integer(.value(.integer(ahead))))") }
    return dialect.page(limit: limit, offset: offsets.isEmpty ? nil : offsets.joined(separator: " + "))
  }

  /// What can't be asked of a node.
  ///
  /// - Parameter name: the path of the node, which its parameters begin with.
  ///
  /// - Parameter isToMany: whether it gives a list, as a to-one node does below joined to-many ones.
  func checkShape(of node: RequestNode, name: String, isToMany: Bool = false) throws {
    try noting(diagnostics) { try refuseShape(of: node, name: name, isToMany: isToMany) }
  }

  private func refuseShape(of node: RequestNode, name: String, isToMany: Bool) throws {
    func refuse(_ parameter: String, _ message: String) -> RequestError {
      RequestError(
        .invalidValue, message, at: Origin(parameter: name.isEmpty ? parameter : "\(name).\(parameter)"))
    }
    if node.values != nil, node.fields != nil || !node.annotations.isEmpty {
      throw refuse("values", "one bare value can't have `fields` or `annotate` beside it: leave out either")
    }
    if !node.group.isEmpty, node.fields == nil, node.values == nil {
      throw refuse(
        "group", "`group` needs `fields` that say what a group shows, such as `fields=kind,n:count()`")
    }
    if node.values != nil || node.isGrouped, let child = node.children.first(where: \.isReturned) {
      throw refuse(
        node.values != nil ? "values" : node.group.isEmpty ? "fields" : "group",
        "`\(child.key)` has no record to be in, for \(node.isGrouped ? "a group" : "a bare value") includes nothing: use `join`"
      )
    }
    if node.isDistinct, node.returnsMany || node.recursion != nil {
      throw refuse(
        "distinct",
        "`distinct` compares columns, and can't tell lists of associated records apart: leave out either")
    }
    if node.recursion != nil, node.values != nil || node.isGrouped {
      throw refuse(
        node.values != nil ? "values" : "group",
        "bare values and groups can't repeat below themselves: leave out `*`")
    }
    if !isToMany, node.association?.cardinality == .toOne, !node.key.isEmpty {
      let one = "`\(node.key)` is one record at most: "
      if node.limit != nil { throw refuse("limit", one + "leave out the limit") }
      if node.offset != nil { throw refuse("offset", one + "leave out the offset") }
      if node.isGrouped {
        throw refuse(node.group.isEmpty ? "fields" : "group", one + "there is nothing to group")
      }
    }
  }
}

extension RequestNode {
  /// Whether lists of associated records are part of each result.
  var returnsMany: Bool {
    children.contains { child in
      child.isReturned
        && (child.association?.cardinality == .toMany || child.recursion != nil || child.returnsMany)
    }
  }

  /// Whether it, or a node below, is part of the result.
  var isReturned: Bool { isIncluded || children.contains(where: \.isReturned) }
}

extension Scope {
  /// The same record with nothing above it.
  var asRoot: Scope {
    let scope = Scope(
      table: table, resource: resource, alias: alias, select: select, node: node, parent: nil)
    scope.via = via
    return scope
  }
}
