import KindredModel
import KindredPlanning
import KindredSQLSyntax

extension PostgreSQLDialect {
  func isBetween(
    _ value: CompiledExpression, _ lowest: CompiledExpression, _ highest: CompiledExpression, negated: Bool
  ) throws -> CompiledExpression {
    func bound(_ bound: CompiledExpression, _ place: Int) throws -> PostgreSQLComparison {
      try PostgreSQLComparison(value.ranked(beside: bound), bound.ranked(beside: value), 0, place)
    }
    let (low, high) = (try bound(lowest, 1), try bound(highest, 2))
    guard low.left.sql == high.left.sql else {
      let (first, last): (SQL, SQL) = negated ? ("<", ">") : (">=", "<=")
      return boolean(
        "\(low.left.operand) \(first) \(low.right.operand) \(negated ? "OR" : "AND" as SQL) \(high.left.operand) \(last) \(high.right.operand)",
        negated ? .or : .and)
    }
    let search = negated ? nil : PostgreSQLSearch(value)
    let bounds = [
      search?.condition(.greaterOrEqual, lowest), search?.condition(.lessOrEqual, highest),
    ].compactMap(\.self)
    return boolean(
      "\(low.left.operand) \(not(negated))BETWEEN \(low.right.operand) AND \(high.right.operand)"
    ).requiring(bounds.isEmpty ? nil : bounds.joined(separator: " AND "))
  }
}
