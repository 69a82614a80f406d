import KindredModel
import KindredPlanning
import KindredSQLSyntax

/// A select that is merge-joined with the root's instead of running once for each of its rows.
///
///     SELECT … FROM author ORDER BY id
///     SELECT … FROM book INDEXED BY book_on_authorId WHERE authorId >= ? ORDER BY authorId, id
///
/// Where the records come in the order of their rowid, and an index gives the associated ones in the order of what
/// refers to it, both are read side by side, a few rows at a time: that costs no search per record. The second
/// statement begins at the first record, so that it serves a page as well as a whole table.
struct MergeJoin {
  /// The merge-joined select: the rows of all parents, in the order of these.
  let rows: RecordSelect
  /// The columns of the join.
  let columns: Plan.MergeJoin

  /// Returns nil if the select is better run once for each parent.
  ///
  /// - Parameters:
  ///   - node: A node below the root.
  ///   - parent: The root.
  init?(_ node: NodeSelect, below parent: NodeSelect, in model: Model) {
    var rows = node.rows
    let (record, root) = (rows.record, parent.rows)
    let above = root.record
    guard node.collectionOf == RecordAbove(node: 0, id: above.id), root.isInOrderOfRowID(),
      rows.isInOrderOfRowID(linkCount: 1), let association = record.node?.association,
      association.steps.count == 1, let step = association.steps.first, step.originColumns.count == 1,
      model.isPlain(step),
      step.originColumns[0] == above.table.rowIDColumn, let name = step.destinationColumns.first,
      let column = record.table.column(named: name),
      // Otherwise, equal values may be sorted differently from integers.
      column.affinity == .integer || column.affinity == .numeric,
      let index = record.table.orderingIndexes.first(where: { $0.column == column.name }),
      // The root is sorted by it.
      let columnAbove = root.columns.firstIndex(of: .column(above.id, step.originColumns[0]))
    else { return nil }
    // It runs once: only its start may depend on the parent.
    let rest = rows.columns + rows.source.joins.map(\.sql) + rows.order.map(\.sql)
    guard !rest.contains(where: \.readsRowsAbove) else { return nil }

    let key = SQL.column(record.id, column.name)
    let origin = SQL.Binding.ancestor(level: node.level - parent.level, column: columnAbove)
    rows.source.links = ["\(key) >= \(origin)"]
    // With any other index, all records would have to be sorted first.
    rows.source.table.append(" INDEXED BY \(identifier: index.name)")
    rows.order.insert(OrderTerm(sql: key), at: 0)
    columns = Plan.MergeJoin(column: rows.column(key), above: columnAbove)
    self.rows = rows
  }
}

extension RecordSelect {
  /// Returns whether these are all records of a table in the order of its rowid.
  ///
  /// - Parameter linkCount: The number of equalities that link them to a parent.
  fileprivate func isInOrderOfRowID(linkCount: Int = 0) -> Bool {
    let table = record.table
    guard case .table = table.kind, let column = table.rowIDColumn, group == nil, !isDistinct,
      order.count == 1, let term = order.first, !term.isDescending, term.nulls == nil
    else { return false }
    return source.isPlain(record.id, of: table) && source.links.count == linkCount
      && source.conditions.isEmpty && term.sql.column(of: record.id) == column
  }
}
