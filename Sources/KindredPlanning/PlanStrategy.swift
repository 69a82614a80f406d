import KindredSQLSyntax

/// Adapts the selects of a request to the form that a database runs best, without changing the result.
protocol PlanStrategy {
  /// Returns an equivalent tree.
  func arranged(_ tree: SelectTree) -> SelectTree
  /// Returns whether the source of the records is a copy of their table.
  func copiesTable(for search: UnindexedSearch) -> Bool
  /// Returns a source of the same records that needs no index of their table; the given one if a scan costs less.
  func source(of search: UnindexedSearch, insteadOf source: TableSource) -> TableSource
}

extension PlanStrategy {
  /// Copies nothing.
  func copiesTable(for search: UnindexedSearch) -> Bool { false }

  /// Leaves it to the database how the records are found.
  func source(of search: UnindexedSearch, insteadOf source: TableSource) -> TableSource { source }
}

/// A search for records of a table by columns that no index of the table serves.
struct UnindexedSearch {
  let record: StatementRecord
  let columns: [String]
  /// How the columns are compared with those that they refer to; empty if they don't refer to them.
  let comparisons: [KeyComparison?]
  /// Whether it runs so often that each scan of the table counts.
  let isRepeated: Bool
  /// Whether the values have to be converted, and come from outside the statement.
  let convertsBoundValues: Bool
}

extension Model {
  /// Returns the strategy for the databases of a dialect.
  func strategy(for dialect: any SQLDialect) -> any PlanStrategy {
    dialect.nestsStatements ? SQLiteStrategy(model: self) : PostgreSQLStrategy(dialect: dialect)
  }
}

extension SQL {
  /// Whether it reads a row of a statement above.
  var readsRowsAbove: Bool {
    isBound { if case .ancestor = $0 { true } else { false } }
  }
}
