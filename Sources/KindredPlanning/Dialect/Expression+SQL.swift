import KindredModel
import KindredSQLSyntax

extension Expression.BinaryOperator {
  /// The operator in SQL, which the language writes in the same way, but for one.
  package var sql: SQL { self == .notEqual ? "<>" : SQL(trusted: rawValue.uppercased()) }
}

extension Expression.MatchOperator {
  /// Returns a pattern that matches every text with the literal prefix of `pattern`; nil unless `pattern` is a value.
  func beginning(of pattern: Expression, escape: Expression?) -> SQL.Binding? {
    guard let pattern = pattern.binding else { return nil }
    guard let escape else { return .beginning(of: pattern, escape: nil, self) }
    return escape.binding.map { .beginning(of: pattern, escape: $0, self) }
  }
}

extension Expression {
  /// The binding of a literal or a value; nil for other expressions.
  fileprivate var binding: SQL.Binding? {
    switch kind {
    case .literal(let number): .parameter(number)
    case .value(let value): .value(value)
    default: nil
    }
  }
}
