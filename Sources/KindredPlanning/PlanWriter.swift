import KindredModel
import KindredSQLSyntax
import OrderedCollections

/// Writes the text of a tree of selects, as the last step of planning.
struct PlanWriter {
  private let state: PlanningState
  /// The number of bytes of SQL that come from the model rather than from the request.
  private var definitionsLength = 0

  init(_ state: PlanningState) { self.state = state }

  /// Returns the plan of a tree of selects.
  ///
  /// - Throws: `RequestError` if it has more SQL than the limit.
  mutating func plan(of tree: SelectTree) throws -> Plan {
    var plan = Plan()
    plan.path = tree.path.map { step($0) }
    plan.nodes = tree.nodes.map { node($0) }
    plan.isSingle = tree.isSingle
    plan.absence = tree.absence
    if let root = tree.nodes.first?.rows {
      plan.distributionColumn = root.record.table.distribution?.column
      if tree.isEstimated, state.dialect.estimatesCounts {
        plan.count = statement(root.count(upTo: Plan.exactCount + 1), of: root)
        plan.estimate = statement(root.counted, of: root)
      } else if tree.isCounted {
        plan.count = statement(root.count, of: root)
      }
      if let pages = tree.pages {
        plan.cursorColumns = pages.cursorColumns
        plan.cursorIsDescending = pages.cursorIsDescending
        plan.cursorIsHidden = pages.cursorIsHidden
        plan.anchor = pages.anchor(of: root).map { statement($0, of: root) }
        plan.digest = pages.digest(of: root).map { Plan.Statement($0, state.dialect.parameterStyle) }
        plan.lookahead = pages.lookahead(of: root).map { statement($0, of: root) }
        plan.passedBefore = pages.passedBefore(root).map { statement($0, of: root) }
        plan.passed = pages.passed(of: root).map { statement($0, of: root) }
      }
    }
    plan.addNotes()
    plan.readsLiterals = state.readsLiterals
    plan.readsRestricted = state.readsRestricted
    try checkLength(plan.sqlLength - lengthOfPaging(plan, tree))
    return plan
  }

  /// Returns the number of bytes of SQL that only find the page.
  ///
  /// They don't count: later pages need several times as much SQL as the first one, more the more terms the order has,
  /// and must not be refused for it. The database still limits each statement.
  private func lengthOfPaging(_ plan: Plan, _ tree: SelectTree) -> Int {
    guard plan.sqlLength > state.budget.limits.sqlLength, let pages = tree.pages, let root = tree.nodes.first
    else { return 0 }
    let definitions =
      state.model.commonTableExpressions(root.rows.definitionsRead).length
    func length(_ statements: Plan.Statement?...) -> Int {
      statements.compactMap { $0 }.reduce(0) { $0 + $1.sql.utf8.count - definitions }
    }
    let first = pages.firstPage(of: root.rows)
    let ofFirst = [first.sql(page: SQL()), pages.lookahead(of: first) ?? SQL()].map {
      Plan.Statement($0, state.dialect.parameterStyle).sql.utf8.count
    }
    let ofPage = length(plan.nodes.first?.statement, plan.lookahead)
    return length(plan.anchor, plan.digest, plan.passed, plan.passedBefore)
      + max(0, ofPage - ofFirst.reduce(0, +))
  }

  /// Returns a step of the path.
  mutating func step(_ select: PathSelect) -> Plan.Step {
    Plan.Step(
      statement: statement(select.sql, select.definitionsRead),
      absence: select.absence)
  }

  private mutating func node(_ node: NodeSelect) -> Plan.Node {
    Plan.Node(
      statement: statement(node.rows.sql(page: node.page), of: node.rows), shape: node.rows.shape,
      batch: node.batch.map { batch($0, of: node.rows) },
      isToMany: node.isToMany, level: node.level, recursion: node.recursion, mergeJoin: node.mergeJoin,
      name: node.name)
  }

  private mutating func batch(_ batch: BatchSelect, of rows: RecordSelect) -> Plan.Batch {
    var written = Plan.Batch(
      columns: batch.columns, statement: statement(batch.sql, of: rows), link: batch.link)
    if let column = batch.countColumn, let counting = batch.counting {
      written.count = Plan.Count(column: column, statement: statement(counting, of: rows))
    }
    return written
  }

  /// Returns a statement about the rows of a node.
  mutating func statement(_ sql: SQL, of rows: RecordSelect) -> Plan.Statement {
    statement(sql, rows.definitionsRead)
  }

  /// Returns a statement with the common table expressions that it reads.
  private mutating func statement(_ sql: SQL, _ definitionsRead: Set<String>) -> Plan.Statement {
    let style =
      state.model.whole == nil ? state.dialect.parameterStyle : state.dialect.guardedParameterStyle
    guard !definitionsRead.isEmpty else { return Plan.Statement(sql, style) }
    let definitions = state.model.commonTableExpressions(definitionsRead)
    definitionsLength += definitions.length
    return Plan.Statement(definitions + sql, style)
  }

  /// - Throws: `RequestError` if this number of bytes exceeds the limit.
  func checkLength(_ length: Int) throws {
    guard length - definitionsLength <= state.budget.limits.sqlLength else { throw state.budget.tooLong() }
  }
}
