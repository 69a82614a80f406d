import KindredModel
import KindredSQLSyntax

/// Reads pages of records that are filtered and sorted by one aggregate, such as the authors with most books among
/// those with five or more: the associated records are grouped once, and only the page's records are looked up.
///
///     SELECT columns FROM (
///       SELECT keys, rank, columns of the order FROM
///         (groups) CROSS JOIN records ON group = record joins WHERE conditions on the rank
///       UNION ALL
///       SELECT … FROM records joins WHERE conditions on the rank of none AND NOT EXISTS (associated records)
///       ORDER BY order LIMIT page)
///     CROSS JOIN records ON keys joins ORDER BY order
///
/// Records without associated ones cost nothing if the conditions can't hold for them, since conditions that read no
/// table are evaluated before one is read.
package struct GroupedRanking {
  private static let ranked: SQL = "\(identifier: "kindred:ranked")"

  /// The first term of the order, which is the aggregate.
  private let rank: SQL
  private let aggregate: GroupedAggregate

  /// Returns nil if another way of reading the rows is better.
  package init?(of rows: RecordSelect) {
    let record = rows.record
    guard rows.group == nil, !rows.isDistinct, rows.isLimited,
      rows.source.isPlain(record.id, of: record.table), let rank = rows.order.first,
      let aggregate = rank.grouped, aggregate.term == rank.sql,
      aggregate.origin.column(of: record.id) != nil, !rows.source.conditions.isEmpty,
      // One record's are few, and the groups would be those of all.
      rows.source.links.isEmpty,
      // A join that might repeat rows would do so twice.
      rows.source.joins.allSatisfy({ $0.addition != nil })
    else { return nil }
    (self.rank, self.aggregate) = (rank.sql, aggregate)
  }

  /// Returns the statement; nil if another way of reading the records is better.
  ///
  /// - Parameters:
  ///   - columns: The selected columns.
  ///   - page: `LIMIT` and `OFFSET`.
  ///   - after: The condition that starts the page.
  func sql(_ rows: RecordSelect, _ columns: [SQL], page: SQL, after: SQL?) -> SQL? {
    let record = rows.record
    let conditions = rows.source.conditions + (after.map { [$0] } ?? [])
    let rest = rows.order.dropFirst().map(\.sql)
    guard conditions.allSatisfy({ $0.contains(term: rank) }),
      rest.allSatisfy({ $0.column(of: record.id) != nil })
    else { return nil }

    let keys = record.table.pointerColumns.map { record.table.keyColumn($0, of: record.id) }
    let keyNames = keys.indices.map { "\(identifier: "kindred:key\($0)")" as SQL }
    let orderNames = rest.indices.map { "\(identifier: "kindred:order\($0)")" as SQL }
    // Conditions may read joined records; SQLite omits unused joins.
    let joins = rows.source.joins.map { " \($0.sql)" as SQL }.joined(separator: "")
    func part(value: SQL, from source: SQL, and condition: SQL?) -> SQL {
      let shown = zip(keys + rest, keyNames + orderNames).map { "\($0) AS \($1)" as SQL }
      let all = conditions.map { $0.replacing(term: rank, with: value) } + (condition.map { [$0] } ?? [])
      return
        "SELECT \(shown.joined(separator: ", ")), \(value) AS \(GroupedAggregate.value) FROM \(source)\(joins) WHERE \(all.joined(separator: " AND "))"
    }
    let records = rows.source.table
    let join = rows.dialect.orderedJoin
    let groups: SQL = "\(identifier: "kindred:groups")"
    let parts: [SQL] = [
      part(
        value: "\(groups).\(GroupedAggregate.value)",
        from:
          "(\(aggregate.groups)) AS \(groups) \(join) \(records) ON \(groups).\(GroupedAggregate.key) = \(aggregate.origin)",
        and: nil),
      part(value: aggregate.empty, from: records, and: aggregate.isAbsent),
    ]
    let innerOrder = rows.terms([GroupedAggregate.value] + orderNames).joined(separator: ", ")
    let value: SQL = "\(Self.ranked).\(GroupedAggregate.value)"
    let found = zip(keys, keyNames).map { "\($0) = \(Self.ranked).\($1)" as SQL }.joined(separator: " AND ")
    let ranked: SQL = "\(parts.joined(separator: " UNION ALL ")) ORDER BY \(innerOrder)\(page)"
    return Select(
      columns: columns.map { $0.replacing(term: rank, with: value) }, names: rows.names,
      from: "FROM (\(ranked)) AS \(Self.ranked) \(join) \(records) ON \(found)\(joins)",
      order: rows.terms([value] + rest)
    ).sql
  }
}
