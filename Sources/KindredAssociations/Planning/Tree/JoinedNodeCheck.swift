import KindredSQLSyntax

/// Checks what a request says of joined nodes also where it is part of no statement.
struct JoinedNodeCheck {
  private let tree: TreeBuilder
  private var context: PlanningContext { tree.context }

  /// - Throws: `RequestError`
  static func check(_ request: FetchRequest, _ context: PlanningContext) throws {
    guard request.root.hasJoinedNodes else { return }
    // By selects of its own, none of which runs.
    let scratch = PlanningContext(state: context.state.scratch())
    let path = try RecordPath(request.path, scratch)
    let statement = StatementBuilder(
      scratch.dialect, level: path.level, runsOften: false, givesMany: true)
    let root = try path.end(node: request.root, statement: statement)
    try JoinedNodeCheck(tree: TreeBuilder(scratch)).check(below: request.root, in: root, name: "")
  }

  private func check(below node: RequestNode, in scope: Scope, name: String) throws {
    for child in node.children where !child.isIncluded || child.hasJoinedNodes {
      let path = name.isEmpty ? child.key : "\(name).\(child.key)"
      let statement = StatementBuilder(
        context.dialect, level: scope.statement.level + 1, runsOften: true, givesMany: true)
      let record = try tree.open(child, below: scope, in: statement)
      if !child.isIncluded { try check(child, in: record, name: path) }
      try check(below: child, in: record, name: path)
    }
  }

  private func check(_ node: RequestNode, in scope: Scope, name: String) throws {
    try tree.check(node, name: name, isToMany: node.association?.cardinality == .toMany)
    _ = try context.conditions.conditions(of: scope)
    try RecordShapes(tree: tree).check(node, in: scope)
    if node.isGrouped {
      for having in node.havings {
        _ = try context.expressions.condition(having, in: scope, isOfGroup: true)
      }
      _ = try context.groups.terms(of: node, in: scope)
    }
    // Not the orders of to-one nodes below: those are checked by themselves, or are lists with an order of their own.
    for sort in node.sort ?? [] { _ = try context.orders.term(sort, in: scope, isOfGroup: node.isGrouped) }
  }
}

extension RequestNode {
  /// Whether a node below is joined and not included.
  fileprivate var hasJoinedNodes: Bool { children.contains { !$0.isIncluded || $0.hasJoinedNodes } }
}
