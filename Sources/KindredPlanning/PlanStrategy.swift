import KindredModel
import KindredSQLSyntax

/// Adapts the selects of a request to the form that a database runs best, without changing the result.
package protocol PlanStrategy {
  /// Returns an equivalent tree.
  func arranged(_ tree: SelectTree) -> SelectTree
  /// Returns an arranged tree whose root, a single record, may have a batch for many keys at once.
  ///
  /// - Parameter keys: The numbers of the literals that are the key.
  func batched(_ tree: SelectTree, over keys: Set<Int>) -> SelectTree
  /// Whether an aggregate of records that no index finds by the one that they belong to is computed for all at once.
  var joinsGroups: Bool { get }
  /// Whether the database finds records by the existence of others as by a join, but computes numbers for each record.
  var findsByExistence: Bool { get }
  /// Returns whether the source of the records is a copy of their table.
  func copiesTable(for search: UnindexedSearch) -> Bool
  /// Returns a source of the same records that needs no index of their table; the given one if a scan costs less.
  func source(of search: UnindexedSearch, insteadOf source: TableSource) -> TableSource
}

extension PlanStrategy {
  /// Changes nothing: a statement may run for each key.
  package func batched(_ tree: SelectTree, over keys: Set<Int>) -> SelectTree { tree }

  /// No: it is computed for each record.
  package var joinsGroups: Bool { false }

  /// No: an existence is computed for each record, too.
  package var findsByExistence: Bool { false }

  /// Copies nothing.
  package func copiesTable(for search: UnindexedSearch) -> Bool { false }

  /// Leaves it to the database how the records are found.
  package func source(of search: UnindexedSearch, insteadOf source: TableSource) -> TableSource { source }
}

/// A search for records of a table by columns that no index of the table serves.
package struct UnindexedSearch {
  package let record: StatementRecord
  package let columns: [String]
  /// How the columns are compared with the columns that they refer to; empty if they don't refer to them.
  package let comparisons: [KeyComparison?]
  /// Whether it runs so often that each scan of the table counts.
  package let isRepeated: Bool
  /// The columns of the root's statement with the values that are searched; nil if these come from elsewhere.
  package let parents: [Int]?
  /// Whether the values have to be converted, and come from outside the statement.
  package let convertsBoundValues: Bool
}

extension SQL {
  /// Whether it reads a row of a statement above.
  package var readsRowsAbove: Bool {
    isBound { if case .ancestor = $0 { true } else { false } }
  }
}
