import KindredModel
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

  /// The sum of both values.
  @_disfavoredOverload
  public static func + (left: some SQLExpressible, right: Self) -> SQLExpression { binary(.add, left, right) }

  /// The left value minus the right one.
  @_disfavoredOverload
  public static func - (left: some SQLExpressible, right: Self) -> SQLExpression {
    binary(.subtract, left, right)
  }

  /// The product of both values.
  @_disfavoredOverload
  public static func * (left: some SQLExpressible, right: Self) -> SQLExpression {
    binary(.multiply, left, right)
  }

  /// The left value divided by the right one; the quotient of two integers is an integer.
  @_disfavoredOverload
  public static func / (left: some SQLExpressible, right: Self) -> SQLExpression {
    binary(.divide, left, right)
  }

  /// The remainder of the left value divided by the right one.
  public static func % (left: Self, right: some SQLExpressible) -> SQLExpression {
    binary(.remainder, left, right)
  }

  /// The bits that both values have.
  public static func & (left: Self, right: some SQLExpressible) -> SQLExpression { bits("&", left, right) }

  /// The bits that at least one of the values has.
  public static func | (left: Self, right: some SQLExpressible) -> SQLExpression { bits("|", left, right) }

  /// The bits of the left value, moved to higher places.
  public static func << (left: Self, right: some SQLExpressible) -> SQLExpression { bits("<<", left, right) }

  /// The bits of the left value, moved to lower places.
  public static func >> (left: Self, right: some SQLExpressible) -> SQLExpression { bits(">>", left, right) }

  /// The bits that the value doesn't have.
  public static prefix func ~ (operand: Self) -> SQLExpression {
    .raw([.text("~"), .expression(operand.sqlExpression)])
  }

  private static func bits(
    _ op: String, _ left: any SQLExpressible, _ right: any SQLExpressible
  ) -> SQLExpression {
    .raw([.expression(left.sqlExpression), .text(" \(op) "), .expression(right.sqlExpression)])
  }

  /// Whether both are equal, or both NULL.
  public static func === (left: Self, right: (any SQLExpressible)?) -> SQLExpression {
    binary(.is, left, right?.sqlExpression ?? SQLExpression(.value(.null)))
  }

  /// Whether both differ, and not both are NULL.
  public static func !== (left: Self, right: (any SQLExpressible)?) -> SQLExpression {
    binary(.isNot, left, right?.sqlExpression ?? SQLExpression(.value(.null)))
  }

  /// The value with the opposite sign.
  public static prefix func - (operand: Self) -> SQLExpression {
    SQLExpression([operand.sqlExpression]) { .unary(.minus, $0[0]) }
  }

  /// Whether both conditions hold.
  public static func && (left: Self, right: some SQLExpressible) -> SQLExpression {
    SQLExpression([left.sqlExpression, right.sqlExpression], joinedBy: .and)
  }

  /// Whether at least one of the conditions holds.
  public static func || (left: Self, right: some SQLExpressible) -> SQLExpression {
    SQLExpression([left.sqlExpression, right.sqlExpression], joinedBy: .or)
  }

  /// Whether the condition does not hold.
  public static prefix func ! (operand: Self) -> SQLExpression {
    SQLExpression([operand.sqlExpression]) { .unary(.not, $0[0]) }
  }

  /// The value, or another one if it is NULL.
  public static func ?? (left: Self, right: some SQLExpressible) -> SQLExpression {
    .call("ifnull", [left, right])
  }

  /// Returns whether the value matches a LIKE pattern, in which `%` stands for any text and `_` for any character.
  ///
  /// - Parameters:
  ///   - pattern: The pattern.
  ///   - escape: The character before a `%` or `_` of the pattern that stands for itself.
  public func like(_ pattern: some SQLExpressible, escape: (any SQLExpressible)? = nil) -> SQLExpression {
    let operands = [sqlExpression, pattern.sqlExpression] + (escape.map { [$0.sqlExpression] } ?? [])
    return SQLExpression(operands) {
      .match(.like, $0[0], $0[1], escape: $0.count > 2 ? $0[2] : nil, negated: false)
    }
  }

  /// Returns the value with a collation by which it is compared and ordered.
  public func collating(_ collation: CollationName) -> SQLExpression {
    if let known = KindredModel.Expression.Collation(rawValue: collation.rawValue.lowercased()) {
      return SQLExpression([sqlExpression]) { .collate($0[0], known) }
    }
    return .raw([.expression(sqlExpression), .text(" COLLATE \(SQLText.quoted(collation.rawValue))")])
  }

  /// Returns the value with a collation of the program.
  public func collating(_ collation: DatabaseCollation) -> SQLExpression {
    collating(CollationName(rawValue: collation.name))
  }
}

