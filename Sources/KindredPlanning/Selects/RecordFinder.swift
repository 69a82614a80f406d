import KindredModel
import KindredSQLSyntax

/// A way to find all records that a condition can hold for, which an index serves unlike the condition.
struct FindingNote: SQLNote {
  /// The record that is found.
  let record: RecordID
  /// The condition on it: `key IN (SELECT …)`.
  let condition: SQL
  /// The rows that are read to find the records: `SELECT 1 FROM …`.
  let ways: SQL
  /// Where it is the case that no other records meet the condition; nil if always.
  let premise: SQL?
}

/// Turns conditions on what is associated with records around, so that they find the records.
///
///     issue.projectId IN (SELECT project.id FROM project WHERE project.organisationId = ?)
///     customer.id IN (SELECT orders.customerId FROM orders WHERE orders.status = ?)
///
/// for `project.organisationId = ?`, which otherwise is computed for each issue, and `orders.filter(status = ?).count > 0`.
struct RecordFinder: PlanningPart {
  let context: PlanningContext

  /// Returns the condition with a note that says how its records are found, if these are those of the root, and nothing else
  /// finds them.
  func noting(_ condition: SQL, for expression: ResolvedExpression, in record: StatementRecord) throws -> SQL
  {
    guard canFind(record), let found = try finding(expression, in: record) else { return condition }
    return condition.noted(found)
  }

  /// Returns the condition that a required association leads to a record, likewise.
  func noting(_ condition: SQL, for association: ResolvedAssociation, in record: StatementRecord) throws
    -> SQL
  {
    guard canFind(record),
      let ways = try ways(association, of: record, by: [], { try filters(of: $0) })
    else { return condition }
    return condition.noted(finding(record, ways, premise: nil))
  }

  private func canFind(_ record: StatementRecord) -> Bool {
    guard dialect.ignoresLimits, record.statement.isOfRoot, record.select.isStatement,
      case .table = record.table.kind, !context.restrictsRows
    else { return false }
    // A rule is compiled before its table is added.
    return record.select.isEmpty || record.select.source.plainRecord == record.id
  }

  private func filters(of record: StatementRecord) throws -> [SQL] {
    try context.conditions.conditions(of: record)
  }

  // MARK: Conditions

  private func finding(_ expression: ResolvedExpression, in record: StatementRecord) throws -> FindingNote? {
    if case .all(let operands) = expression.meaning {
      for operand in operands {
        if let found = try finding(operand, in: record) { return found }
      }
      return nil
    }
    if case .binary(let op, let left, let right) = expression.meaning, op == .greater || op == .greaterOrEqual
    {
      return try more(op, left, right, in: record)
    }
    if let aggregate = expression.negatedEmptiness {
      return try ways(aggregate, of: record).map { finding(record, $0, premise: nil) }
    }
    guard let test = PathTest(expression), case .joined(let association, let rest) = test.path,
      let found = try membership(association, in: record, { try condition(test, at: rest, in: $0) })
    else { return nil }
    return FindingNote(record: record.id, condition: found.condition, ways: found.ways, premise: nil)
  }

  /// Returns how records are found that have more associated records than a number.
  private func more(
    _ op: Expression.BinaryOperator, _ left: ResolvedExpression, _ right: ResolvedExpression,
    in record: StatementRecord
  ) throws -> FindingNote? {
    guard case .path(.aggregate(let aggregate)) = left.meaning, aggregate.function == .count,
      aggregate.arguments.isEmpty, let ways = try ways(aggregate, of: record)
    else { return nil }
    if case .value(.integer(let value)) = right.meaning {
      return value > 0 || value == 0 && op == .greater ? finding(record, ways, premise: nil) : nil
    }
    guard case .literal(let number) = right.meaning, case .integer = state.literals[number] else {
      return nil
    }
    // Other requests share the plan with other numbers.
    let literal = dialect.integer(.parameter(number))
    return finding(record, ways, premise: "\(literal) \(op == .greater ? ">=" : ">" as SQL) 0")
  }

  // MARK: Paths

  /// Returns the condition on a record on the way of a path; nil if no index finds what is at its end.
  private func condition(_ test: PathTest, at rest: ResolvedPath, in record: StatementRecord) throws -> SQL? {
    switch rest {
    case .column(let column) where record.table.isIndexed([column.name]):
      return try context.expressions.condition(test.of(rest), in: record)
    case .joined(let association, let rest):
      return try membership(association, in: record) { try condition(test, at: rest, in: $0) }?.condition
    case .aggregate(let aggregate) where test.isNegated && aggregate.function == .isEmpty:
      return try ways(aggregate, of: record)?.condition
    default: return nil
    }
  }

