import KindredPlanning
import KindredSQLSyntax

extension PostgreSQLDialect {
  /// The maximum number of texts that are concatenated at once: PostgreSQL copies what it has so far at each operator.
  private static let mostParts = 16

  /// Returns `left || right`, as a whole with the concatenations that are its operands.
  func concatenated(_ left: CompiledExpression, _ right: CompiledExpression) throws -> CompiledExpression {
    let operands = [left, right]
    var parts = try operands.flatMap { operand -> [SQL] in
      if case .joined(let parts) = operand.form { return parts }
      return [try operand.asText().operand]
    }
    if parts.count > Self.mostParts { parts = try operands.map { try $0.asText().operand } }
    return CompiledExpression(sql: BoundedCall(parts).concatenation(), type: .text, form: .joined(parts))
      .inheriting(from: operands)
  }
}
