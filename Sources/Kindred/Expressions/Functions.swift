/// The greatest of a group's values: `MAX(…)`.
public func max(_ value: some SQLSpecificExpressible) -> SQLExpression { .call("MAX", [value.sqlExpression]) }

/// The least of a group's values: `MIN(…)`.
public func min(_ value: some SQLSpecificExpressible) -> SQLExpression { .call("MIN", [value.sqlExpression]) }

/// The average of a group's values: `AVG(…)`.
public func average(_ value: some SQLSpecificExpressible) -> SQLExpression {
  .call("AVG", [value.sqlExpression])
}

/// The sum of a group's values, NULL for none: `SUM(…)`.
public func sum(_ value: some SQLSpecificExpressible) -> SQLExpression { .call("SUM", [value.sqlExpression]) }

/// The sum of a group's values, 0.0 for none: `TOTAL(…)`.
public func total(_ value: some SQLSpecificExpressible) -> SQLExpression {
  .call("TOTAL", [value.sqlExpression])
}

/// How many of a group's values are not NULL: `COUNT(…)`.
public func count(_ value: some SQLSpecificExpressible) -> SQLExpression {
  .call("COUNT", [value.sqlExpression])
}

/// How many different values a group has: `COUNT(DISTINCT …)`.
public func count(distinct value: some SQLSpecificExpressible) -> SQLExpression {
  .raw([.text("COUNT(DISTINCT "), .expression(value.sqlExpression), .text(")")])
}

/// The absolute value: `ABS(…)`.
public func abs(_ value: some SQLSpecificExpressible) -> SQLExpression { .call("ABS", [value.sqlExpression]) }

/// How long a text or a blob is: `LENGTH(…)`.
public func length(_ value: some SQLSpecificExpressible) -> SQLExpression {
  .call("LENGTH", [value.sqlExpression])
}

/// The value in another storage class: `CAST(… AS …)`.
public func cast(_ value: some SQLSpecificExpressible, as type: ColumnType) -> SQLExpression {
  .raw([.text("CAST("), .expression(value.sqlExpression), .text(" AS \(type.rawValue))")])
}
