import KindredModel
import KindredSQLSyntax

/// Pages whose records are found by their keys, before joined records and aggregates are read for these alone.
///
///     SELECT columns FROM (
///       SELECT key FROM records joins of the conditions and the order
///       WHERE conditions ORDER BY order LIMIT page) AS keys
///     CROSS JOIN records ON key = keys.key joins ORDER BY order
///
/// SQLite computes all columns of a row before it sorts, subqueries and joined records too, for each row that is among the
/// first so far, and for each one before an offset.
extension RecordSelect {
  /// Finds the keys of a page of records first, unless these come in the order of an index from the first one on, or in
  /// that of an aggregate, which would be computed again.
  package mutating func findKeysFirst(in page: Page) {
    let isInOrder = page.offset == nil && !ordersOfFirstTerm.isEmpty
    findsKeysFirst =
      isLimited && group == nil && !isDistinct && !isOfDistinctRows && ranking == nil && !isInOrder
      && source.isPlain(record.id, of: record.table) && mayBeReadTwice
  }

  /// Whether the joins and the order may stand in the statement of the keys and again around it.
  ///
  /// A join that might repeat rows would do so twice, and an order by the clock or by an aggregate isn't the same or cheap
  /// when it is computed again.
  var mayBeReadTwice: Bool {
    source.joins.allSatisfy { $0.addition != nil }
      && order.allSatisfy { $0.sql.notes.isEmpty && !$0.sql.reads { $0.depth > 0 } }
  }

  /// Returns the statement; nil where a single select reads no more.
  ///
  /// - Parameters:
  ///   - shown: The selected columns.
  ///   - page: `LIMIT` and `OFFSET`.
  func keysFirst(_ shown: [SQL], page: SQL) -> SQL? {
    guard findsKeysFirst, ranges == nil, !isUnordered else { return nil }
    let expressions = order.map(\.sql)
    let condition = restriction?.sql(on: expressions, dialect)
    let inner = source.counting(readBy: expressions + (condition.map { [$0] } ?? []))
    let read = Set(inner.joins.compactMap(\.addition))
    let later = source.joins.compactMap(\.addition).filter { !read.contains($0) }
    guard shown.contains(where: { $0.reads { $0.depth > 0 || later.contains($0) } }) else { return nil }
    let (keys, alias): ([SQL], SQL) = (
      record.table.pointers(to: record.id), "\(identifier: "kindred:keys")"
    )
    let names = keys.indices.map { "\(identifier: "kindred:key\($0)")" as SQL }
    let found = Select(
      columns: keys, names: names, from: inner.sql(and: condition), order: terms(expressions), page: page
    ).sql
    var rest = source
    (rest.links, rest.conditions) = ([], [])
    let isFound = zip(keys, names).map { "\($0) = \(alias).\($1)" as SQL }.joined(separator: " AND ")
    rest.table = "(\(found)) AS \(alias) \(dialect.orderedJoin) \(source.table) ON \(isFound)"
    return Select(columns: shown, names: self.names, from: rest.sql(), order: terms(expressions)).sql
  }
}
