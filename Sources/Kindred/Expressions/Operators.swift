import KindredAssociations
import KindredSQLSyntax

/// Operators on columns and expressions.
extension SQLSpecificExpressible {
  private static func binary(
    _ op: Expression.BinaryOperator, _ left: any SQLExpressible, _ right: any SQLExpressible
  ) -> SQLExpression {
    SQLExpression([left.sqlExpression, right.sqlExpression]) { .binary(op, $0[0], $0[1]) }
  }

  private static func equality(
    _ left: any SQLExpressible, _ right: (any SQLExpressible)?, negated: Bool
  ) -> SQLExpression {
    let (left, right) = (left.sqlExpression, right?.sqlExpression)
    // To SQL nothing is equal to NULL; what is meant is whether it is NULL.
    guard let right, !right.isNull else { return SQLExpression([left]) { .isNull($0[0], negated: negated) } }
    return left.isNull
      ? SQLExpression([right]) { .isNull($0[0], negated: negated) }
      : binary(negated ? .notEqual : .equal, left, right)
  }

  /// Equal; `nil` is NULL.
  public static func == (left: Self, right: (any SQLExpressible)?) -> SQLExpression {
    equality(left, right, negated: false)
  }

  /// Equal; `nil` is NULL.
  @_disfavoredOverload
  public static func == (left: (any SQLExpressible)?, right: Self) -> SQLExpression {
    equality(right, left, negated: false)
  }

  /// Not equal; `nil` is NULL.
  public static func != (left: Self, right: (any SQLExpressible)?) -> SQLExpression {
    equality(left, right, negated: true)
  }

  /// Not equal; `nil` is NULL.
  @_disfavoredOverload
  public static func != (left: (any SQLExpressible)?, right: Self) -> SQLExpression {
    equality(right, left, negated: true)
  }

  /// Less.
  public static func < (left: Self, right: some SQLExpressible) -> SQLExpression {
    binary(.less, left, right)
  }

  /// Less.
  @_disfavoredOverload
  public static func < (left: some SQLExpressible, right: Self) -> SQLExpression {
    binary(.less, left, right)
  }

  /// Less or equal.
  public static func <= (left: Self, right: some SQLExpressible) -> SQLExpression {
    binary(.lessOrEqual, left, right)
  }

  /// Less or equal.
  @_disfavoredOverload
  public static func <= (left: some SQLExpressible, right: Self) -> SQLExpression {
    binary(.lessOrEqual, left, right)
  }

  /// Greater.
  public static func > (left: Self, right: some SQLExpressible) -> SQLExpression {
    binary(.greater, left, right)
  }

  /// Greater.
  @_disfavoredOverload
  public static func > (left: some SQLExpressible, right: Self) -> SQLExpression {
    binary(.greater, left, right)
  }

  /// Greater or equal.
  public static func >= (left: Self, right: some SQLExpressible) -> SQLExpression {
    binary(.greaterOrEqual, left, right)
  }

  /// Greater or equal.
  @_disfavoredOverload
  public static func >= (left: some SQLExpressible, right: Self) -> SQLExpression {
    binary(.greaterOrEqual, left, right)
  }

  /// The sum.
  public static func + (left: Self, right: some SQLExpressible) -> SQLExpression { binary(.add, left, right) }

  /// The difference.
  public static func - (left: Self, right: some SQLExpressible) -> SQLExpression {
    binary(.subtract, left, right)
  }

  /// The product.
  public static func * (left: Self, right: some SQLExpressible) -> SQLExpression {
    binary(.multiply, left, right)
  }

  /// The quotient.
  public static func / (left: Self, right: some SQLExpressible) -> SQLExpression {
    binary(.divide, left, right)
  }

  /// The opposite.
  public static prefix func - (operand: Self) -> SQLExpression {
    SQLExpression([operand.sqlExpression]) { .unary(.minus, $0[0]) }
  }

  /// Both.
  public static func && (left: Self, right: some SQLSpecificExpressible) -> SQLExpression {
    SQLExpression([left.sqlExpression, right.sqlExpression], joinedBy: .and)
  }

  /// One of them, or both.
  public static func || (left: Self, right: some SQLSpecificExpressible) -> SQLExpression {
    SQLExpression([left.sqlExpression, right.sqlExpression], joinedBy: .or)
  }

  /// Not.
  public static prefix func ! (operand: Self) -> SQLExpression {
    SQLExpression([operand.sqlExpression]) { .unary(.not, $0[0]) }
  }

  /// The value, or another one where it is NULL.
  public static func ?? (left: Self, right: some SQLExpressible) -> SQLExpression {
    .call("IFNULL", [left.sqlExpression, right.sqlExpression])
  }

  /// Whether it is like a pattern of `%` and `_`.
  public func like(_ pattern: some SQLExpressible) -> SQLExpression {
    SQLExpression([sqlExpression, pattern.sqlExpression]) {
      .match(.like, $0[0], $0[1], escape: nil, negated: false)
    }
  }

  /// The value, to be compared and ordered by a collation.
  public func collating(_ collation: CollationName) -> SQLExpression {
    .raw([.expression(sqlExpression), .text(" COLLATE \(SQL.quoted(collation.rawValue))")])
  }
}

extension SQLExpression {
  /// An operator between any number of operands.
  public enum AssociativeBinaryOperator: Sendable {
    /// `AND`: true of no operands.
    case and
    /// `OR`: false of no operands.
    case or
  }
}

extension Sequence where Element: SQLSpecificExpressible {
  /// Joins conditions, however many: `names.map { Column("name") == $0 }.joined(operator: .or)`.
  public func joined(operator joining: SQLExpression.AssociativeBinaryOperator) -> SQLExpression {
    let operands = map(\.sqlExpression)
    return switch operands.count {
    case 0: SQLExpression(.boolean(joining == .and))
    case 1: operands[0]
    default: SQLExpression(operands, joinedBy: joining)
    }
  }
}

extension Sequence where Element: SQLExpressible {
  /// Whether an expression is equal to one of these values: `IN (…)`.
  public func contains(_ element: some SQLSpecificExpressible) -> SQLExpression {
    SQLExpression([element.sqlExpression] + map(\.sqlExpression)) {
      .in($0[0], Array($0.dropFirst()), negated: false)
    }
  }
}

extension ClosedRange where Bound: SQLExpressible {
  /// Whether an expression lies between the bounds.
  public func contains(_ element: some SQLSpecificExpressible) -> SQLExpression {
    SQLExpression([element.sqlExpression, lowerBound.sqlExpression, upperBound.sqlExpression]) {
      .between($0[0], $0[1], $0[2], negated: false)
    }
  }
}
