import KindredModel
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
    let record = try path.end(node: node, statement: statement)
    let draft = try rows(of: node, number: 0, association: records.association, in: record)
    // A cursor consists of the terms of the order.
    if !records.isSingle { for term in draft.order { _ = statement.column(term.sql) } }
    let all = draft.finished
    let pages =
      records.isSingle
      ? nil
      : try RootPages(of: all, request: request, rules: { try rules(ofOrderOf: draft) }, dialect)
    let rows = pages?.rows(of: all) ?? all
    let page = records.isSingle ? .first : page(of: node, looksAhead: true, passed: rows.passed)
    let root = NodeSelect(
      rows: rows, page: page, isToMany: !records.isSingle, level: statement.level, name: "")
    return SelectTree(
      path: path.selects, nodes: [root] + draft.below, isSingle: records.isSingle,
      isFoundByPrimaryKey: records.isFoundByPrimaryKey, absence: records.absence, isCounted: request.count,
      isEstimated: request.estimatesCount,
      pages: pages)
  }

  /// Returns the select of a node below `record`, followed by those below it.
  ///
  /// - Parameters:
  ///   - number: The number of the node in the tree.
  ///   - hops: The joined to-many nodes on the way, whose records are not returned.
  ///   - isRepetition: Whether it is the second level of a recursion.
  func nested(
    _ node: RequestNode, number: Int, below record: StatementRecord, hops: [RequestNode], name: String,
    isRepetition: Bool
  ) throws -> [NodeSelect] {
    // The cost of a select, in addition to its columns and expressions.
    try context.state.budget.charge(16, at: node.origin)
    let isToMany = node.association?.cardinality == .toMany || !hops.isEmpty
    try check(node, name: name, isToMany: isToMany)
    if node.recursion != nil, !hops.isEmpty {
      throw RequestError(
        .invalidExpression,
        "`\(node.key)` can't be recursive below a joined association; include the joined one",
        at: node.origin)
    }
    let above = record.statement
    let statement = StatementBuilder(
      dialect, level: above.level + 1, runsOften: above.repeatsInner, givesMany: isToMany)
    let opened =
      hops.isEmpty
      ? try open(node, below: record, in: statement)
      : try open(node, through: hops, below: record, in: statement)
    if node.recursion != nil {
      opened.recursion = RecursionContext(node: node, base: record, isRepetition: isRepetition)
    }
    let draft = try rows(
      of: node, number: number, association: node.association, in: opened, isFiltered: !hops.isEmpty,
      name: name)
    if isRepetition { try align(opened) }
    // The limit of a recursive node is applied when the rows are read, since records that are their own ancestors don't
    // count.
    let page = !isToMany ? .first : node.recursion == nil ? self.page(of: node) : Page()
    var select = NodeSelect(
      rows: draft.finished, page: page, isToMany: isToMany, level: statement.level, name: name,
      recursion: draft.recursion)
    if isToMany, hops.isEmpty, page.isWhole, opened.recursion == nil { select.collectionOf = record }
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
  func open(_ node: RequestNode, below record: StatementRecord, in statement: StatementBuilder) throws
    -> StatementRecord
  {
    try context.chains.destination(
      of: record.names.destination(of: node), from: record, into: statement.newSelect(),
      isRepeated: statement.runsOften)
  }

  /// Begins the select of a node's records below joined to-many ones: each once, however many ways lead to it.
  private func open(
    _ node: RequestNode, through hops: [RequestNode], below record: StatementRecord,
    in statement: StatementBuilder
  ) throws -> StatementRecord {
    guard let last = node.association else { return record }
    let resource = try context.model.resource(named: last.destination)
    let select = statement.newSelect()
    let result = StatementRecord(
      NameScope(
        model: context.model, resource: resource, node: node, parent: nil,
        parentRefusal: "the parent records are joined, not returned"),
      table: resource.table, alias: select.alias(for: resource.table), select: select, parent: nil)
    let steps = (hops + [node]).compactMap(\.association).flatMap(\.steps)
    try context.chains.begin(select, with: result, isOnce: context.model.leadsOnce(steps)) { ways in
      var reached = record
      for hop in hops + [node] where hop.association != nil {
        reached = try context.chains.chain(
          reached.names.destination(of: hop, countsWays: true), from: reached, into: ways,
          isRepeated: statement.runsOften)
        ways.add(try context.conditions.conditions(of: reached))
      }
      return reached
    }
    return result
  }

  // MARK: Rows

  /// Builds the rows of a node.
  ///
  /// - Parameters:
  ///   - number: The number of the node in the tree.
  ///   - isFiltered: Whether the conditions are already in the subquery that finds the records.
  func rows(
    of node: RequestNode, number: Int, association: Association?, in record: StatementRecord,
    isFiltered: Bool = false, name: String = ""
  ) throws -> RecordSelectDraft {
    var rank: [SQL]?
    if let last = node.searches.indices.last {
      try noting(context.state.diagnostics) {
        let best = try context.searches.join(
          node.searches[last], to: record, isPlain: !node.isDistinct && !node.isGrouped)
        // The rank of a record depends on all others, including invisible ones.
        rank = context.rules.restricts(record) ? [] : best.map { [$0] } ?? []
      }
    }
    if !isFiltered {
      record.select.add(
        try context.conditions.conditions(of: record, joinedSearch: node.searches.indices.last))
    }
    var content = ContentBuilder(self, number: number)
    let shape = try content.content(of: node, in: record, name: name)
    let groups = context.groups
    let havings = node.isGrouped ? try groups.havings(of: node, in: record) : []
    let group = node.isGrouped ? try groups.terms(of: node, in: record) : nil
    let order = try context.orders.terms(
      of: node, association: association, in: record, rank: rank,
      group: group?.order,
      shown: shape.shown(of: record.statement.columns, by: record.statement.collations, dialect))
    if node.isDistinct { for term in order { _ = record.statement.column(term.sql) } }
    let keys = try group.map { try $0.keys + groups.determined(in: record) }
    return RecordSelectDraft(
      record: record, shape: shape, order: order, group: keys, havings: havings,
      below: content.below, recursion: content.recursion)
  }

  /// Returns the rules of the records that the order reads.
  ///
  /// The condition that starts a page reads the same records as the order; of groups, it is a condition on these. For
  /// distinct results, it reads only their columns, and they are made of visible records.
  private func rules(ofOrderOf rows: RecordSelectDraft) throws -> [SQL] {
    guard context.restrictsRows, !rows.isDistinct else { return [] }
    if rows.group != nil, let node = rows.record.node { return context.groups.guards(of: node) }
    var exposure = Exposure()
    for term in rows.order { exposure.add(term.exposure) }
    return try context.rules.rules(of: exposure, in: rows.record.select)
  }

  /// Returns the page of a node's parameters.
  ///
  /// - Parameters:
  ///   - looksAhead: Whether one more row is read, to find out whether more follow.
  ///   - passed: The number of rows before the page, in addition to its offset.
  func page(of node: RequestNode, looksAhead: Bool = false, passed: SQL? = nil) -> Page {
    let offsets = [node.offset.map { dialect.integer(.parameter($0)) }, passed].compactMap { $0 }
    return Page(
      limit: node.limit.map { dialect.integer(.parameter($0)) },
      ahead: looksAhead ? dialect.integer(.value(.integer(1))) : nil,
      offset: offsets.isEmpty ? nil : offsets.joined(separator: " + "))
  }
}

