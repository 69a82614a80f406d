import KindredSQLSyntax

/// Builds the selects of a request.
///
/// A to-one association becomes a join in the select of its record, a to-many one a select for each parent record.
/// Aggregates and required associations become subqueries, so that none multiplies the rows of another.
struct TreeBuilder {
  let context: PlanningContext

  private var dialect: any SQLDialect { context.dialect }

  init(_ context: PlanningContext) { self.context = context }

  /// Returns the selects of a request, from its path to its innermost nodes.
  func tree(of request: FetchRequest) throws -> SelectTree {
    let path = try RecordPath(request.path, context)
    let (records, node) = (path.records, request.root)
    try check(node, name: "")
    let statement = StatementBuilder(
      dialect, level: path.level, runsOften: false, givesMany: !records.isSingle)
    let scope = try path.end(node: node, statement: statement)
    let draft = try rows(of: node, number: 0, association: records.association, in: scope)
    // A cursor consists of the terms of the order.
    if !records.isSingle { for term in draft.order { _ = statement.column(term.sql) } }
    let all = draft.finished
    let pages =
      records.isSingle
      ? nil
      : try RootPages(of: all, request: request, rules: { try rules(ofOrderOf: draft) }, dialect)
    let rows = pages?.rows(of: all) ?? all
    let page = records.isSingle ? " LIMIT 1" : page(of: node, ahead: 1, passed: rows.passed)
    let root = NodeSelect(
      rows: rows, page: page, isToMany: !records.isSingle, level: statement.level, name: "")
    return SelectTree(
      path: path.selects, nodes: [root] + draft.below, isSingle: records.isSingle,
      absence: records.absence, isCounted: request.count, pages: pages, findings: context.state.findings)
  }

  /// Returns the select of a node below the record of `scope`, followed by those below it.
  ///
  /// - Parameters:
  ///   - number: The number of the node in the tree.
  ///   - hops: The joined to-many nodes on the way, whose records are not returned.
  ///   - isRepetition: Whether it is the second level of a recursion.
  func nested(
    _ node: RequestNode, number: Int, below scope: Scope, hops: [RequestNode], name: String,
    isRepetition: Bool
  ) throws -> [NodeSelect] {
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
    if node.recursion != nil {
      record.recursion = RecursionContext(node: node, base: scope, isRepetition: isRepetition)
    }
    let draft = try rows(
      of: node, number: number, association: node.association, in: record, isCondensed: !hops.isEmpty,
      name: name)
    if isRepetition { try align(record) }
    // The limit of a recursive node is applied when the rows are read, since records that are their own ancestors don't
    // count.
    let page = !isToMany ? " LIMIT 1" : node.recursion == nil ? self.page(of: node) : SQL()
    var select = NodeSelect(
      rows: draft.finished, page: page, isToMany: isToMany, level: statement.level, name: name,
      recursion: draft.recursion)
    if isToMany, hops.isEmpty, page.isEmpty, record.recursion == nil { select.collectionOf = scope }
    return [select] + draft.below
  }

  /// Checks the combination of a node's parameters.
  ///
  /// - Throws: `RequestError`
  func check(_ node: RequestNode, name: String, isToMany: Bool = false) throws {
    try noting(context.state.diagnostics) {
      try NodeRules(node: node, name: name, isToMany: isToMany).check()
    }
  }

  // MARK: Records

  /// Begins the select of a node's records.
  func open(_ node: RequestNode, below scope: Scope, in statement: StatementBuilder) throws -> Scope {
    try context.chains.destination(
      of: scope.names.destination(of: node), from: scope, into: statement.newSelect(),
      isRepeated: statement.runsOften)
  }

