import KindredModel
import KindredSQLSyntax

/// Builds the selects of a request.
///
/// A to-one association becomes a join in the select of its record, a to-many one a select for each parent record.
/// Aggregates and required associations become subqueries, so that none multiplies the rows of another.
struct TreeBuilder: PlanningPart {
  let context: PlanningContext

  init(_ context: PlanningContext) { self.context = context }

  /// Returns the selects of a request, from its path to its innermost nodes.
  func tree(of resolved: ResolvedRequest, for request: FetchRequest) throws -> SelectTree {
    var path = try RecordPath(resolved.path, context)
    let (records, node) = (resolved.records, resolved.root)
    let statement = StatementBuilder(dialect, level: path.level, givesMany: !records.isSingle)
    statement.isOfRoot = true
    let record = try path.end(records, in: statement)
    let draft = try rows(of: node, number: 0, in: record)
    // A cursor consists of the terms of the order.
    if !records.isSingle { for term in draft.order { _ = statement.column(term.term.sql) } }
    var all = draft.finished
    all.order = path.endOrder + all.order
    let pages =
      records.isSingle
      ? nil
      : try Pagination(
        of: all, request: request, readsHidden: draft.order.contains { $0.readsHidden(of: record) },
        views: statement.clockViews, rules: { try rules(ofOrderOf: draft, in: node.group) })
    let rows = pages?.rows(of: all) ?? all
    let page = records.isSingle ? .first : pages?.page(of: rows) ?? page(of: node.node, looksAhead: true)
    let root = NodeSelect(
      rows: rows, page: page, isToMany: !records.isSingle, level: statement.level, name: "")
    return SelectTree(
      path: path.selects, nodes: [root] + draft.below,
      searches: try UnreadNodes(of: resolved, context).searches, isSingle: records.isSingle,
      isFoundByPrimaryKey: records.isFoundByPrimaryKey, absence: records.absence, isCounted: request.count,
      isEstimated: request.estimatesCount,
      pages: pages)
  }

  /// Returns the select of a node below `record`, followed by those below it.
  ///
  /// - Parameters:
  ///   - number: The number of the node in the tree.
  ///   - numberAbove: The number of the node that the record belongs to.
  ///   - isRepetition: Whether it is the second level of a recursion.
  func nested(
    _ resolved: ResolvedNode, number: Int, below record: StatementRecord, of numberAbove: Int,
    isRepetition: Bool
  ) throws -> [NodeSelect] {
    let (node, isToMany) = (resolved.node, resolved.isToMany)
    let above = record.statement
    let statement = StatementBuilder(
      dialect, level: above.level + 1, runsOften: above.repeatsInner, givesMany: isToMany)
    let opened = try open(resolved, below: record, in: statement)
    if node.recursion != nil { opened.recursion = RecursionContext(node: node, base: record) }
    let draft = try rows(of: resolved, number: number, in: opened)
    if isRepetition { try align(opened) }
    // The limit of a recursive node is applied when the rows are read, since records that are their own ancestors don't
    // count.
    let page = !isToMany ? .first : node.recursion == nil ? self.page(of: node) : Page()
    var select = NodeSelect(
      rows: draft.finished, page: page, isToMany: isToMany, level: statement.level, name: resolved.name,
      recursion: draft.recursion)
    if isToMany, resolved.ways.isEmpty, page.isWhole, opened.recursion == nil {
      select.collectionOf = RecordAbove(node: numberAbove, id: record.id)
    }
    return [select] + draft.below
  }

  // MARK: Records

  /// Begins the select of a node's records: below joined to-many ones each once, however many ways lead to it.
  private func open(
    _ node: ResolvedNode, below record: StatementRecord, in statement: StatementBuilder
  ) throws -> StatementRecord {
    let select = statement.newSelect()
    guard node.ways.isEmpty else { return try open(node, below: record, into: select) }
    guard let association = node.association else { return record }
    return try context.chains.destination(
      of: association, from: record, into: select, isRepeated: statement.runsOften)
  }

  private func open(
    _ node: ResolvedNode, below record: StatementRecord, into select: SelectBuilder
  ) throws -> StatementRecord {
    let result = StatementRecord(node.names, in: select)
    let steps = node.ways.flatMap(\.association.steps)
    try context.chains.begin(select, with: result, isOnce: context.model.leadsOnce(steps)) { ways in
      var reached = record
      for way in node.ways {
        reached = try context.chains.chain(
          way, from: reached, into: ways, isRepeated: select.statement.runsOften)
        ways.add(try context.conditions.conditions(of: reached))
      }
      return reached
    }
    return result
  }

