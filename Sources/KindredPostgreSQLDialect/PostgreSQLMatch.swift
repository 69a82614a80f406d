import KindredModel
import KindredPlanning
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
    if let blob = [value, pattern].first(where: { $0.type?.kind == .blob }) {
      return isUnmatched(blob.operand)
    }
    guard let expression else { return try patternOfRecord() }
    let (text, not): (CompiledExpression, SQL) = (try value.asText(), isNegated ? "!" : "")
    return op == .like
      ? "\(text.searched(by: "\"default\"")) \(not)~* \(expression)"
      : "\(text.operand) COLLATE \"C\" \(not)~ \(expression)"
  }

  /// The regular expression; nil if the pattern isn't a literal.
  private var expression: SQL? {
    // The text of a number is made by the database.
    guard pattern.type?.kind != .real || op == .glob, let pattern = pattern.binding else { return nil }
    let sign = escape?.binding
    guard escape == nil || sign != nil else { return nil }
    return ValueType.text.parameter(
      .regularExpression(of: pattern, escape: sign, op))
  }

  /// Returns the match of a pattern that differs from record to record.
  private func patternOfRecord() throws -> SQL {
    guard op == .like else {
      throw TypeMismatch(
        message: "on PostgreSQL the pattern of `glob` must be a text in quotes; write `like` for others")
    }
    var operands = try [value, pattern].map { try $0.asText().searched(by: "\"default\"") }
    if let escape { operands.append(try escape.asText().operand) }
    return BoundedCall(operands).search({ "\($0) IS NULL" }) { operands in
      let (text, pattern, not): (SQL, SQL, SQL) = (operands[0], operands[1], isNegated ? "NOT " : "")
      // Without `ESCAPE`, PostgreSQL treats a backslash as the escape character.
      guard operands.count > 2 else { return "\(text) \(not)ILIKE \(pattern) ESCAPE ''" }
      let escape = operands[2]
      // PostgreSQL refuses a pattern whose last character escapes nothing; for SQLite it matches nothing.
      let escapes: SQL = "length(\(pattern)) - length(rtrim(\(pattern), \(escape)))"
      return """
        CASE WHEN (\(escapes)) % 2 = 1 THEN \(isUnmatched(text)) \
        ELSE \(text) \(not)ILIKE \(pattern) ESCAPE \(escape) END
        """
    }
  }

  /// Returns the result for a value that matches nothing: NULL if it is.
  private func isUnmatched(_ value: SQL) -> SQL {
    isNegated ? "nullif(\(value) IS NOT NULL, FALSE)" : "nullif(\(value) IS NULL, TRUE)"
  }
}

extension CompiledExpression {
  /// The binding of a value of the request or of a claim; nil for other expressions.
  fileprivate var binding: SQL.Binding? {
    if case .literal(let binding, _) = form { binding } else { nil }
  }
}
