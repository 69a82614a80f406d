/// How tightly the outermost operator binds
/// (<https://www.sqlite.org/lang_expr.html#operators_and_parse_affecting_attributes>).
///
/// Parentheses are written only where they are needed, as each takes one of the 100 entries of SQLite's parser stack.
package enum Precedence: Int, Comparable {
  case or, and, not, equality, comparison, sum, product, concatenation, collate, sign, primary

  package static func < (left: Precedence, right: Precedence) -> Bool { left.rawValue < right.rawValue }

  /// The next tighter one.
  package var next: Precedence { Precedence(rawValue: rawValue + 1) ?? .primary }
}

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
