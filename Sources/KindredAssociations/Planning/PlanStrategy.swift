/// How a database runs the selects of a request best: from a tree of selects to another one with the same result.
protocol PlanStrategy {
  func arranged(_ tree: SelectTree) -> SelectTree
}

extension Model {
  /// The strategy for databases that take a dialect.
  func strategy(for dialect: any SQLDialect) -> any PlanStrategy {
    dialect.nestsStatements ? SQLiteStrategy(model: self) : PostgreSQLStrategy(dialect: dialect)
  }
}
