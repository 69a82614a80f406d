import KindredSQLSyntax
import OrderedCollections

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

  /// Returns the columns that expressions outside aggregates read, besides the grouping ones and those that the database
  /// knows to have one value in each group.
  func determined(in record: StatementRecord) throws -> [SQL] {
    let columns = try context.state.memory(of: record.names).determined.map { path in
      let expression = ResolvedExpression(meaning: .path(path), source: Expression(.null, at: Origin()))
      return try context.expressions.compile(expression, in: record).sql
    }
    return OrderedSet(columns).elements
  }

  /// Returns the conditions of the groups.
  func havings(of node: RequestNode, in record: StatementRecord) throws -> [SQL] {
    try node.havings.map { having in
      let (condition, exposure) = try context.state.exposing {
        try context.expressions.condition(having, in: record, isOfGroup: true)
      }
      return exposure.tells ? condition.behind(guards(of: node)) : condition
    }
  }

  /// Returns the conditions that guard those conditions on groups that could disclose a record.
  ///
  /// Databases evaluate a condition without an aggregate before they group the records, and so together with the rules
  /// of these, but one with an aggregate only for the groups of visible records. The single group of all records may be
  /// empty, but its conditions read only aggregates.
  func guards(of node: RequestNode) -> [SQL] {
    context.restrictsRows && !node.group.isEmpty ? ["count(*) > 0"] : []
  }
}
