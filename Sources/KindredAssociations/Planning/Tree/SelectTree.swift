import KindredSQLSyntax

/// What a request means as selects: one for each record on its path, and one for each node with rows of its own.
///
/// It is a value, of which a strategy makes another one that suits a database, and ``PlanWriter`` the text.
struct SelectTree {
  var path: [PathSelect]
  /// The nodes of the tree; the root comes first, and each before those below it.
  var nodes: [NodeSelect]
  /// Whether the result is one record, and not a list.
  let isSingle: Bool
  /// Why there is no result where the root, being single, gives no row.
  let absence: String
  /// Whether the root's rows are counted.
  let isCounted: Bool
  /// The pages of the root; nil where there is one.
  let pages: RootPages?
}

/// A record on the path to the root.
struct PathSelect {
  let columns: [SQL]
  let source: SelectSource
  /// What is not there when it gives no row.
  let absence: String
  /// Whether a common table expression is read.
  let readsCommonTableExpression: Bool

  /// - Parameter scope: the record, all of whose columns are known.
  init(_ scope: Scope, absence: String) {
    columns = scope.statement.columns.isEmpty ? ["1"] : scope.statement.columns
    source = scope.select.source
    readsCommonTableExpression = scope.statement.readsCommonTableExpression
    self.absence = absence
  }

  var sql: SQL { "SELECT \(columns.joined(separator: ", ")) \(source.sql()) LIMIT 1" }
}

/// A node with rows of its own, which belong to the rows of the node above.
struct NodeSelect {
  var rows: RowsSelect
  /// `LIMIT` and `OFFSET`.
  var page: SQL
  let isToMany: Bool
  /// Its level in the tree of statements.
  let level: Int
  /// The key of each request node on the way here.
  let name: String
  var recursion: Plan.Recursion?
  /// The record above whose associated records these are, all of them; nil for others.
  var collectionOf: Scope?
  /// How it is merge-joined with the select above.
  var mergeJoin: Plan.MergeJoin?
  /// The same for many records above at once.
  var batch: BatchSelect?
}

/// A select for many records above at once.
struct BatchSelect {
  /// What is read of the records above.
  let columns: [SQL.Binding]
  let sql: SQL
  var link = Plan.Link.number
}
