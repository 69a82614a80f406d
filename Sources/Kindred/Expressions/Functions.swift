/// Returns the greatest value of a group: `MAX(…)`.
public func max(_ value: some SQLSpecificExpressible) -> SQLExpression { .call("MAX", [value.sqlExpression]) }

/// Returns the least value of a group: `MIN(…)`.
public func min(_ value: some SQLSpecificExpressible) -> SQLExpression { .call("MIN", [value.sqlExpression]) }

/// Returns the average value of a group: `AVG(…)`.
public func average(_ value: some SQLSpecificExpressible) -> SQLExpression {
  .call("AVG", [value.sqlExpression])
}

/// Returns the sum of a group's values, or NULL if it has none: `SUM(…)`.
public func sum(_ value: some SQLSpecificExpressible) -> SQLExpression { .call("SUM", [value.sqlExpression]) }

/// Returns the sum of a group's values, or 0.0 if it has none: `TOTAL(…)`.
public func total(_ value: some SQLSpecificExpressible) -> SQLExpression {
  .call("TOTAL", [value.sqlExpression])
}

/// Returns the number of a group's values that are not NULL: `COUNT(…)`.
public func count(_ value: some SQLSpecificExpressible) -> SQLExpression {
  .call("COUNT", [value.sqlExpression])
}

/// Returns the number of distinct values of a group that are not NULL: `COUNT(DISTINCT …)`.
public func count(distinct value: some SQLSpecificExpressible) -> SQLExpression {
  .raw([.text("COUNT(DISTINCT "), .expression(value.sqlExpression), .text(")")])
}

/// Returns the absolute value: `ABS(…)`.
public func abs(_ value: some SQLSpecificExpressible) -> SQLExpression { .call("ABS", [value.sqlExpression]) }

/// Returns the length of a text in characters, or of a blob in bytes: `LENGTH(…)`.
public func length(_ value: some SQLSpecificExpressible) -> SQLExpression {
  .call("LENGTH", [value.sqlExpression])
}

/// Returns the value converted to another type: `CAST(… AS …)`.
public func cast(_ value: some SQLSpecificExpressible, as type: ColumnType) -> SQLExpression {
  .raw([.text("CAST("), .expression(value.sqlExpression), .text(" AS \(type.rawValue))")])
}
