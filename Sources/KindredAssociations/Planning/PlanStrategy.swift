import KindredSQLSyntax

/// Adapts the selects of a request to the form that a database runs best, without changing the result.
protocol PlanStrategy {
  /// Returns an equivalent tree.
  func arranged(_ tree: SelectTree) -> SelectTree
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
