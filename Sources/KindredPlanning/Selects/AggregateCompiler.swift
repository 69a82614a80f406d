import KindredModel
import KindredSQLSyntax

/// Compiles aggregates of associations: each is a separate subquery, so that none multiplies the rows of another.
struct AggregateCompiler: PlanningPart {
  let context: PlanningContext

  /// Returns an aggregate of the records associated with a record.
  func compile(_ aggregate: ResolvedAggregate, in record: StatementRecord) throws -> CompiledExpression {
    // The cost of a subquery in addition to its expressions.
    try state.budget.charge(8, at: aggregate.origin)
    let function = aggregate.function
    return try record.statement.subquery { select in
      let records = try records(
        of: aggregate.association, from: record, into: select, countsWays: aggregate.countsWays)
      for filter in aggregate.filters { select.add(try context.rules.guarded(filter, in: records)) }
      let values = try aggregate.arguments.map { try context.expressions.compile($0, in: records) }
      if function == .concat {
        return try concatenation(of: values, aggregate, records, select)
      }
      if function == .isEmpty {
        let existence: SQL = "EXISTS (SELECT 1 \(select.from))"
        var isEmpty = CompiledExpression(
          sql: "NOT \(existence)", precedence: .not, format: .boolean, type: dialect.truthType,
          absent: dialect.absence(of: function))
        isEmpty.opposite = existence
        return isEmpty
      }
      let isHidden = !records.resource.hidden.isEmpty
      if let dependence = dialect.dependence(of: function, of: values, onOrder: isHidden) {
        return try orderedAggregate(aggregate, values, records, select, dependence)
      }
      let call = try dialect.aggregate(function, values, isDistinct: false)
      guard values.contains(where: { $0.sql.reads { $0.depth < select.depth } }) else {
        var compiled = subquery(function, call, select.from)
        compiled.grouped = grouped(
          function, call, aggregate.association.association, records, select, in: record, compiled.sql)
        // Groups are also those of records that the request doesn't read, and must not fail by these.
        let parts = aggregate.arguments + aggregate.filters
        guard !parts.contains(where: { $0.mayFail(in: dialect) }) else { return compiled }
        return inOnePass(compiled, of: select, in: record) ?? compiled
      }
      // SQLite hoists an aggregate to the query that owns its columns; the inner SELECT keeps it here.
      let outer = values.map { $0.read(as: "value") }
      let rows: SQL = "SELECT \(values[0].sql) AS value \(select.from)"
      return subquery(
        function, try dialect.aggregate(function, outer, isDistinct: false), "FROM \(dialect.derived(rows))")
    }
  }

  /// Returns the number of associated records, counted up to `most`, so that the cost is bounded.
  func compileCount(
    of association: ResolvedAssociation, most: Int, in record: StatementRecord
  ) throws -> CompiledExpression {
    try record.statement.subquery { select in
      _ = try records(of: association, from: record, into: select)
      let bound = dialect.integer(.value(.integer(Int64(most))))
      let first = dialect.derived("SELECT 1 \(select.from) LIMIT \(bound)")
      return CompiledExpression(
        sql: "(SELECT COUNT(*) FROM \(first))", absent: dialect.absence(of: .count))
    }
  }

  /// Adds the associated records that meet the conditions of their node.
  private func records(
    of association: ResolvedAssociation, from record: StatementRecord, into select: SelectBuilder,
    countsWays: Bool = false
  ) throws -> StatementRecord {
    let records = try context.chains.destination(
      of: association, from: record, into: select, countsWays: countsWays,
      isRepeated: record.statement.repeatsInner)
    select.add(try context.conditions.conditions(of: records))
    return records
  }

  /// Returns the concatenation of values in the order of the association.
  ///
  ///     (SELECT group_concat(value, separator) FROM (SELECT … FROM records ORDER BY order))
  private func concatenation(
    of values: [CompiledExpression], _ aggregate: ResolvedAggregate, _ records: StatementRecord,
    _ select: SelectBuilder
  ) throws -> CompiledExpression {
    let names: [SQL] = ["value", "separator"]
    let columns: [SQL] = zip(values, names).map { "\($0.sql) AS \($1)" }
    let rows = ordered(
      columns, by: try sort(of: aggregate, in: records) + context.orders.keyTerms(of: records), in: select)
    let call = try dialect.aggregate(.concat, zip(values, names).map { $0.read(as: $1) }, isDistinct: false)
    return CompiledExpression(sql: "(SELECT \(call.sql) FROM \(dialect.derived(rows.sql)))", type: call.type)
  }

