import KindredSQLSyntax

/// `LIKE` or `GLOB`.
///
/// A literal pattern is made a regular expression when it is bound: unlike `LIKE`, that takes a time proportional to the
/// text, and PostgreSQL can interrupt it. An index of `pg_trgm` serves both.
struct PostgreSQLMatch {
  let op: Expression.MatchOperator
  let value: CompiledExpression
  let pattern: CompiledExpression
  let escape: CompiledExpression?
  let isNegated: Bool

  func sql() throws -> SQL {
    guard let expression else { return try patternOfRecord() }
    let (text, not): (CompiledExpression, SQL) = (try value.asText(), isNegated ? "!" : "")
    return op == .like
      ? "\(text.searched(by: "\"default\"")) \(not)~* \(expression)"
      : "\(text.operand) COLLATE \"C\" \(not)~ \(expression)"
  }

  /// The regular expression; nil if the pattern isn't a literal.
  private var expression: SQL? {
    guard let pattern = pattern.binding else { return nil }
    let sign = escape?.binding
    guard escape == nil || sign != nil else { return nil }
    return ValueType.text.parameter(
      .regularExpression(of: pattern, escape: sign, op == .like ? .like : .glob))
  }

  /// Returns the match of a pattern that differs from record to record.
  private func patternOfRecord() throws -> SQL {
    guard op == .like else {
      throw TypeMismatch(
        message: "on PostgreSQL the pattern of `glob` must be a text in quotes; write `like` for others")
    }
    // Without `ESCAPE`, PostgreSQL treats a backslash as the escape character.
    let escape = try escape?.asText().operand ?? "''"
    let operands = try [value, pattern].map { try $0.asText().searched(by: "\"default\"") }
    return BoundedCall(operands).search({ "\($0) IS NULL" }) {
      "\($0[0]) \(isNegated ? "NOT " : "" as SQL)ILIKE \($0[1]) ESCAPE \(escape)"
    }
  }
}

extension CompiledExpression {
  /// The binding of a value of the request or of a claim; nil for other expressions.
  fileprivate var binding: SQL.Binding? {
    if case .literal(let binding, _) = form { binding } else { nil }
  }
}