  /// Returns the condition that a foreign key refers to a record that meets another one, and the rows of both.
  private func membership(
    _ association: ResolvedAssociation, in record: StatementRecord,
    _ condition: (StatementRecord) throws -> SQL?
  ) throws -> (condition: SQL, ways: SQL)? {
    guard association.association.steps.count == 1, let step = association.association.steps.first,
      step.direction == .belongsTo, step.originColumns.count == 1, model.isPlain(step),
      association.conditions == nil, let column = step.originColumns.first,
      let key = step.destinationColumns.first, record.table.isIndexed([column])
    else { return nil }
    return try record.statement.subquery { select in
      let table = try model.table(named: step.destination).table
      guard case .table = table.kind else { return nil }
      let inner = StatementRecord(
        association.names, table: table, alias: select.alias(for: table), select: select, parent: nil,
        canJoin: false)
      select.begin(with: try context.sources.reference(to: inner))
      guard let condition = try condition(inner) else { return nil }
      let (referring, referred) = (SQL.column(record.id, column), SQL.column(inner.id, key))
      let origin: SQL = "\(record.table.rows) AS \(identifier: record.alias)"
      let ways: SQL =
        "SELECT 1 FROM \(select.source.table) \(dialect.orderedJoin) \(origin) ON \(referring) = \(referred)"
      select.add(condition)
      let conditions = select.source.conditions.joined(separator: " AND ")
      return ("\(referring) IN (SELECT \(referred) \(select.from))", "\(ways) WHERE \(conditions)")
    }
  }

  // MARK: Associated records

  private func finding(
    _ record: StatementRecord, _ ways: (condition: SQL, ways: SQL), premise: SQL?
  ) -> FindingNote {
    FindingNote(record: record.id, condition: ways.condition, ways: ways.ways, premise: premise)
  }

  private func ways(
    _ aggregate: ResolvedAggregate, of record: StatementRecord
  ) throws -> (condition: SQL, ways: SQL)? {
    try ways(aggregate.association, of: record, by: aggregate.filters) { associated in
      try filters(of: associated) + aggregate.filters.map { try context.rules.guarded($0, in: associated) }
    }
  }

  /// Returns the condition that records refer to one, and the rows of these; nil unless a single column refers to it, and an
  /// index finds them by their conditions, which read nothing else.
  ///
  /// - Parameter filters: Those of the conditions that aren't their node's.
  private func ways(
    _ association: ResolvedAssociation, of record: StatementRecord, by filters: [ResolvedExpression],
    _ conditions: (StatementRecord) throws -> [SQL]
  ) throws -> (condition: SQL, ways: SQL)? {
    guard association.association.steps.count == 1, let step = association.association.steps.first,
      step.direction == .has, step.originColumns.count == 1, model.isPlain(step), step.filter == nil,
      association.association.filter == nil, association.association.cardinality == .toMany,
      let column = step.originColumns.first, let key = step.destinationColumns.first
    else { return nil }
    return try record.statement.subquery { select in
      let table = try model.table(named: step.destination).table
      let all = filters + (association.conditions?.filters ?? [])
      guard case .table = table.kind, table.query == nil, all.contains(where: { canFind($0, in: table) })
      else { return nil }
      let associated = StatementRecord(
        association.names, table: table, alias: select.alias(for: table), select: select, parent: record,
        conditions: association.conditions)
      select.begin(with: try context.sources.reference(to: associated))
      select.add(try conditions(associated))
      let from = select.from
      guard !from.reads(where: { $0.depth < select.depth }) else { return nil }
      return (
        "\(SQL.column(record.id, column)) IN (SELECT \(SQL.column(associated.id, key)) \(from))",
        "SELECT 1 \(from)"
      )
    }
  }

  /// Returns whether an index finds the records of a table that meet a condition.
  private func canFind(_ expression: ResolvedExpression, in table: Table) -> Bool {
    if case .all(let operands) = expression.meaning { return operands.contains { canFind($0, in: table) } }
    guard let test = PathTest(expression), !test.isNegated else { return false }
    return canFind(test.path, in: table)
  }

  private func canFind(_ path: ResolvedPath, in table: Table) -> Bool {
    switch path {
    case .column(let column): return table.isIndexed([column.name])
    case .joined(let association, let rest):
      guard let step = association.association.steps.first, association.association.steps.count == 1,
        step.direction == .belongsTo, table.isIndexed(step.originColumns),
        let destination = model.tables[step.destination]
      else { return false }
      return canFind(rest, in: destination)
    default: return false
    }
  }
}

extension ResolvedExpression {
  /// The aggregate that it says isn't empty; nil for other expressions.
  fileprivate var negatedEmptiness: ResolvedAggregate? {
    guard case .unary(.not, let value) = meaning, case .path(.aggregate(let aggregate)) = value.meaning,
      aggregate.function == .isEmpty
    else { return nil }
    return aggregate
  }
}
