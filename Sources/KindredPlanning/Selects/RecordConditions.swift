import KindredModel
import KindredSQLSyntax

/// Compiles the conditions of records: filters, searches, and required associations.
struct RecordConditions {
  let context: PlanningContext

  private var state: PlanningState { context.state }

  /// Returns the conditions of the request on a record.
  ///
  /// - Parameter joinedSearch: The number of the search that is already in the statement's `FROM` clause.
  func conditions(of record: StatementRecord, joinedSearch: Int? = nil) throws -> [SQL] {
    guard let node = record.node else { return [] }
    var inside = context
    inside.filtered = try context.filtered.adding(node)
    return try RecordConditions(context: inside).conditions(of: node, in: record, joinedSearch: joinedSearch)
  }

  private func conditions(of node: RequestNode, in record: StatementRecord, joinedSearch: Int?) throws
    -> [SQL]
  {
    var conditions = try node.equalities.map { column in
      try context.rules.guarding(in: record) { try equality(column, in: record) }
    }
    conditions += try filters(of: node).map { try context.rules.guarded($0, in: record) }
    // The conditions of groups don't apply to records.
    if !node.isGrouped { conditions += try node.havings.map { try context.rules.guarded($0, in: record) } }
    for (number, search) in node.searches.enumerated() where number != joinedSearch {
      let match = try noting(state.diagnostics) { try context.searches.match(search, in: record) }
      conditions.append(match ?? "TRUE")
    }
    for child in node.children where child.isRequired {
      if record.canJoin, record.isAlwaysPresent, child.association?.cardinality == .toOne,
        child.recursion == nil
      {
        // An inner join is the condition.
        _ = try context.toOne.join(child, to: record)
      } else {
        conditions.append(try exists(child, of: record))
      }
    }
    return conditions
  }

  /// Returns the filters of a node; where one of several conditions can determine the shard, each of these.
  private func filters(of node: RequestNode) -> [Expression] {
    guard context.dialect.isSharded else { return node.filters }
    return node.filters.flatMap { filter in
      if case .all(let operands) = filter.kind { operands } else { [filter] }
    }
  }

  /// Returns the condition that a column has one of its candidate values.
  ///
  /// - Parameter isKey: Whether the record is identified by it.
  func equality(
    _ column: RequestPath.KeyColumn, in record: StatementRecord, isKey: Bool = false
  ) throws -> SQL {
    if record.resource.column(withName: column.name)?.isComputed ?? false {
      return try computedEquality(column, in: record)
    }
    let (sql, type) = context.dialect.equatable(
      isKey
        ? record.table.keyColumn(column.name, of: record.id)
        : record.column(column.name, in: record.statement),
      record.table.column(named: column.name).flatMap { context.dialect.type(of: $0) })
    let values = column.literals.map { context.dialect.parameter(.parameter($0), as: type) }
    guard values.count == 1 else {
      return "\(sql) IN (\(values.map(\.asItem).joined(separator: ", ")))"
    }
    return record.table.isCompound
      ? context.dialect.isEqual(sql, values[0]) : "\(sql) = \(values[0])"
  }

  /// Returns the same for a computed column, whose expression determines the comparison.
  private func computedEquality(
    _ column: RequestPath.KeyColumn, in record: StatementRecord
  ) throws -> SQL {
    let value = try context.expressions.compile(Expression(names: [column.name]), in: record)
    let literals = column.literals.map { context.dialect.literal(.parameter($0), state.literals[$0]) }
    do {
      return try context.dialect.isAmong(value, literals, negated: false).sql(within: .and)
    } catch let mismatch as TypeMismatch {
      throw RequestError(.invalidValue, mismatch.message, at: Origin(parameter: column.name))
    }
  }

  /// Returns the condition that an associated record exists that meets its own conditions.
  private func exists(_ child: RequestNode, of record: StatementRecord) throws -> SQL {
    guard child.association != nil else { return "TRUE" }
    return try record.statement.subquery { select in
      let records = try context.chains.chain(
        record.names.destination(of: child, countsWays: true), from: record, into: select,
        isRepeated: record.statement.repeatsInner)
      select.add(try conditions(of: records))
      return "EXISTS (SELECT 1 \(select.from))"
    }
  }
}
