extension Expression.BinaryOperator {
  package var precedence: Precedence {
    switch self {
    case .equal, .notEqual, .is, .isNot: .equality
    case .less, .lessOrEqual, .greater, .greaterOrEqual: .comparison
    case .add, .subtract: .sum
    case .multiply, .divide, .remainder: .product
    case .concatenate, .member, .memberValue: .concatenation
    }
  }

  package var isComparison: Bool { precedence == .equality || precedence == .comparison }
}