/// The rows of a node, to whose statement columns may still be added.
struct RecordSelectDraft {
  let record: StatementRecord
  let shape: RecordShape
  let order: [OrderTerm]
  /// The grouping expressions; nil if each row is a record.
  let group: [SQL]?
  let havings: [SQL]
  /// The selects of the nodes below.
  let below: [NodeSelect]
  /// How the node repeats below itself; nil unless it is recursive.
  let recursion: Plan.Recursion?

  /// Whether equal results have to be made one: records of a table that show their key are distinct as they are.
  var isDistinct: Bool {
    guard let node = record.node, node.isDistinct else { return false }
    let key = record.table.identity.map { SQL.column(record.id, $0.name) }
    guard group == nil, case .table = record.table.kind, !key.isEmpty, !node.readsVia else { return true }
    let shown = Set(shape.columns.compactMap(\.value).map { record.statement.columns[$0] })
    return !shown.isSuperset(of: key)
  }

  /// The rows as a value, with the columns added so far.
  var finished: RecordSelect {
    RecordSelect(
      record: record, shape: shape, columns: record.statement.columns, counts: record.statement.counts,
      collations: record.statement.collations,
      source: record.select.source, order: order, group: group, havings: havings,
      isDistinct: isDistinct,
      isLimited: record.node?.limit != nil && record.node?.recursion == nil,
      definitionsRead: record.statement.definitionsRead)
  }
}
