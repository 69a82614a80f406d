import KindredPlanning
import KindredSQLSyntax

/// `left || right`, as a whole with the concatenations that are its operands.
struct PostgreSQLConcatenation {
  private let operands: [CompiledExpression]
  private let parts: [SQL]

  /// The maximum number of texts that are concatenated at once: PostgreSQL copies what it has so far at each operator.
  private static let mostParts = 16

  init(_ left: CompiledExpression, _ right: CompiledExpression) throws {
    operands = [left, right]
    let parts = try operands.flatMap { operand -> [SQL] in
      if case .joined(let parts) = operand.form { return parts }
      return [try operand.asText().operand]
    }
    self.parts =
      parts.count > Self.mostParts ? [try left.asText().operand, try right.asText().operand] : parts
  }

  func compiled() -> CompiledExpression {
    CompiledExpression(sql: BoundedCall(parts).concatenation(), type: .text, form: .joined(parts))
      .inheriting(from: operands)
  }
}
