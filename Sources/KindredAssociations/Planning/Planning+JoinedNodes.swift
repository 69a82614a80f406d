import KindredSQLSyntax

/// Joined nodes: what a request says of them is checked also where it is part of no statement.
extension Planning {
  /// - Throws: `RequestError`
  func checkJoinedNodes() throws {
    guard request.root.hasJoinedNodes else { return }
    // By statements of its own, none of which runs.
    let scratch = Planning(
      model: model, request: request, dialect, budget, diagnostics: diagnostics)
    let records = try scratch.planPath()
    let statement = StatementBuilder(
      dialect, level: scratch.plan.path.count, runsOften: false, givesMany: true)
    let root = try scratch.open(records, node: request.root, statement: statement).asRoot
    try scratch.checkJoinedNodes(below: request.root, in: root, name: "")
  }

  private func checkJoinedNodes(below node: RequestNode, in scope: Scope, name: String) throws {
    for child in node.children where !child.isIncluded || child.hasJoinedNodes {
      let path = name.isEmpty ? child.key : "\(name).\(child.key)"
      let statement = StatementBuilder(
        dialect, level: scope.statement.level + 1, runsOften: true, givesMany: true)
      let record = try open(child, below: scope, in: statement)
      if !child.isIncluded { try check(child, in: record, name: path) }
      try checkJoinedNodes(below: child, in: record, name: path)
    }
  }

  private func check(_ node: RequestNode, in scope: Scope, name: String) throws {
    try checkShape(of: node, name: name, isToMany: node.association?.cardinality == .toMany)
    scope.isGrouped = node.isGrouped
    _ = try conditions(of: scope)
    scope.allowsGroupAggregates = scope.isGrouped
    if let values = node.values { _ = try compile(values, in: scope) }
    try checkObject(of: node, in: scope)
    if scope.isGrouped {
      for having in node.havings { _ = try condition(having, in: scope) }
    }
    if scope.isGrouped { _ = try groupTerms(of: node, in: scope) }
    // Not the orders of to-one nodes below: those are checked by themselves, or are lists with an order of their own.
    for sort in node.sort ?? [] { _ = try term(sort, in: scope) }
  }
}

extension RequestNode {
  /// Whether a node below is joined and not included.
  fileprivate var hasJoinedNodes: Bool { children.contains { !$0.isIncluded || $0.hasJoinedNodes } }
}
