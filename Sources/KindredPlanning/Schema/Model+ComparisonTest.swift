import KindredModel
import KindredSQLSyntax

extension Model {
  /// Returns a query that fails if the database can't compare the columns of a step; nil if it certainly can.
  package func comparisonTest(of step: AssociationStep, _ dialect: Dialect) -> String? {
    let dialect = dialect.writer
    let doubtful = zip(step.originColumns, comparisons(of: step)).enumerated().filter { _, pair in
      pair.1.map { !dialect.canCompare($0) } ?? false
    }
    guard !doubtful.isEmpty else { return nil }
    let conditions = doubtful.map { number, pair in
      "o.\(SQL.quoted(pair.0)) = d.\(SQL.quoted(step.destinationColumns[number]))"
    }
    func name(_ table: String) -> String { tables[table]?.qualifiedName ?? SQL.quoted(table) }
    return """
      SELECT 1 AS one FROM \(name(step.origin)) AS o \
      JOIN \(name(step.destination)) AS d ON \(conditions.joined(separator: " AND "))
      """
  }
}
