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
    /// The collations of keys by which different texts may be equal.
    var collations: [SQL: String] = [:]
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
      if let collation = context.dialect.differingCollation(compiled) {
        terms.collations[compiled.sql] = collation
      }
      terms.order.append(ExposedTerm(OrderTerm(context.dialect.sortable(compiled)), exposure))
    }
    // Without records there is no group either, unlike without `GROUP BY`.
    if !group.expressions.isEmpty, terms.keys.isEmpty { terms.keys = ["TRUE IS TRUE"] }
    return terms
  }

  /// Returns the order in which the rows of groups are read, where what a group shows depends on it; nil for any.
  ///
  /// It is the default order of the records, as far as the client sees what they are ordered by. An aggregate whose last
  /// digits alone depend on the order is content with that of the key.
  ///
  /// - Parameter shown: What the groups show, and their conditions and order.
  func rowOrder(of group: Terms, showing shown: [SQL], in record: StatementRecord) throws -> RowOrder? {
    let notes = shown.flatMap(\.notes).compactMap { $0 as? OrderedRowsNote }
    guard !notes.isEmpty || !group.collations.isEmpty else { return nil }
    let orders = context.orders
    let isDefaultOrder = !group.collations.isEmpty || notes.contains(where: \.isDefaultOrder)
    let terms =
      isDefaultOrder
      ? try orders.order(within: record)
      : orders.keyTerms(of: record).map { $0.term.rendered(as: $0.term.sql, context.dialect) }
    return RowOrder(terms: terms, collations: group.collations)
  }

  /// Returns the columns that expressions outside aggregates read, besides the grouping ones and columns that the
  /// database knows to have one value in each group.
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
    guard context.restrictsRows, !group.expressions.isEmpty else { return [] }
    // Like any aggregate, it may have to be read from a subquery of the groups.
    return ["\(SQL.term(("count(*)" as SQL).noted(GroupAggregateNote()))) > 0"]
  }
}
