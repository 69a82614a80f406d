import KindredModel
import KindredSQLSyntax

/// Aggregates of records that no index finds by the record that they belong to, so that each would take a scan of the table.
extension AggregateCompiler {
  /// Returns the aggregate as a column of all groups, which are made in one pass and joined; nil where it is better computed
  /// for a record.
  ///
  ///     LEFT JOIN (SELECT key, count(*) FROM records GROUP BY key) AS pass ON pass.key = record.id
  func inOnePass(
    _ aggregate: CompiledExpression, of select: SelectBuilder, in record: StatementRecord
  ) -> CompiledExpression? {
    guard var grouped = aggregate.grouped, state.strategy.joinsGroups, select.source.lacksIndex,
      mayJoin(to: record), grouped.origin.reads(where: { $0 == record.id })
    else { return nil }
    let memory = state.memory(of: record)
    let pass = memory.passes[grouped.term] ?? join(grouped, to: record)
    memory.passes[grouped.term] = pass
    let value = SQL.column(pass, GroupedAggregate.valueName)
    (grouped.term, grouped.isJoined) = (
      aggregate.absent.map { SQL.term("coalesce(\(value), \($0.sql))") } ?? value, true
    )
    var compiled = aggregate
    (compiled.sql, compiled.grouped) = (grouped.term, grouped)
    return compiled
  }

  /// Returns whether a table may be joined to a record of many: for a single one, or one that is found by its key, the
  /// groups of all would be in vain, and the rule of what is associated must come before its values.
  private func mayJoin(to record: StatementRecord) -> Bool {
    guard record.canJoin, record.select.isStatement, !record.select.isEmpty, record.constants == nil,
      record.statement.givesMany, !context.restrictsRows, !context.isInRule, !state.isForOneRecord,
      record.node?.recursion == nil, !isGrouped(record), case .table = record.table.kind
    else { return false }
    return !record.table.isUnique(SearchedColumns(of: record).equal)
  }

  /// Returns whether the records of a select are grouped, also those that are joined to its first one.
  private func isGrouped(_ record: StatementRecord) -> Bool {
    guard !record.names.isGrouped else { return true }
    return record.parent.map { $0.select === record.select && isGrouped($0) } ?? false
  }

  private func join(_ grouped: GroupedAggregate, to record: StatementRecord) -> RecordID {
    let pass = RecordID(alias: record.select.alias(for: "kindred:pass"), depth: record.select.depth)
    let key = SQL.column(pass, GroupedAggregate.keyName)
    let groups = grouped.groups(among: keys(of: record, grouped.origin))
    record.select.append(
      join: "LEFT JOIN (\(groups)) AS \(identifier: pass.alias) ON \(key) = \(grouped.origin)", adding: pass)
    return pass
  }

  /// The greatest length of conditions that are written twice.
  private static let maximumLength = 4096

  /// Returns the select of the keys of the records that meet the conditions so far, which may be few; nil if it would read
  /// more than the records.
  private func keys(of record: StatementRecord, _ origin: SQL) -> SQL? {
    let source = record.select.source
    guard record.statement.isOfRoot, source.plainRecord == record.id, source.links.isEmpty,
      !source.conditions.isEmpty,
      source.conditions.reduce(0, { $0 + $1.length }) <= Self.maximumLength,
      !source.conditions.contains(where: { $0.reads { $0.depth == 0 && $0 != record.id } })
    else { return nil }
    return
      "SELECT \(origin) FROM \(source.table) WHERE \(source.conditions.joined(separator: " AND "))"
  }
}

extension ResolvedExpression {
  /// Whether it may have no value for some records.
  func mayFail(in dialect: any SQLDialect) -> Bool {
    let whole = definition
    if case .path(.computed) = whole.meaning { return true }
    return whole.source.exposesOperands(in: dialect) || whole.parts.contains { $0.mayFail(in: dialect) }
  }
}
