import KindredModel
import KindredSQLSyntax

/// Writes the text of a tree of selects, as the last step of planning.
struct PlanWriter {
  private let state: PlanningState
  /// The number of bytes of SQL that come from the request, rather than from the model or from the place of a page.
  ///
  /// Later pages need several times as much SQL as the first one, more the more terms the order has, and must not be
  /// refused for it. The database still limits each statement.
  private var length = 0

  init(_ state: PlanningState) { self.state = state }

  /// Returns the plan of a tree of selects.
  ///
  /// - Throws: `RequestError` if it has more SQL than the limit.
  mutating func plan(of tree: SelectTree) throws -> Plan {
    var plan = Plan()
    plan.path = tree.path.map { step($0) }
    plan.nodes = tree.nodes.map { node($0) }
    if let pages = tree.pages, let root = tree.nodes.first { length -= pages.length(ofStartOf: root.rows) }
    plan.isSingle = tree.isSingle
    plan.absence = tree.absence
    if let root = tree.nodes.first?.rows {
      plan.distributionColumn = root.record.table.distribution?.column
      if tree.isEstimated, state.dialect.estimatesCounts {
        plan.count = statement(root.count(upTo: Plan.exactCount + 1), of: root, counts: false)
        plan.estimate = statement(root.counted, of: root, counts: false)
      } else if tree.isCounted {
        plan.count = statement(root.count, of: root)
      }
      if let pages = tree.pages {
        plan.cursorColumns = pages.cursorColumns
        plan.cursorIsDescending = pages.cursorIsDescending
        plan.cursorIsHidden = pages.cursorIsHidden
        plan.isBackward = pages.isBackward
        plan.anchor = pages.anchor(of: root).map { statement($0, of: root, counts: false) }
        plan.digest = pages.digest(of: root).map { Plan.Statement($0, state.dialect.parameterStyle) }
        plan.lookahead = pages.lookahead(of: root).map { statement($0, of: root, counts: false) }
        plan.passedBefore = pages.passedBefore(root).map { statement($0, of: root, counts: false) }
        plan.passedOfFirst = pages.passedOfFirst(of: root).map { statement($0, of: root, counts: false) }
        plan.passedOfLast = pages.passedOfLast(of: root).map { statement($0, of: root, counts: false) }
        plan.last = pages.last(of: root).map { statement($0, of: root, counts: false) }
        plan.behind = pages.behind(root).map { statement($0, of: root, counts: false) }
        plan.beyond = pages.beyond(root).map { statement($0, of: root, counts: false) }
      }
    }
    plan.addNotes(tree.nodes.flatMap { IndexAdvice(for: $0.rows).missingIndexes })
    plan.searches += tree.searches.filter { !plan.searches.contains($0) }
    plan.readsLiterals = state.readsLiterals
    plan.readsRestricted = state.readsRestricted
    try checkLength(with: plan.searches)
    return plan
  }

  /// Returns a step of the path.
  ///
  /// - Parameter limit: The largest number of records to read.
  mutating func step(_ select: PathSelect, limit: SQL = "1") -> Plan.Step {
    Plan.Step(
      statement: statement(select.sql(limit: limit), select.definitionsRead),
      absence: select.absence)
  }

  private mutating func node(_ node: NodeSelect) -> Plan.Node {
    let page = node.page.sql(state.dialect)
    // Then the page is the end of the text.
    let isApart =
      node.page.ahead != nil && node.page.offset == nil && node.rows.ranking == nil
      && !node.rows.findsKeysFirst
    return Plan.Node(
      statement: isApart
        ? statement(node.rows.sql(page: SQL()), page: page, of: node.rows)
        : statement(node.rows.sql(page: page), of: node.rows),
      shape: node.rows.shape, layout: node.layout, batch: node.batch.map { batch($0, of: node.rows) },
      isToMany: node.isToMany, level: node.level, isNever: node.isNever, recursion: node.recursion,
      mergeJoin: node.mergeJoin,
      name: node.name)
  }

  private mutating func batch(_ batch: BatchSelect, of rows: RecordSelect) -> Plan.Batch {
    var written = Plan.Batch(
      columns: batch.columns, statement: statement(batch.sql, of: rows, counts: false), link: batch.link)
    if let column = batch.countColumn, let counting = batch.counting {
      written.count = Plan.Count(column: column, statement: statement(counting, of: rows, counts: false))
    }
    return written
  }

  /// Returns a statement about the rows of a node, with the common table expressions that it reads.
  ///
  /// - Parameters:
  ///   - page: The page at the end, if it consists of a limit and what is read ahead.
  ///   - counts: Whether the length of the SQL is limited, as it is that of the request's selects.
  mutating func statement(
    _ sql: SQL, page: SQL? = nil, of rows: RecordSelect, counts: Bool = true
  ) -> Plan.Statement {
    statement(rows.withClause + sql, page: page, rows.definitionsRead, counts: counts)
  }

  private mutating func statement(
    _ sql: SQL, page: SQL? = nil, _ definitionsRead: Set<String>, counts: Bool = true
  ) -> Plan.Statement {
    let style =
      state.model.whole == nil ? state.dialect.parameterStyle : state.dialect.guardedParameterStyle
    let definitions = state.model.commonTableExpressions(definitionsRead)
    let statement = Plan.Statement(definitions + sql, page: page, style)
    if counts { length += statement.sql.utf8.count - definitions.length }
    return statement
  }

  /// - Throws: `RequestError` if there is more SQL than the limit.
  func checkLength(with searches: [Plan.SearchCheck]) throws {
    let all = searches.reduce(length) { $0 + $1.statement.sql.utf8.count }
    guard all <= state.budget.limits.sqlLength else { throw state.budget.tooLong() }
  }
}
