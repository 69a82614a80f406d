/// Operators on aggregates: the result has no name of its own.
extension AssociationAggregate {
  /// Equal; `nil` is NULL.
  public static func == (left: Self, right: Self) -> Self { Self(left.expression == right.expression) }
  /// Equal; `nil` is NULL.
  public static func == (left: Self, right: (any SQLExpressible)?) -> Self { Self(left.expression == right) }
  /// Equal; `nil` is NULL.
  @_disfavoredOverload
  public static func == (left: some SQLExpressible, right: Self) -> Self { Self(left == right.expression) }

  /// Not equal; `nil` is NULL.
  public static func != (left: Self, right: Self) -> Self { Self(left.expression != right.expression) }
  /// Not equal; `nil` is NULL.
  public static func != (left: Self, right: (any SQLExpressible)?) -> Self { Self(left.expression != right) }
  /// Not equal; `nil` is NULL.
  @_disfavoredOverload
  public static func != (left: some SQLExpressible, right: Self) -> Self { Self(left != right.expression) }

  /// Less.
  public static func < (left: Self, right: Self) -> Self { Self(left.expression < right.expression) }
  /// Less.
  public static func < (left: Self, right: some SQLExpressible) -> Self { Self(left.expression < right) }
  /// Less.
  public static func < (left: some SQLExpressible, right: Self) -> Self { Self(left < right.expression) }

  /// Less or equal.
  public static func <= (left: Self, right: Self) -> Self { Self(left.expression <= right.expression) }
  /// Less or equal.
  public static func <= (left: Self, right: some SQLExpressible) -> Self { Self(left.expression <= right) }
  /// Less or equal.
  public static func <= (left: some SQLExpressible, right: Self) -> Self { Self(left <= right.expression) }

  /// Greater.
  public static func > (left: Self, right: Self) -> Self { Self(left.expression > right.expression) }
  /// Greater.
  public static func > (left: Self, right: some SQLExpressible) -> Self { Self(left.expression > right) }
  /// Greater.
  public static func > (left: some SQLExpressible, right: Self) -> Self { Self(left > right.expression) }

  /// Greater or equal.
  public static func >= (left: Self, right: Self) -> Self { Self(left.expression >= right.expression) }
  /// Greater or equal.
  public static func >= (left: Self, right: some SQLExpressible) -> Self { Self(left.expression >= right) }
  /// Greater or equal.
  public static func >= (left: some SQLExpressible, right: Self) -> Self { Self(left >= right.expression) }

  /// The sum.
  public static func + (left: Self, right: Self) -> Self { Self(left.expression + right.expression) }
  /// The sum.
  public static func + (left: Self, right: some SQLExpressible) -> Self { Self(left.expression + right) }
  /// The sum.
  public static func + (left: some SQLExpressible, right: Self) -> Self {
    Self(left.sqlExpression + right.expression)
  }

  /// The difference.
  public static func - (left: Self, right: Self) -> Self { Self(left.expression - right.expression) }
  /// The difference.
  public static func - (left: Self, right: some SQLExpressible) -> Self { Self(left.expression - right) }
  /// The difference.
  public static func - (left: some SQLExpressible, right: Self) -> Self {
    Self(left.sqlExpression - right.expression)
  }

  /// The product.
  public static func * (left: Self, right: Self) -> Self { Self(left.expression * right.expression) }
  /// The product.
  public static func * (left: Self, right: some SQLExpressible) -> Self { Self(left.expression * right) }
  /// The product.
  public static func * (left: some SQLExpressible, right: Self) -> Self {
    Self(left.sqlExpression * right.expression)
  }

  /// The quotient.
  public static func / (left: Self, right: Self) -> Self { Self(left.expression / right.expression) }
  /// The quotient.
  public static func / (left: Self, right: some SQLExpressible) -> Self { Self(left.expression / right) }
  /// The quotient.
  public static func / (left: some SQLExpressible, right: Self) -> Self {
    Self(left.sqlExpression / right.expression)
  }

  /// The opposite.
  public static prefix func - (operand: Self) -> Self { Self(-operand.expression) }

  /// Both.
  public static func && (left: Self, right: Self) -> Self { Self(left.expression && right.expression) }

  /// One of them, or both.
  public static func || (left: Self, right: Self) -> Self { Self(left.expression || right.expression) }

  /// Not.
  public static prefix func ! (operand: Self) -> Self { Self(!operand.expression) }

  /// The value, or another one where it is NULL; under the name that it has.
  public static func ?? (left: Self, right: some SQLExpressible) -> Self {
    Self(left.expression ?? right, name: left.name)
  }
}

/// The absolute value: `ABS(…)`.
public func abs<RowDecoder>(_ value: AssociationAggregate<RowDecoder>) -> AssociationAggregate<RowDecoder> {
  AssociationAggregate(abs(value.expression))
}

/// How long a text or a blob is: `LENGTH(…)`.
public func length<RowDecoder>(_ value: AssociationAggregate<RowDecoder>) -> AssociationAggregate<RowDecoder>
{
  AssociationAggregate(length(value.expression))
}

/// The value in another storage class: `CAST(… AS …)`.
public func cast<RowDecoder>(
  _ value: AssociationAggregate<RowDecoder>, as type: ColumnType
) -> AssociationAggregate<RowDecoder> {
  AssociationAggregate(cast(value.expression, as: type))
}
