/// Operators on aggregates. Their results have no name until `forKey(_:)` gives them one; only `??` and
/// `cast` keep the name.
extension AssociationAggregate {
  /// Whether both are equal; comparing with `nil` tests for NULL.
  public static func == (left: Self, right: Self) -> Self { Self(left.expression == right.expression) }
  /// Whether both are equal; comparing with `nil` tests for NULL.
  public static func == (left: Self, right: (any SQLExpressible)?) -> Self { Self(left.expression == right) }
  /// Whether both are equal; comparing with `nil` tests for NULL.
  @_disfavoredOverload
  public static func == (left: some SQLExpressible, right: Self) -> Self { Self(left == right.expression) }

  /// Whether both differ; comparing with `nil` tests for not NULL.
  public static func != (left: Self, right: Self) -> Self { Self(left.expression != right.expression) }
  /// Whether both differ; comparing with `nil` tests for not NULL.
  public static func != (left: Self, right: (any SQLExpressible)?) -> Self { Self(left.expression != right) }
  /// Whether both differ; comparing with `nil` tests for not NULL.
  @_disfavoredOverload
  public static func != (left: some SQLExpressible, right: Self) -> Self { Self(left != right.expression) }

  /// Whether the left value is less than the right one.
  public static func < (left: Self, right: Self) -> Self { Self(left.expression < right.expression) }
  /// Whether the left value is less than the right one.
  public static func < (left: Self, right: some SQLExpressible) -> Self { Self(left.expression < right) }
  /// Whether the left value is less than the right one.
  public static func < (left: some SQLExpressible, right: Self) -> Self { Self(left < right.expression) }

  /// Whether the left value is less than or equal to the right one.
  public static func <= (left: Self, right: Self) -> Self { Self(left.expression <= right.expression) }
  /// Whether the left value is less than or equal to the right one.
  public static func <= (left: Self, right: some SQLExpressible) -> Self { Self(left.expression <= right) }
  /// Whether the left value is less than or equal to the right one.
  public static func <= (left: some SQLExpressible, right: Self) -> Self { Self(left <= right.expression) }

  /// Whether the left value is greater than the right one.
  public static func > (left: Self, right: Self) -> Self { Self(left.expression > right.expression) }
  /// Whether the left value is greater than the right one.
  public static func > (left: Self, right: some SQLExpressible) -> Self { Self(left.expression > right) }
  /// Whether the left value is greater than the right one.
  public static func > (left: some SQLExpressible, right: Self) -> Self { Self(left > right.expression) }

  /// Whether the left value is greater than or equal to the right one.
  public static func >= (left: Self, right: Self) -> Self { Self(left.expression >= right.expression) }
  /// Whether the left value is greater than or equal to the right one.
  public static func >= (left: Self, right: some SQLExpressible) -> Self { Self(left.expression >= right) }
  /// Whether the left value is greater than or equal to the right one.
  public static func >= (left: some SQLExpressible, right: Self) -> Self { Self(left >= right.expression) }

  /// The sum of both values.
  public static func + (left: Self, right: Self) -> Self { Self(left.expression + right.expression) }
  /// The sum of both values.
  public static func + (left: Self, right: some SQLExpressible) -> Self { Self(left.expression + right) }
  /// The sum of both values.
  public static func + (left: some SQLExpressible, right: Self) -> Self { Self(left + right.expression) }

  /// The left value minus the right one.
  public static func - (left: Self, right: Self) -> Self { Self(left.expression - right.expression) }
  /// The left value minus the right one.
  public static func - (left: Self, right: some SQLExpressible) -> Self { Self(left.expression - right) }
  /// The left value minus the right one.
  public static func - (left: some SQLExpressible, right: Self) -> Self { Self(left - right.expression) }

  /// The product of both values.
  public static func * (left: Self, right: Self) -> Self { Self(left.expression * right.expression) }
  /// The product of both values.
  public static func * (left: Self, right: some SQLExpressible) -> Self { Self(left.expression * right) }
  /// The product of both values.
  public static func * (left: some SQLExpressible, right: Self) -> Self { Self(left * right.expression) }

  /// The left value divided by the right one; the quotient of two integers is an integer.
  public static func / (left: Self, right: Self) -> Self { Self(left.expression / right.expression) }
  /// The left value divided by the right one; the quotient of two integers is an integer.
  public static func / (left: Self, right: some SQLExpressible) -> Self { Self(left.expression / right) }
  /// The left value divided by the right one; the quotient of two integers is an integer.
  public static func / (left: some SQLExpressible, right: Self) -> Self { Self(left / right.expression) }

  /// The value with the opposite sign.
  public static prefix func - (operand: Self) -> Self { Self(-operand.expression) }

  /// Whether both conditions hold.
  public static func && (left: Self, right: Self) -> Self { Self(left.expression && right.expression) }

  /// Whether at least one of the conditions holds.
  public static func || (left: Self, right: Self) -> Self { Self(left.expression || right.expression) }

  /// Whether the condition does not hold.
  public static prefix func ! (operand: Self) -> Self { Self(!operand.expression) }

  /// The value, or another one where it is NULL, under the name of the aggregate.
  public static func ?? (left: Self, right: some SQLExpressible) -> Self {
    Self(left.expression ?? right, name: left.name)
  }
}

/// The absolute value: `ABS(…)`.
public func abs<RowDecoder>(_ value: AssociationAggregate<RowDecoder>) -> AssociationAggregate<RowDecoder> {
  AssociationAggregate(abs(value.expression))
}

/// The length of a text in characters, or of a blob in bytes: `LENGTH(…)`.
public func length<RowDecoder>(_ value: AssociationAggregate<RowDecoder>) -> AssociationAggregate<RowDecoder>
{
  AssociationAggregate(length(value.expression))
}

/// The value converted to another type, under the name of the aggregate: `CAST(… AS …)`.
public func cast<RowDecoder>(
  _ value: AssociationAggregate<RowDecoder>, as type: ColumnType
) -> AssociationAggregate<RowDecoder> {
  AssociationAggregate(cast(value.expression, as: type), name: value.name)
}
