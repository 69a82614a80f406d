import KindredModel

extension SQLExpression {
  /// An operator that joins any number of conditions.
  public enum AssociativeBinaryOperator: Sendable {
    /// `AND`: true without operands.
    case and
    /// `OR`: false without operands.
    case or
    /// `||`: the empty text without operands.
    case concat
    /// `+`: 0 without operands.
    case add
    /// `*`: 1 without operands.
    case multiply
    /// `&`: all bits without operands.
    case bitwiseAnd
    /// `|`: no bits without operands.
    case bitwiseOr

    /// The operator between two operands; nil for operators that the engine joins by itself.
    var binary: KindredModel.Expression.BinaryOperator? {
      switch self {
      case .and, .or: nil
      case .concat: .concatenate
      case .add: .add
      case .multiply: .multiply
      case .bitwiseAnd, .bitwiseOr: nil
      }
    }

    /// The operator between two operands that the engine doesn't know; nil for the others.
    var sqlOperator: String? {
      switch self {
      case .bitwiseAnd: " & "
      case .bitwiseOr: " | "
      default: nil
      }
    }

    /// The result without operands.
    var neutral: SQLExpression {
      switch self {
      case .and: SQLExpression(.boolean(true))
      case .or: SQLExpression(.boolean(false))
      case .concat: "".sqlExpression
      case .add: 0.sqlExpression
      case .multiply: 1.sqlExpression
      case .bitwiseAnd: (-1).sqlExpression
      case .bitwiseOr: 0.sqlExpression
      }
    }
  }
}

extension SQLExpression.AssociativeBinaryOperator {
  /// Returns the engine's conjunction or disjunction of operands.
  func conjunction(_ operands: [Expression]) -> Expression.Kind {
    self == .or ? .any(operands) : .all(operands)
  }
}
