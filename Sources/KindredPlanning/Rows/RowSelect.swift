import KindredModel
import KindredSQLSyntax

/// The select of rows, to whose statement columns may still be added.
///
///     WITH commonTables
///     SELECT [DISTINCT] columns
///     FROM root joins WHERE conditions
///     GROUP BY group HAVING havings
///     ORDER BY order LIMIT limit OFFSET offset
struct RowSelectDraft {
  let node: RequestNode
  let root: RowJoin
  let commonTables: [SQL]
  let group: [SQL]
  let havings: [SQL]
  let order: [OrderTerm]

  /// The rows as a value, with the columns added so far.
  var finished: RecordSelect {
    let record = root.record
    return RecordSelect(
      dialect: record.statement.dialect, record: SelectedRecord(record), shape: .object([]),
      columns: record.statement.columns, counts: [:], collations: [:],
      source: record.select.source, order: order,
      group: group.isEmpty && havings.isEmpty ? nil : group, havings: havings, isDistinct: false,
      isOfDistinctRows: node.isDistinct, isLimited: node.rows.limit != nil,
      definitionsRead: record.statement.definitionsRead, colocations: record.statement.colocations,
      commonTables: commonTables)
  }

  /// The page of the request.
  var page: Page {
    let dialect = root.record.statement.dialect
    return Page(limit: node.rows.limit.map(dialect.integer), offset: node.rows.offset.map(dialect.integer))
  }

  /// Returns the rows as a subquery with these columns.
  func subquery(_ columns: [SQL]) -> SQL {
    let rows = finished
    return rows.withClause + rows.sql(columns, page: page.sql(root.record.statement.dialect))
  }
}

extension RecordSelect {
  /// The definitions of the request's own common table expressions.
  var withClause: SQL { commonTables.isEmpty ? SQL() : "WITH \(commonTables.joined(separator: ", ")) " }
}

extension NodeSelect {
  /// The statement that counts rows that are no records.
  var rowCount: SQL {
    // An expression may be an aggregate, which reduces all rows to one.
    let isPlain =
      rows.group == nil && !rows.isOfDistinctRows && rows.record.node?.selectsNoAggregate == true
    return isPlain && page.isWhole
      ? rows.count : "SELECT COUNT(*) FROM (\(rows.sql(page: page.sql(rows.dialect))))"
  }
}

/// A record in a select of rows, and those joined to it.
struct RowJoin {
  let record: StatementRecord
  /// The step that leads to it; nil for the first record.
  let step: AssociationStep?
  let children: [RowJoin]

  /// The record and those joined to it.
  var records: Set<RecordID> { children.reduce([record.id]) { $0.union($1.records) } }
}

extension RequestNode {
  /// The aliases that the request gives, here and to the records joined to it.
  var aliasNames: [String] { rows.aliases.compactMap(\.name) + joinedNodes.flatMap(\.aliasNames) }

  /// The nodes in the same statement: those joined to it, and the pivots of its association.
  var joinedNodes: [RequestNode] { children.filter { !$0.rows.isPrefetched } + rows.pivots }
}