extension Sequence where Element: SQLSpecificExpressible {
  /// Returns any number of expressions joined by an operator: `names.map { Column("name") == $0 }.joined(operator:
  /// .or)`.
  public func joined(operator joining: SQLExpression.AssociativeBinaryOperator) -> SQLExpression {
    SQLExpression.joined(map(\.sqlExpression), joining)
  }
}

extension Sequence where Element == any SQLSpecificExpressible {
  /// Returns any number of expressions joined by an operator.
  public func joined(operator joining: SQLExpression.AssociativeBinaryOperator) -> SQLExpression {
    SQLExpression.joined(map(\.sqlExpression), joining)
  }
}

extension SQLExpression {
  fileprivate static func joined(
    _ operands: [SQLExpression], _ joining: AssociativeBinaryOperator
  ) -> SQLExpression {
    guard let first = operands.first, operands.count > 1 else { return operands.first ?? joining.neutral }
    if let sqlOperator = joining.sqlOperator { return .raw(.list(operands, separator: sqlOperator)) }
    guard let binary = joining.binary else { return SQLExpression(operands, joinedBy: joining) }
    return operands.dropFirst().reduce(first) { left, right in
      SQLExpression([left, right]) { .binary(binary, $0[0], $0[1]) }
    }
  }
}

extension Collection where Element: SQLExpressible {
  /// Returns whether an expression equals one of these values: `IN (…)`.
  public func contains(_ element: some SQLSpecificExpressible) -> SQLExpression {
    SQLExpression([element.sqlExpression] + map(\.sqlExpression)) {
      .in($0[0], Array($0.dropFirst()), negated: false)
    }
  }
}

extension Collection<any SQLExpressible> {
  /// Returns whether an expression equals one of these values and expressions: `IN (…)`.
  public func contains(_ element: some SQLSpecificExpressible) -> SQLExpression {
    map(\.sqlExpression).contains(element)
  }
}

// MARK: - Ranges

// Every range compares its bounds. A range of integers is a collection too, but a column may hold numbers between its
// elements.

extension ClosedRange where Bound: SQLExpressible {
  /// Returns whether an expression lies between the bounds, inclusive: `BETWEEN … AND …`.
  public func contains(_ element: some SQLSpecificExpressible) -> SQLExpression {
    SQLExpression([element.sqlExpression, lowerBound.sqlExpression, upperBound.sqlExpression]) {
      .between($0[0], $0[1], $0[2], negated: false)
    }
  }
}

extension Range where Bound: SQLExpressible {
  /// Returns whether an expression is at least the lower bound, and less than the upper one.
  public func contains(_ element: some SQLSpecificExpressible) -> SQLExpression {
    element.sqlExpression >= lowerBound && element.sqlExpression < upperBound
  }
}

extension PartialRangeFrom where Bound: SQLExpressible {
  /// Returns whether an expression is at least the bound.
  public func contains(_ element: some SQLSpecificExpressible) -> SQLExpression {
    element.sqlExpression >= lowerBound
  }
}

extension PartialRangeThrough where Bound: SQLExpressible {
  /// Returns whether an expression is at most the bound.
  public func contains(_ element: some SQLSpecificExpressible) -> SQLExpression {
    element.sqlExpression <= upperBound
  }
}

extension PartialRangeUpTo where Bound: SQLExpressible {
  /// Returns whether an expression is less than the bound.
  public func contains(_ element: some SQLSpecificExpressible) -> SQLExpression {
    element.sqlExpression < upperBound
  }
}
