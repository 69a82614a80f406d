import KindredModel
import KindredPlanning
import KindredSQLSyntax

/// Finds records by a transient table instead of an index that their table lacks.
///
///     FROM temp."kindred:review(bookId)" AS "index" CROSS JOIN review ON review.rowid = "index".p0
///
/// A nested statement, or a subquery, would otherwise scan the table each time that it runs.
struct TransientIndex {
  private let record: StatementRecord
  private let columns: [String]
  private let keys: [TransientTable.Key]
  private let transient: TransientTable

  /// Returns nil if a scan costs less, or the rows are those of the request alone.
  init?(for search: UnindexedSearch, in model: Model) {
    guard search.isRepeated || search.convertsBoundValues, search.record.table.kind != .ofRequest,
      search.record.table.query == nil
    else {
      return nil
    }
    (record, columns) = (search.record, search.columns)
    let table = search.record.table
    keys = search.columns.enumerated().map { number, name in
      TransientTable.Key(
        table.column(named: name) ?? Column(name: name), of: table,
        comparison: search.comparisons.indices.contains(number) ? search.comparisons[number] : nil)
    }
    let definitions =
      if case .commonTableExpression = table.kind {
        model.commonTableExpressions([table.name])
      } else {
        SQL()
      }
    transient = TransientTable(
      of: table, by: keys, from: search.parents, commonTableExpressions: definitions)
  }

  /// Returns a source of the same records: the index and the table that it points into, or a copy of a table without a
  /// key.
  func source(insteadOf source: TableSource) -> TableSource {
    var source = source
    source.isConverted = true
    let pointers = record.table.pointerColumns
    guard !pointers.isEmpty else {
      source.items[0].table = source.items[0].table.copied(to: transient, as: record.alias)
      source.keys = zip(keys, source.keys).enumerated().map { number, key in
        key.0.isConverted ? .column(record.id, TransientTable.keyName(number)) : key.1
      }
      return source
    }
    let index = RecordID(alias: record.select.alias(for: "index"), depth: record.select.depth)
    let pointing: [SQL] = pointers.enumerated().map { number, column in
      "\(record.table.keyColumn(column, of: record.id)) = \(SQL.column(index, "p\(number)"))"
    }
    source.items.insert((table: TableReference(indexIn: transient, as: index.alias), condition: nil), at: 0)
    source.items[1].condition = pointing.joined(separator: " AND ")
    source.keys = columns.indices.map { .column(index, "k\($0)") }
    return source
  }
}
