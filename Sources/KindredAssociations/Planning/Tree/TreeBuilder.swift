import KindredSQLSyntax

/// Makes the selects of a request.
///
/// A to-one association is a join of the select of its record. A to-many one is a select of its own, for each record
/// above. Aggregates, and associations that only must be there, are subqueries, so that none multiplies the rows of
/// another.
final class TreeBuilder {
  let context: PlanningContext
  /// By their numbers; nil for those that are being made.
  private var nodes: [NodeSelect?] = []

  private var dialect: any SQLDialect { context.dialect }

  init(_ context: PlanningContext) { self.context = context }

  /// The selects of a request, from its path to its innermost nodes.
  func tree(of request: FetchRequest) throws -> SelectTree {
    let path = try RecordPath(request.path, context)
    let (records, node) = (path.records, request.root)
    try check(node, name: "")
    let statement = StatementBuilder(
      dialect, level: path.level, runsOften: false, givesMany: !records.isSingle)
    let scope = try path.end(node: node, statement: statement)
    let number = reserve()
    let draft = try rows(of: node, association: records.association, in: scope)
    // A cursor is made of the order.
    if !records.isSingle { for term in draft.order { _ = statement.column(term.sql) } }
    let all = draft.finished
    let pages =
      records.isSingle
      ? nil
      : try RootPages(of: all, request: request, rules: { try rules(ofOrderOf: draft) }, dialect)
    let rows = pages?.rows(of: all) ?? all
    let page = records.isSingle ? " LIMIT 1" : page(of: node, ahead: 1, passed: rows.passed)
    nodes[number] = NodeSelect(
      rows: rows, page: page, isToMany: !records.isSingle, level: statement.level, name: "")
    return SelectTree(
      path: path.selects, nodes: nodes.compactMap { $0 }, isSingle: records.isSingle,
      absence: records.absence, isCounted: request.count, pages: pages)
  }

  /// A number for a node, before those of the nodes below it.
  private func reserve() -> Int {
    nodes.append(nil)
    return nodes.count - 1
  }

  /// Makes the select of a node below the record of `scope`; its number.
  ///
  /// - Parameters:
  ///   - hops: joined to-many nodes on the way, whose records are not returned.
  ///   - isRepetition: whether it is the second level of a recursion.
  func nested(
    _ node: RequestNode, below scope: Scope, hops: [RequestNode], name: String, isRepetition: Bool = false
  ) throws -> Int {
    let isToMany = node.association?.cardinality == .toMany || !hops.isEmpty
    try check(node, name: name, isToMany: isToMany)
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
    let number = reserve()
    if node.recursion != nil {
      record.recursion = RecursionContext(
        node: node, base: scope, number: number, isRepetition: isRepetition)
    }
    let draft = try rows(
      of: node, association: node.association, in: record, isCondensed: !hops.isEmpty, name: name)
    if isRepetition { try RecursionBuilder(tree: self).align(record) }
    // Of records that repeat, the reader of the rows counts those that are not their own ancestors.
    let page = !isToMany ? " LIMIT 1" : node.recursion == nil ? self.page(of: node) : SQL()
    var select = NodeSelect(
      rows: draft.finished, page: page, isToMany: isToMany, level: statement.level, name: name,
      recursion: record.recursion?.result)
    if isToMany, hops.isEmpty, page.isEmpty, record.recursion == nil { select.collectionOf = scope }
    nodes[number] = select
    return number
  }

  /// - Throws: `RequestError` for what can't be said of a node.
  func check(_ node: RequestNode, name: String, isToMany: Bool = false) throws {
    try noting(context.state.diagnostics) {
      try NodeRules(node: node, name: name, isToMany: isToMany).check()
    }
  }

  // MARK: Records

  /// The records of a node.
  func open(_ node: RequestNode, below scope: Scope, in statement: StatementBuilder) throws -> Scope {
    let association = try context.names.destination(
      of: try context.names.association(of: node), from: scope.names)
    return try context.chains.destination(
      of: association, from: scope, into: statement.newSelect(), isRepeated: statement.runsOften)
  }

