import KindredSQLSyntax

extension Expression.BinaryOperator {
  var sql: SQL {
    switch self {
    case .equal: "="
    case .notEqual: "<>"
    case .less: "<"
    case .lessOrEqual: "<="
    case .greater: ">"
    case .greaterOrEqual: ">="
    case .is: "IS"
    case .isNot: "IS NOT"
    case .add: "+"
    case .subtract: "-"
    case .multiply: "*"
    case .divide: "/"
    case .remainder: "%"
    case .concatenate: "||"
    case .member: "->"
    case .memberValue: "->>"
    }
  }

  var precedence: Precedence {
    switch self {
    case .equal, .notEqual, .is, .isNot: .equality
    case .less, .lessOrEqual, .greater, .greaterOrEqual: .comparison
    case .add, .subtract: .sum
    case .multiply, .divide, .remainder: .product
    case .concatenate, .member, .memberValue: .concatenation
    }
  }

  var isComparison: Bool {
    switch self {
    case .equal, .notEqual, .is, .isNot, .less, .lessOrEqual, .greater, .greaterOrEqual: true
    case .add, .subtract, .multiply, .divide, .remainder, .concatenate, .member, .memberValue: false
    }
  }
}

extension Expression.MatchOperator {
  private var kind: PatternKind {
    switch self {
    case .like: .like
    case .glob: .glob
    }
  }

  /// Returns a pattern that matches every text with the literal prefix of `pattern`; nil unless `pattern` is a value.
  func beginning(of pattern: Expression, escape: Expression?) -> SQL.Binding? {
    guard let pattern = pattern.binding else { return nil }
    guard let escape else { return .beginning(of: pattern, escape: nil, kind) }
    return escape.binding.map { .beginning(of: pattern, escape: $0, kind) }
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