  /// Returns the terms of the order of an aggregate's records, before those of the key.
  private func sort(of aggregate: ResolvedAggregate, in records: StatementRecord) throws -> [ExposedTerm] {
    try aggregate.sort?.compactMap { try context.orders.term($0, in: records) }
      ?? context.orders.visibleTerms(aggregate.association.association.sort, in: records)
  }

  /// Returns an aggregate whose result depends on the order in which it reads the records.
  ///
  ///     (SELECT MIN(value) FROM (SELECT … AS value FROM records ORDER BY order LIMIT -1))
  ///
  /// Without `LIMIT`, SQLite leaves out the order where it expects no effect.
  private func orderedAggregate(
    _ aggregate: ResolvedAggregate, _ values: [CompiledExpression], _ records: StatementRecord,
    _ select: SelectBuilder, _ dependence: OrderDependence
  ) throws -> CompiledExpression {
    let terms = dependence == .showsOrder ? try sort(of: aggregate, in: records) : []
    var rows = ordered(
      ["\(values[0].sql) AS value"], by: terms + context.orders.keyTerms(of: records), in: select)
    rows.page = " LIMIT -1"
    let call = try dialect.aggregate(
      aggregate.function, values.map { $0.read(as: "value") }, isDistinct: false)
    return subquery(aggregate.function, call, "FROM \(dialect.derived(rows.sql))")
  }

  /// Returns a select of columns of the records in an order.
  private func ordered(_ columns: [SQL], by terms: [ExposedTerm], in select: SelectBuilder) -> Select {
    var columns = columns
    let order = terms.map(\.term).map { term -> SQL in
      guard term.sql.reads(where: { $0.depth < select.depth }) else {
        return term.rendered(as: term.sql, dialect)
      }
      // In `FROM`, SQLite looks up the names of an order in the subquery only, but those of a column also around it.
      columns.append("\(term.sql) AS \(identifier: "o\(columns.count)")")
      return term.rendered(as: .number(columns.count), dialect)
    }
    return Select(columns: columns, from: select.from, order: order)
  }

  /// Returns an aggregate of the rows that `from` finds.
  private func subquery(
    _ function: Expression.AggregateFunction, _ call: CompiledExpression, _ from: SQL
  ) -> CompiledExpression {
    CompiledExpression(
      sql: .term("(SELECT \(call.sql) \(from))"), type: call.type,
      isNullable: dialect.absence(of: function) == nil, absent: dialect.absence(of: function))
  }

  /// Returns an aggregate by grouping; nil unless the records are found by a single column of their table, or of the join
  /// table where groups are joined.
  private func grouped(
    _ function: Expression.AggregateFunction, _ call: CompiledExpression, _ association: Association,
    _ records: StatementRecord, _ select: SelectBuilder, in record: StatementRecord, _ term: SQL
  ) -> GroupedAggregate? {
    let isDirect = association.steps.count == 1 && select.source.joins.isEmpty
    let isByPivot =
      association.steps.count == 2 && state.strategy.joinsGroups && select.source.lacksIndex
    let rows = select.source.conditions + select.source.joins.map(\.sql)
    guard let found = isDirect ? records : isByPivot ? records.via : nil,
      let step = association.steps.first, step.originColumns.count == 1,
      let key = found.table.column(named: step.destinationColumns[0]),
      let origin = record.table.column(named: step.originColumns[0]),
      // Then all values of a group belong to the same records.
      state.model.isPlain(step), dialect.haveSameEquality(key, origin),
      select.source.plainRecord == found.id,
      // Groups are computed independently of any record.
      !rows.contains(where: { $0.reads { $0.depth < select.depth } })
    else {
      return nil
    }
    let (keySQL, originSQL) = (
      found.column(key.name, in: select.statement), record.column(origin.name, in: select.statement)
    )
    let conditions = select.source.conditions
    return GroupedAggregate(
      term: term, group: keySQL, call: call.sql,
      table: ([select.source.table] + select.source.joins.map(\.sql)).joined(separator: " "),
      conditions: conditions,
      origin: originSQL, empty: dialect.absence(of: function)?.sql ?? dialect.null(of: call.type),
      isAbsent: "NOT EXISTS (SELECT 1 \(select.from))",
      counted: function == .count && conditions.isEmpty && isDirect ? association : nil)
  }
}