  /// The records of a node below joined to-many ones: each once, however many ways lead to it.
  private func open(
    _ node: RequestNode, through hops: [RequestNode], below scope: Scope, in statement: StatementBuilder
  ) throws -> Scope {
    guard let last = node.association else { return scope }
    let resource = try context.names.resource(last.destination)
    let select = statement.newSelect()
    let result = Scope(
      ResolutionScope(
        resource: resource, node: node, parent: nil,
        parentRefusal: "the records above are joined, and not returned"),
      table: resource.table, alias: select.alias(for: resource.table), select: select, parent: nil)
    let (keys, ways) = try statement.subquery { ways -> ([SQL], SQL) in
      var record = scope
      for hop in hops + [node] where hop.association != nil {
        let association = try context.names.destination(
          of: try context.names.association(of: hop), from: record.names, countsWays: true)
        record = try context.chains.chain(
          association, from: record, into: ways, isRepeated: statement.runsOften)
        ways.add(try context.conditions.conditions(of: record))
      }
      return (record.identityColumns.map { record.column($0.name, in: statement) }, ways.from)
    }
    if result.table.identity.isEmpty {
      // All columns are it, and may be NULL.
      select.begin(
        with: context.sources.reference(
          toRowsOf: "SELECT DISTINCT \(keys.joined(separator: ", ")) \(ways)", as: result.alias))
    } else {
      select.begin(with: try context.sources.reference(to: result))
      let key = result.identityColumns.map { result.column($0.name, in: statement) }.joined(separator: ", ")
      select.add(
        "\(keys.count == 1 ? key : "(\(key))") IN (SELECT \(keys.joined(separator: ", ")) \(ways))")
    }
    return result
  }

  // MARK: Rows

  /// - Parameter isCondensed: whether the conditions already hold in the subquery that found the records.
  func rows(
    of node: RequestNode, association: Association?, in scope: Scope, isCondensed: Bool = false,
    name: String = ""
  ) throws -> RowsDraft {
    var rank: [SQL]?
    if let last = node.searches.indices.last {
      try noting(context.state.diagnostics) {
        let best = try context.searches.join(node.searches[last], to: scope)
        // The rank of a record depends on all others, and so on those out of sight.
        rank = context.rules.restricts(scope) ? [] : [best]
      }
    }
    if !isCondensed {
      scope.select.add(
        try context.conditions.conditions(of: scope, joinedSearch: node.searches.indices.last))
    }
    let shape = try RecordShapes(tree: self).content(of: node, in: scope, name: name)
    let groups = context.groups
    let havings = node.isGrouped ? try groups.havings(of: node, in: scope) : []
    let group = node.isGrouped ? try groups.terms(of: node, in: scope) : nil
    let order = try context.orders.terms(
      of: node, association: association, in: scope, rank: rank, group: group,
      shown: shape.shown(of: scope.statement.columns, dialect))
    if node.isDistinct { for term in order { _ = scope.statement.column(term.sql) } }
    return RowsDraft(scope: scope, shape: shape, order: order, group: group?.map(\.sql), havings: havings)
  }

  /// What must hold for the records that the order reads to be in sight.
  ///
  /// The condition that starts a page reads what the order reads. Of distinct results it reads nothing else, and these
  /// are made of records in sight.
  private func rules(ofOrderOf rows: RowsDraft) throws -> [SQL] {
    guard context.restrictsRows, rows.scope.node?.isDistinct != true else { return [] }
    var exposure = Exposure()
    for term in rows.order { exposure.add(term.exposure) }
    return try context.rules.rules(of: exposure, in: rows.scope.select)
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
}

/// The rows of a node whose select may still be read by those below.
struct RowsDraft {
  let scope: Scope
  let shape: RecordShape
  let order: [OrderTerm]
  /// Expressions of groups; nil where rows are records.
  let group: [SQL]?
  let havings: [SQL]

  /// The rows as they are from now on.
  var finished: RowsSelect {
    RowsSelect(
      scope: scope, shape: shape, columns: scope.statement.columns, source: scope.select.source,
      order: order, group: group, havings: havings, isDistinct: scope.node?.isDistinct ?? false,
      isLimited: scope.node?.limit != nil && scope.node?.recursion == nil,
      readsCommonTableExpression: scope.statement.readsCommonTableExpression)
  }
}