  // MARK: Rows

  /// Builds the rows of a node.
  ///
  /// - Parameter number: The number of the node in the tree.
  func rows(
    of resolved: ResolvedNode, number: Int, in record: StatementRecord
  ) throws -> RecordSelectDraft {
    let node = resolved.node
    var rank: [SQL]?
    // Records found by the ways to them have met the search there; it is joined for its rank.
    if let search = (resolved.conditions ?? resolved.association?.conditions)?.searches.last {
      let found = try noting(context.state.diagnostics) {
        try context.searches.join(search, to: record, isPlain: !node.isDistinct && !node.isGrouped)
      }
      // The rank of a record depends on all others, including invisible ones; a group has none.
      let hasRank = resolved.group == nil && !context.rules.restricts(record)
      switch hasRank ? found ?? .hidden : .hidden {
      case .by(let value): rank = [value]
      case .hidden: rank = []
      case .none: rank = nil
      }
    }
    record.select.add(
      try context.conditions.conditions(
        of: record, joinedSearch: resolved.conditions?.searches.indices.last))
    var content = ContentBuilder(tree: self, number: number)
    let shape = try content.content(of: resolved, in: record)
    let groups = context.groups
    if resolved.group != nil { context.state.memory(of: resolved.names).compiled.insert(.group) }
    let havings = try resolved.group.map { try groups.havings(of: $0, in: record) } ?? []
    let group = try resolved.group.map { try groups.terms(of: $0, in: record) }
    let order = try context.orders.terms(
      of: resolved, in: record, rank: rank, group: group?.order,
      shown: shape.shown(of: record.statement.columns, by: record.statement.collations, dialect))
    if node.isDistinct { for term in order { _ = record.statement.column(term.term.sql) } }
    let keys = try resolved.group.flatMap { resolved in
      try group.map { try $0.keys + groups.determined(of: resolved, in: record) }
    }
    let rowOrder = try group.flatMap {
      try groups.rowOrder(
        of: $0, showing: record.statement.columns + havings + order.map(\.term.sql), in: record)
    }
    return RecordSelectDraft(
      record: record, shape: shape, order: order, group: keys, havings: havings, rowOrder: rowOrder,
      below: content.below, recursion: content.recursion)
  }

  /// Returns the rules of the records that the order reads.
  ///
  /// The condition that starts a page reads the same records as the order; of groups, it is a condition on these. For
  /// distinct results, it reads only their columns, and they are made of visible records.
  private func rules(ofOrderOf rows: RecordSelectDraft, in group: ResolvedGroup?) throws -> [SQL] {
    guard context.restrictsRows, !rows.isDistinct else { return [] }
    if let group { return context.groups.guards(of: group) }
    var exposure = Exposure()
    for term in rows.order { exposure.add(term.exposure) }
    return try context.rules.rules(of: exposure, in: rows.record.select)
  }

  /// Returns the page of a node's parameters.
  ///
  /// - Parameters:
  ///   - looksAhead: Whether one more row is read, to find out whether more follow.
  func page(of node: RequestNode, looksAhead: Bool = false) -> Page {
    Page(
      limit: node.limit.map { dialect.integer(.parameter($0)) },
      ahead: looksAhead ? dialect.integer(.value(.integer(1))) : nil,
      offset: node.offset.map { dialect.integer(.parameter($0)) })
  }
}

/// The rows of a node, to whose statement columns may still be added.
struct RecordSelectDraft {
  let record: StatementRecord
  let shape: RecordShape
  let order: [ExposedTerm]
  /// The grouping expressions; nil if each row is a record.
  let group: [SQL]?
  let havings: [SQL]
  /// The order in which the rows of groups are read; nil for any.
  let rowOrder: RowOrder?
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
      dialect: record.statement.dialect, record: SelectedRecord(record), shape: shape,
      columns: record.statement.columns, counts: record.statement.counts,
      collations: record.statement.collations,
      source: record.select.linkedSource, order: order.map(\.term), group: group, havings: havings,
      rowOrder: rowOrder, isDistinct: isDistinct,
      isLimited: record.node?.limit != nil && record.node?.recursion == nil,
      definitionsRead: record.statement.definitionsRead, colocations: record.statement.colocations)
  }
}