  /// Begins the select of a node's records below joined to-many ones: each once, however many ways lead to it.
  private func open(
    _ node: RequestNode, through hops: [RequestNode], below scope: Scope, in statement: StatementBuilder
  ) throws -> Scope {
    guard let last = node.association else { return scope }
    let resource = try context.model.resource(named: last.destination)
    let select = statement.newSelect()
    let result = Scope(
      NameScope(
        model: context.model, resource: resource, node: node, parent: nil,
        parentRefusal: "the records above are joined, and not returned"),
      table: resource.table, alias: select.alias(for: resource.table), select: select, parent: nil)
    let (keys, ways) = try statement.subquery { ways -> ([SQL], SQL) in
      var record = scope
      for hop in hops + [node] where hop.association != nil {
        record = try context.chains.chain(
          record.names.destination(of: hop, countsWays: true), from: record, into: ways,
          isRepeated: statement.runsOften)
        ways.add(try context.conditions.conditions(of: record))
      }
      return (record.identityColumns.map { record.column($0.name, in: statement) }, ways.from)
    }
    if result.table.identity.isEmpty {
      // All columns identify the record, and may be NULL.
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

  /// Builds the rows of a node.
  ///
  /// - Parameters:
  ///   - number: The number of the node in the tree.
  ///   - isCondensed: Whether the conditions are already in the subquery that finds the records.
  func rows(
    of node: RequestNode, number: Int, association: Association?, in scope: Scope,
    isCondensed: Bool = false, name: String = ""
  ) throws -> RowsDraft {
    var rank: [SQL]?
    if let last = node.searches.indices.last {
      try noting(context.state.diagnostics) {
        let best = try context.searches.join(node.searches[last], to: scope)
        // The rank of a record depends on all others, including invisible ones.
        rank = context.rules.restricts(scope) ? [] : [best]
      }
    }
    if !isCondensed {
      scope.select.add(
        try context.conditions.conditions(of: scope, joinedSearch: node.searches.indices.last))
    }
    var content = ContentBuilder(self, number: number)
    let shape = try content.content(of: node, in: scope, name: name)
    let groups = context.groups
    let havings = node.isGrouped ? try groups.havings(of: node, in: scope) : []
    let group = node.isGrouped ? try groups.terms(of: node, in: scope) : nil
    let order = try context.orders.terms(
      of: node, association: association, in: scope, rank: rank, group: group,
      shown: shape.shown(of: scope.statement.columns, dialect))
    if node.isDistinct { for term in order { _ = scope.statement.column(term.sql) } }
    return RowsDraft(
      scope: scope, shape: shape, order: order, group: group?.map(\.sql), havings: havings,
      below: content.below, recursion: content.recursion)
  }

  /// Returns the rules of the records that the order reads.
  ///
  /// The condition that starts a page reads the same records as the order. For distinct results, it reads only their
  /// columns, and they are made of visible records.
  private func rules(ofOrderOf rows: RowsDraft) throws -> [SQL] {
    guard context.restrictsRows, rows.scope.node?.isDistinct != true else { return [] }
    var exposure = Exposure()
    for term in rows.order { exposure.add(term.exposure) }
    return try context.rules.rules(of: exposure, in: rows.scope.select)
  }

  /// Returns `LIMIT` and `OFFSET` with bound values.
  ///
  /// - Parameters:
  ///   - ahead: The number of additional rows to read, to find out whether more follow.
  ///   - passed: The number of rows before the page, in addition to its offset.
  func page(of node: RequestNode, ahead: Int64 = 0, passed: SQL? = nil) -> SQL {
    let offsets = [node.offset.map { dialect.integer(.parameter($0)) }, passed].compactMap { $0 }
    var limit = node.limit.map { dialect.integer(.parameter($0)) }
    if ahead != 0 { limit?.append(" + \(dialect.integer(.value(.integer(ahead))))") }
    return dialect.page(limit: limit, offset: offsets.isEmpty ? nil : offsets.joined(separator: " + "))
  }
}

/// The rows of a node, to whose statement columns may still be added.
struct RowsDraft {
  let scope: Scope
  let shape: RecordShape
  let order: [OrderTerm]
  /// The grouping expressions; nil if each row is a record.
  let group: [SQL]?
  let havings: [SQL]
  /// The selects of the nodes below.
  let below: [NodeSelect]
  /// How the node repeats below itself; nil unless it is recursive.
  let recursion: Plan.Recursion?

  /// The rows as a value, with the columns added so far.
  var finished: RowsSelect {
    RowsSelect(
      scope: scope, shape: shape, columns: scope.statement.columns, source: scope.select.source,
      order: order, group: group, havings: havings, isDistinct: scope.node?.isDistinct ?? false,
      isLimited: scope.node?.limit != nil && scope.node?.recursion == nil,
      readsCommonTableExpression: scope.statement.readsCommonTableExpression)
  }
}
