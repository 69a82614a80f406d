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
      if tree.isCounted { plan.count = statement(root.count, of: root) }
      if let pages = tree.pages {
        plan.cursorColumns = pages.cursorColumns
        plan.cursorIsDescending = pages.cursorIsDescending
        plan.cursorIsHidden = pages.cursorIsHidden
        plan.anchor = pages.anchor(of: root).map { statement($0, of: root) }
        plan.lookahead = pages.lookahead(of: root).map { statement($0, of: root) }
        plan.passed = pages.passed(of: root).map { statement($0, of: root) }
      }
    }
    plan.add(tree.findings)
    try checkLength(plan.sqlLength)
    return plan
  }

  /// Returns a step of the path.
  mutating func step(_ select: PathSelect) -> Plan.Step {
    Plan.Step(
      statement: statement(select.sql, readsCommonTableExpression: select.readsCommonTableExpression),
      absence: select.absence)
  }

  private mutating func node(_ node: NodeSelect) -> Plan.Node {
    Plan.Node(
      statement: statement(node.rows.sql(page: node.page), of: node.rows), shape: node.rows.shape,
      batch: node.batch.map {
        Plan.Batch(columns: $0.columns, statement: statement($0.sql, of: node.rows), link: $0.link)
      },
      isToMany: node.isToMany, level: node.level, recursion: node.recursion, mergeJoin: node.mergeJoin,
      name: node.name)
  }

  /// Returns a statement about the rows of a node.
  mutating func statement(_ sql: SQL, of rows: RecordSelect) -> Plan.Statement {
    statement(sql, readsCommonTableExpression: rows.readsCommonTableExpression)
  }

  /// Returns a statement with the common table expressions that it reads.
  private mutating func statement(_ sql: SQL, readsCommonTableExpression: Bool) -> Plan.Statement {
    let style =
      state.model.whole == nil ? state.dialect.parameterStyle : state.dialect.guardedParameterStyle
    guard readsCommonTableExpression else { return Plan.Statement(sql, style) }
    let definitions = state.model.commonTableExpressions
    definitionsLength += definitions.length
    return Plan.Statement(definitions + sql, style)
  }

  /// - Throws: `RequestError` if this number of bytes exceeds the limit.
  func checkLength(_ length: Int) throws {
    guard length - definitionsLength <= state.budget.limits.sqlLength else { throw state.budget.tooLong() }
  }
}
