import KindredSQLSyntax

/// Makes SQL of groups of records: what they are made by, and what must hold for them.
struct GroupCompiler {
  let context: PlanningContext

  /// What the records of a group have in common.
  func terms(of node: RequestNode, in scope: Scope) throws -> [OrderTerm] {
    try node.group.map { expression in
      let (compiled, exposure) = try context.state.exposing {
        try context.expressions.compile(expression, in: scope)
      }
      return OrderTerm(compiled, exposure: exposure)
    }
  }

  /// The conditions of the groups.
  ///
  /// SQLite tests one that has no aggregate before the records are grouped, and so beside their rules. A group of
  /// everything may have no record that a rule could hold for; its conditions read aggregates alone.
  func havings(of node: RequestNode, in scope: Scope) throws -> [SQL] {
    try node.havings.map { having in
      try node.group.isEmpty
        ? context.expressions.condition(having, in: scope, isOfGroup: true)
        : context.rules.guarded(having, in: scope, isOfGroup: true)
    }
  }
}
