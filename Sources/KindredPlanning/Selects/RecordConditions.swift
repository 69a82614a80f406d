import KindredModel
import KindredSQLSyntax

/// Compiles the conditions of records: filters, searches, and required associations.
struct RecordConditions: PlanningPart {
  let context: PlanningContext

  /// Returns the conditions of the request on a record.
  ///
  /// - Parameter joinedSearch: The number of the search that is already in the statement's `FROM` clause.
  func conditions(of record: StatementRecord, joinedSearch: Int? = nil) throws -> [SQL] {
    guard let resolved = record.conditions else { return [] }
    try chargeRepetition(of: resolved, in: record)
    var conditions = try resolved.equalities.compactMap { equality in
      try noting(state.diagnostics) {
        try context.rules.guarding(in: record) { try self.equality(equality, in: record) }
      }
    }
    conditions += try (resolved.filters.flatMap(apart) + resolved.havings).map { written in
      let filter = testingExistence(written, in: record)
      return try context.finder.noting(context.rules.guarded(filter, in: record), for: filter, in: record)
    }
    for (number, search) in resolved.searches.enumerated() where number != joinedSearch {
      try noting(state.diagnostics) { conditions.append(try context.searches.match(search, in: record)) }
    }
    for association in resolved.required {
      if record.canJoin, record.isAlwaysPresent, association.names.node?.isOneRecord ?? false {
        // An inner join is the condition.
        _ = try context.toOne.join(association, to: record)
      } else {
        conditions.append(
          try context.finder.noting(exists(association, of: record), for: association, in: record))
      }
    }
    return conditions
  }

  /// Returns the condition with tests of existence in place of comparisons with no and one record, unless the order may be
  /// that of the same numbers, which are then known.
  private func testingExistence(
    _ condition: ResolvedExpression, in record: StatementRecord
  ) -> ResolvedExpression {
    guard state.strategy.findsByExistence, record.isSortedByColumns else { return condition }
    var read = false
    let tested = condition.testingExistence { number in
      read = true
      return state.literals[number]
    }
    guard let tested else { return condition }
    if read { state.readsLiterals = true }
    return tested
  }

  /// Charges conditions that have been compiled before, in another statement or subquery.
  private func chargeRepetition(of conditions: ResolvedConditions, in record: StatementRecord) throws {
    guard !state.memory(of: record.names).compiled.insert(.conditions).inserted else { return }
    try state.budget.charge(conditions.cost, at: record.node?.origin ?? Origin())
  }

  /// Returns a filter; where one of several conditions can determine the shard, each of these.
  private func apart(_ filter: ResolvedExpression) -> [ResolvedExpression] {
    guard context.dialect.isSharded, case .all(let operands) = filter.meaning else { return [filter] }
    return operands
  }

  /// Returns the condition that a column has one of its candidate values.
  ///
  /// - Parameter isKey: Whether the record is identified by it.
  func equality(
    _ equality: ResolvedEquality, in record: StatementRecord, isKey: Bool = false
  ) throws -> SQL {
    let column = equality.column
    if let computed = equality.computed { return try self.equality(column, as: computed, in: record) }
    if context.restrictsRows, record.table.column(named: column.name)?.isStored == false {
      context.state.exposure.mayDisclose = true
    }
    let (sql, type) = context.dialect.equatable(
      isKey
        ? record.table.keyColumn(column.name, of: record.id)
        : compared(column.name, in: record),
      record.table.column(named: column.name).flatMap { context.dialect.type(of: $0) })
    let values = column.literals.map { context.dialect.parameter(.parameter($0), as: type) }
    guard values.count == 1 else {
      return "\(sql) IN (\(values.map(\.asItem).joined(separator: ", ")))"
    }
    return record.table.isCompound
      ? context.dialect.isEqual(sql, values[0]) : "\(sql) = \(values[0])"
  }

  private func compared(_ name: String, in record: StatementRecord) -> SQL {
    let sql = record.column(name, in: record.statement)
    return record.table.column(named: name).map { context.dialect.compared(sql, of: $0) } ?? sql
  }

  /// Returns the same for a computed column, whose expression determines the comparison.
  private func equality(
    _ column: RequestPath.KeyColumn, as computed: ResolvedExpression, in record: StatementRecord
  ) throws -> SQL {
    let value = try context.expressions.compile(computed, in: record)
    let literals = column.literals.map { context.dialect.literal(.parameter($0), state.literals[$0]) }
    do {
      return try context.dialect.isAmong(value, literals, negated: false).sql(within: .and)
    } catch let mismatch as TypeMismatch {
      throw RequestError(.invalidValue, mismatch.message, at: Origin(parameter: column.name))
    }
  }

  /// Returns the condition that an association leads to a record that meets its own conditions.
  private func exists(_ association: ResolvedAssociation, of record: StatementRecord) throws -> SQL {
    try record.statement.subquery { select in
      let records = try context.chains.chain(
        association, from: record, into: select, isRepeated: record.statement.repeatsInner)
      select.add(try conditions(of: records))
      return "EXISTS (SELECT 1 \(select.from))"
    }
  }
}

extension StatementRecord {
  /// Whether the request sorts the records by nothing but columns.
  fileprivate var isSortedByColumns: Bool {
    (node?.sort ?? []).allSatisfy { term in
      guard case .path(let path) = term.expression.kind, path.components.count == 1 else { return false }
      return table.column(named: path.components[0].name) != nil
    }
  }
}
