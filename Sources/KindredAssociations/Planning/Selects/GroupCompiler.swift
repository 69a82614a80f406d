import KindredSQLSyntax

/// Compiles `GROUP BY` and `HAVING`.
struct GroupCompiler {
  let context: PlanningContext

  /// A grouping expression, and the same as a term of an order.
  struct Term {
    let key: SQL
    let order: OrderTerm
  }

  /// Returns the grouping expressions.
  func terms(of node: RequestNode, in record: StatementRecord) throws -> [Term] {
    try node.group.map { expression in
      let (compiled, exposure) = try context.state.exposing {
        try context.expressions.compile(expression, in: record)
      }
      let key = OrderTerm(compiled, exposure: exposure)
      return Term(key: key.sql, order: OrderTerm(context.dialect.sortable(compiled), exposure: exposure))
    }
  }

  /// Returns the conditions of the groups.
  ///
  /// SQLite evaluates a condition without an aggregate before it groups the records, and so together with their rules.
  /// The single group of all records may be empty, so that no rule holds; its conditions read only aggregates.
  /// PostgreSQL does the same, and refuses rules over ungrouped columns; it evaluates a condition with an aggregate last.
  func havings(of node: RequestNode, in record: StatementRecord) throws -> [SQL] {
    try node.havings.map { having in
      guard !node.group.isEmpty, !context.restrictsRows || context.dialect.hasAffinities else {
        let condition = try context.expressions.condition(having, in: record, isOfGroup: true)
        return node.group.isEmpty ? condition : "CASE WHEN count(*) > 0 THEN \(condition) END"
      }
      return try context.rules.guarded(having, in: record, isOfGroup: true)
    }
  }
}
