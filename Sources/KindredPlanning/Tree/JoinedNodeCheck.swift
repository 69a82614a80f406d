import KindredModel
import KindredSQLSyntax

/// Checks the parameters of joined nodes that are not part of any statement.
struct JoinedNodeCheck {
  private let tree: TreeBuilder
  private var context: PlanningContext { tree.context }

  /// - Throws: `RequestError`
  static func check(_ request: FetchRequest, _ context: PlanningContext) throws {
    guard request.root.hasJoinedNodes else { return }
    // With separate selects, which never run.
    let scratch = PlanningContext(state: context.state.scratch())
    let path = try RecordPath(request.path, scratch)
    let statement = StatementBuilder(
      scratch.dialect, level: path.level, runsOften: false, givesMany: true)
    let root = try path.end(node: request.root, statement: statement)
    try JoinedNodeCheck(tree: TreeBuilder(scratch)).check(below: request.root, in: root, name: "")
  }

  private func check(below node: RequestNode, in record: StatementRecord, name: String) throws {
    for child in node.children where !child.isIncluded || child.hasJoinedNodes {
      let path = name.isEmpty ? child.key : "\(name).\(child.key)"
      let statement = StatementBuilder(
        context.dialect, level: record.statement.level + 1, runsOften: true, givesMany: true)
      let opened = try tree.open(child, below: record, in: statement)
      if !child.isIncluded { try check(child, in: opened, name: path) }
      try check(below: child, in: opened, name: path)
    }
  }

  private func check(_ node: RequestNode, in record: StatementRecord, name: String) throws {
    try tree.check(node, name: name, isToMany: node.association?.cardinality == .toMany)
    _ = try context.conditions.conditions(of: record)
    try ContentBuilder(tree, number: 0).check(node, in: record)
    if node.isGrouped {
      for having in node.havings {
        _ = try context.expressions.condition(having, in: record, isOfGroup: true)
      }
      _ = try context.groups.terms(of: node, in: record)
    }
    // The orders of to-one nodes below are checked with those nodes.
    for sort in node.sort ?? [] { _ = try context.orders.term(sort, in: record, isOfGroup: node.isGrouped) }
  }
}

extension RequestNode {
  /// Whether a node below it is joined but not included.
  fileprivate var hasJoinedNodes: Bool { children.contains { !$0.isIncluded || $0.hasJoinedNodes } }
}
