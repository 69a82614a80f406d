import KindredModel
import KindredPlanning
import KindredSQLSyntax

/// An arithmetic operation on two values, which are converted to numbers as in SQLite.
struct PostgreSQLArithmetic {
  private let op: Expression.BinaryOperator
  private let left: CompiledExpression
  private let right: CompiledExpression
  /// Whether it is only known when the statement runs if the values are whole numbers, which SQLite divides without a
  /// fraction.
  private let mayBeWhole: Bool

  init(_ op: Expression.BinaryOperator, _ left: CompiledExpression, _ right: CompiledExpression) throws {
    self.op = op
    let (first, second) = (try left.asNumber(0), try right.asNumber(1))
    // Next to an exact number, a literal keeps all its digits.
    self.left = second.type?.kind == .numeric ? first.exact : first
    self.right = first.type?.kind == .numeric ? second.exact : second
    let isDynamic = [left, right].contains { $0.type == .dynamic }
    mayBeWhole = isDynamic && ![first, second].contains { $0.type?.kind == .real }
  }

  func compiled() -> CompiledExpression {
    switch op {
    case .multiply: return computed(mayTakeLong: true) { "\($0) * \($1)" }
    case .divide: return computed(mayTakeLong: true, quotient)
    case .remainder: return remainder
    default: return computed(mayTakeLong: false) { "\($0) \(op.sql) \($1)" }
    }
  }

  /// Returns the same operation, whose whole numbers are NULL and noted where they don't fit.
  func compiledNotingFailures() -> CompiledExpression {
    let isWhole = left.type?.kind == .integer && right.type?.kind == .integer
    guard isWhole, [.add, .subtract, .multiply].contains(op) else { return compiled() }
    return .fitting("(\(left.operand)::numeric \(op.sql) \(right.operand)::numeric)")
  }

  private func quotient(_ left: SQL, _ right: SQL) -> SQL {
    let quotient: SQL = "\(left) / nullif(\(right), 0)"
    guard mayBeWhole else { return quotient }
    return "CASE WHEN scale(\(left)) + scale(\(right)) = 0 THEN trunc(\(quotient)) ELSE \(quotient) END"
  }

  private var remainder: CompiledExpression {
    let sql: SQL = "mod(\(truncated(left)), nullif(\(truncated(right)), 0))"
    let isReal = left.type?.kind != .integer || right.type?.kind != .integer
    return isReal
      ? CompiledExpression(sql: "\(sql)::float8", type: .real)
      : CompiledExpression(sql: sql, type: .integer)
  }

  /// Returns a number without its fraction.
  private func truncated(_ value: CompiledExpression) -> SQL {
    value.type?.kind == .integer ? value.sql : "trunc(\(value.sql))::int8"
  }

  /// - Parameter mayTakeLong: Whether the time grows with the product of the numbers' digits.
  private func computed(mayTakeLong: Bool, _ operation: (SQL, SQL) -> SQL) -> CompiledExpression {
    let type = left.type?.joined(right.type)
    let operands = [left.operand, right.operand]
    let sql =
      mayTakeLong && type?.kind == .numeric
      ? BoundedCall(operands, shortLength: Self.shortLength).interruptible { operation($0[0], $0[1]) }
      : operation(operands[0], operands[1])
    return CompiledExpression(sql: sql, precedence: .equality, type: type)
  }

  /// The length of the SQL up to which it takes little time whatever the numbers are.
  private static let shortLength = 128
}
