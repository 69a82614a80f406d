import KindredModel
import KindredSQLSyntax

extension ExpressionCompiler {
  /// Returns `CASE`, whose values are booleans if all of its results are.
  func cases(
    of value: ResolvedExpression?, _ branches: [ExpressionBranch<ResolvedExpression>],
    else other: ResolvedExpression?,
    in record: StatementRecord
  ) throws -> CompiledExpression {
    let compiledValue = try value.map { try compile($0, in: record) }
    var isBoolean = true
    func result(_ expression: ResolvedExpression) throws -> CompiledExpression {
      let compiled = try compile(expression, in: record)
      if case .null = expression.meaning {} else { isBoolean = isBoolean && compiled.format == .boolean }
      return compiled
    }
    let compiledBranches = try branches.map { branch in
      let condition =
        try value == nil
        ? compileCondition(branch.condition, in: record) : compile(branch.condition, in: record)
      return (condition: condition, result: try result(branch.result))
    }
    let compiledOther = try other.map { try result($0) }
    var compiled = try dialect.cases(of: compiledValue, compiledBranches, else: compiledOther)
    if isBoolean { compiled.format = .boolean }
    return compiled
  }
}
