import KindredSQLSyntax

/// The selects of a request: one for each record on its path, and one for each node with its own rows.
///
/// It is a value. A ``PlanStrategy`` adapts it to a database, and ``PlanWriter`` writes its text.
package struct SelectTree {
  var path: [PathSelect]
  /// The nodes of the tree, each before those below it; the root comes first.
  package var nodes: [NodeSelect]
  /// The searches of nodes that no select reads, whose patterns are validated nevertheless.
  var searches: [Plan.SearchCheck] = []
  /// Whether the result is a single record rather than a list.
  let isSingle: Bool
  /// Whether the single record is found by the primary key of its table.
  package let isFoundByPrimaryKey: Bool
  /// The error detail if the root is a single record and does not exist.
  let absence: String
  /// Whether the root's rows are to be counted.
  let isCounted: Bool
  /// Whether a large number of rows may be estimated.
  let isEstimated: Bool
  /// The pages of the root; nil if there is only one.
  let pages: Pagination?
}

/// The select of a record on the path to the root.
struct PathSelect {
  let columns: [SQL]
  let source: SelectSource
  /// The order of the records that have the key, of which the first is meant; empty if there is only one.
  let order: [SQL]
  /// The error detail if it returns no row.
  let absence: String
  /// The common table expressions that it reads.
  let definitionsRead: Set<String>

  /// - Parameters:
  ///   - record: The record, to which no columns will be added any more.
  ///   - order: The order by which it is the first of several.
  init(_ record: StatementRecord, orderedBy order: [SQL] = [], absence: String) {
    self.order = order
    columns = record.statement.columns
    source = record.select.source
    definitionsRead = record.statement.definitionsRead
    self.absence = absence
  }

  /// Returns the statement that reads up to a number of records with the key.
  func sql(limit: SQL) -> SQL {
    Select(columns: columns, from: source.sql(), order: order, page: " LIMIT \(limit)").sql
  }
}

/// A record above a select, whose statement reads its columns.
package struct RecordAbove: Hashable {
  /// The number of the node in whose select it is.
  package let node: Int
  package let id: RecordID

  package init(node: Int, id: RecordID) { (self.node, self.id) = (node, id) }
}

/// The select of a node whose rows belong to those of the parent node.
package struct NodeSelect {
  package var rows: RecordSelect
  /// The meaning of the columns, in a request for rows.
  var layout = RowLayout()
  /// Which of the rows of each parent are returned.
  package var page: Page
  let isToMany: Bool
  /// The level in the tree of statements.
  package let level: Int
  /// The keys of the request's nodes from the root to here.
  let name: String
  /// Whether it returns no row, whatever the database contains, in a request for rows.
  var isNever = false
  package var recursion: Plan.Recursion?
  /// The parent record, if the rows are all of its associated records; otherwise nil.
  package var collectionOf: RecordAbove?
  /// The columns of the merge join with the parent's select; nil unless the strategy has made one.
  package var mergeJoin: Plan.MergeJoin?
  /// The select for many parents at once; nil unless the strategy has made one.
  package var batch: BatchSelect?
}

/// A select for many parent records at once.
package struct BatchSelect {
  /// The columns of the parents that it reads.
  package let columns: [SQL.Binding]
  package let sql: SQL
  var link = Plan.Link.number
  /// Returns the keys of parents with the number of their rows, except for those without rows; nil unless all associated
  /// records are read.
  package var counting: SQL?
  /// The column of the parents that shows the number of their rows; nil if there is none.
  package var countColumn: Int?

  package init(columns: [SQL.Binding], sql: SQL, link: Plan.Link = Plan.Link.number) {
    (self.columns, self.sql, self.link) = (columns, sql, link)
  }
}
