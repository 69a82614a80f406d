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
    // In SQL nothing equals NULL, so a comparison with `nil` becomes IS NULL.
    guard let right, !right.isNull else { return SQLExpression([left]) { .isNull($0[0], negated: negated) } }
    return left.isNull
      ? SQLExpression([right]) { .isNull($0[0], negated: negated) }
      : binary(negated ? .notEqual : .equal, left, right)
  }

  /// Whether both are equal; comparing with `nil` tests for NULL.
  public static func == (left: Self, right: (any SQLExpressible)?) -> SQLExpression {
    equality(left, right, negated: false)
  }

  /// Whether both are equal; comparing with `nil` tests for NULL.
  @_disfavoredOverload
  public static func == (left: (any SQLExpressible)?, right: Self) -> SQLExpression {
    equality(right, left, negated: false)
  }

  /// Whether both differ; comparing with `nil` tests for not NULL.
  public static func != (left: Self, right: (any SQLExpressible)?) -> SQLExpression {
    equality(left, right, negated: true)
  }

  /// Whether both differ; comparing with `nil` tests for not NULL.
  @_disfavoredOverload
  public static func != (left: (any SQLExpressible)?, right: Self) -> SQLExpression {
    equality(right, left, negated: true)
  }

  /// Whether the left value is less than the right one.
  public static func < (left: Self, right: some SQLExpressible) -> SQLExpression {
    binary(.less, left, right)
  }

  /// Whether the left value is less than the right one.
  @_disfavoredOverload
  public static func < (left: some SQLExpressible, right: Self) -> SQLExpression {
    binary(.less, left, right)
  }

  /// Whether the left value is less than or equal to the right one.
  public static func <= (left: Self, right: some SQLExpressible) -> SQLExpression {
    binary(.lessOrEqual, left, right)
  }

  /// Whether the left value is less than or equal to the right one.
  @_disfavoredOverload
  public static func <= (left: some SQLExpressible, right: Self) -> SQLExpression {
    binary(.lessOrEqual, left, right)
  }

  /// Whether the left value is greater than the right one.
  public static func > (left: Self, right: some SQLExpressible) -> SQLExpression {
    binary(.greater, left, right)
  }

  /// Whether the left value is greater than the right one.
  @_disfavoredOverload
  public static func > (left: some SQLExpressible, right: Self) -> SQLExpression {
    binary(.greater, left, right)
  }

  /// Whether the left value is greater than or equal to the right one.
  public static func >= (left: Self, right: some SQLExpressible) -> SQLExpression {
    binary(.greaterOrEqual, left, right)
  }

  /// Whether the left value is greater than or equal to the right one.
  @_disfavoredOverload
  public static func >= (left: some SQLExpressible, right: Self) -> SQLExpression {
    binary(.greaterOrEqual, left, right)
  }

  /// The sum of both values.
  public static func + (left: Self, right: some SQLExpressible) -> SQLExpression { binary(.add, left, right) }

  /// The left value minus the right one.
  public static func - (left: Self, right: some SQLExpressible) -> SQLExpression {
    binary(.subtract, left, right)
  }

  /// The product of both values.
  public static func * (left: Self, right: some SQLExpressible) -> SQLExpression {
    binary(.multiply, left, right)
  }

  /// The left value divided by the right one; the quotient of two integers is an integer.
  public static func / (left: Self, right: some SQLExpressible) -> SQLExpression {
    binary(.divide, left, right)
  }

  /// The value with the opposite sign.
  public static prefix func - (operand: Self) -> SQLExpression {
    SQLExpression([operand.sqlExpression]) { .unary(.minus, $0[0]) }
  }

  /// Whether both conditions hold.
  public static func && (left: Self, right: some SQLSpecificExpressible) -> SQLExpression {
    SQLExpression([left.sqlExpression, right.sqlExpression], joinedBy: .and)
  }

  /// Whether at least one of the conditions holds.
  public static func || (left: Self, right: some SQLSpecificExpressible) -> SQLExpression {
    SQLExpression([left.sqlExpression, right.sqlExpression], joinedBy: .or)
  }

  /// Whether the condition does not hold.
  public static prefix func ! (operand: Self) -> SQLExpression {
    SQLExpression([operand.sqlExpression]) { .unary(.not, $0[0]) }
  }

  /// The value, or another one if it is NULL.
  public static func ?? (left: Self, right: some SQLExpressible) -> SQLExpression {
    .call("IFNULL", [left.sqlExpression, right.sqlExpression])
  }

  /// Returns whether the value matches a LIKE pattern, in which `%` stands for any text and `_` for any character.
  public func like(_ pattern: some SQLExpressible) -> SQLExpression {
    SQLExpression([sqlExpression, pattern.sqlExpression]) {
      .match(.like, $0[0], $0[1], escape: nil, negated: false)
    }
  }

  /// Returns the value with a collation by which it is compared and ordered.
  public func collating(_ collation: CollationName) -> SQLExpression {
    .raw([.expression(sqlExpression), .text(" COLLATE \(SQL.quoted(collation.rawValue))")])
  }
}

extension SQLExpression {
  /// An operator that joins any number of conditions.
  public enum AssociativeBinaryOperator: Sendable {
    /// `AND`: true without operands.
    case and
    /// `OR`: false without operands.
    case or
  }
}

extension Sequence where Element: SQLSpecificExpressible {
  /// Returns any number of conditions joined by an operator: `names.map { Column("name") == $0 }.joined(operator:
  /// .or)`.
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
  /// Returns whether an expression equals one of these values: `IN (…)`.
  public func contains(_ element: some SQLSpecificExpressible) -> SQLExpression {
    SQLExpression([element.sqlExpression] + map(\.sqlExpression)) {
      .in($0[0], Array($0.dropFirst()), negated: false)
    }
  }
}

extension ClosedRange where Bound: SQLExpressible {
  /// Returns whether an expression lies between the bounds, inclusive: `BETWEEN … AND …`.
  public func contains(_ element: some SQLSpecificExpressible) -> SQLExpression {
    SQLExpression([element.sqlExpression, lowerBound.sqlExpression, upperBound.sqlExpression]) {
      .between($0[0], $0[1], $0[2], negated: false)
    }
  }
}
