import KindredModel
import KindredSQLSyntax
import OrderedCollections

/// Compiles `GROUP BY` and `HAVING`.
struct GroupCompiler {
  let context: PlanningContext

  /// The grouping expressions, and the order of the groups by them.
  struct Terms {
    var keys: [SQL] = []
    var order: [ExposedTerm] = []
  }

  /// Returns the grouping expressions without constants, which make no groups and databases don't take there: some read
  /// them as the number of a column.
  func terms(of group: ResolvedGroup, in record: StatementRecord) throws -> Terms {
    var terms = Terms()
    for expression in group.expressions {
      let (compiled, exposure) = try context.state.exposing {
        try context.expressions.compile(expression, in: record)
      }
      guard !compiled.isConstant else { continue }
      terms.keys.append(compiled.sql(within: .collate))
      terms.order.append(ExposedTerm(OrderTerm(context.dialect.sortable(compiled)), exposure))
    }
    // Without records there is no group either, unlike without `GROUP BY`.
    if !group.expressions.isEmpty, terms.keys.isEmpty { terms.keys = ["TRUE IS TRUE"] }
    return terms
  }

  /// Returns the columns that expressions outside aggregates read, besides the grouping ones and those that the database
  /// knows to have one value in each group.
  func determined(of group: ResolvedGroup, in record: StatementRecord) throws -> [SQL] {
    let columns = try group.determined.map { path in
      let expression = ResolvedExpression(meaning: .path(path), source: Expression(.null, at: Origin()))
      return try context.expressions.compile(expression, in: record).sql
    }
    return OrderedSet(columns).elements
  }

  /// Returns the conditions of the groups.
  func havings(of group: ResolvedGroup, in record: StatementRecord) throws -> [SQL] {
    try group.havings.map { having in
      let (condition, exposure) = try context.state.exposing {
        try context.expressions.condition(having, in: record)
      }
      return exposure.mayDisclose ? condition.behind(guards(of: group)) : condition
    }
  }

  /// Returns the conditions that guard those conditions on groups that could disclose a record.
  ///
  /// Databases evaluate a condition without an aggregate before they group the records, and so together with the rules
  /// of these, but one with an aggregate only for the groups of visible records. The single group of all records may be
  /// empty, but its conditions read only aggregates.
  func guards(of group: ResolvedGroup) -> [SQL] {
    context.restrictsRows && !group.expressions.isEmpty ? ["count(*) > 0"] : []
  }
}
