// The functions whose results are SQLite's binary JSON (<https://www.sqlite.org/jsonb.html>), of SQLite 3.45 and later.

extension Database {
  /// Returns the minified JSON of a value: `JSONB(…)`.
  public static func jsonb(_ value: some SQLExpressible) -> SQLExpression { .call("JSONB", [value]) }

  /// Returns an array of values: `JSONB_ARRAY(…)`.
  public static func jsonbArray(_ values: some Collection<any SQLExpressible>) -> SQLExpression {
    .call("JSONB_ARRAY", values.map(\.jsonOperand))
  }

  /// Returns an array of values: `JSONB_ARRAY(…)`.
  public static func jsonbArray(_ values: some Collection<some SQLExpressible>) -> SQLExpression {
    .call("JSONB_ARRAY", values.map(\.jsonOperand))
  }

  /// Returns an object of keys and values: `JSONB_OBJECT(…)`.
  public static func jsonbObject(
    _ elements: some Collection<(key: String, value: any SQLExpressible)>
  ) -> SQLExpression {
    .call("JSONB_OBJECT", operands(elements))
  }

  /// Returns an array of the values of a group: `JSONB_GROUP_ARRAY(…)`.
  ///
  /// - Parameters:
  ///   - value: The values.
  ///   - ordering: The order of the elements.
  ///   - filter: The condition of the rows whose values are elements.
  public static func jsonbGroupArray(
    _ value: some SQLExpressible, orderBy ordering: (any SQLOrderingTerm)? = nil,
    filter: (any SQLSpecificExpressible)? = nil
  ) -> SQLExpression { .group("JSONB_GROUP_ARRAY", [value.jsonOperand], ordering, filter) }

  /// Returns an object of the keys and values of a group: `JSONB_GROUP_OBJECT(…, …)`.
  ///
  /// - Parameters:
  ///   - key: The keys.
  ///   - value: The values.
  ///   - filter: The condition of the rows whose values are members.
  public static func jsonbGroupObject(
    key: some SQLExpressible, value: some SQLExpressible, filter: (any SQLSpecificExpressible)? = nil
  ) -> SQLExpression { .group("JSONB_GROUP_OBJECT", [key.jsonOperand, value.jsonOperand], nil, filter) }

  /// Returns the value at a path as a value of SQL: `JSONB_EXTRACT(…, …)`.
  public static func jsonbExtract(
    _ value: some SQLExpressible, atPath path: some SQLExpressible
  ) -> SQLExpression { .call("JSONB_EXTRACT", [value, path]) }

  /// Returns the values at several paths as an array: `JSONB_EXTRACT(…, …, …)`.
  public static func jsonbExtract(
    _ value: some SQLExpressible, atPaths paths: some Collection<any SQLExpressible>
  ) -> SQLExpression { .call("JSONB_EXTRACT", [value] + Array(paths)) }

  /// Returns a JSON value changed by a merge patch: `JSONB_PATCH(…, …)`.
  public static func jsonbPatch(
    _ value: some SQLExpressible, with patch: some SQLExpressible
  ) -> SQLExpression { .call("JSONB_PATCH", [value, patch]) }

  /// Returns a JSON value without what is at a path: `JSONB_REMOVE(…, …)`.
  public static func jsonbRemove(
    _ value: some SQLExpressible, atPath path: some SQLExpressible
  ) -> SQLExpression { .call("JSONB_REMOVE", [value, path]) }

  /// Returns a JSON value without what is at several paths: `JSONB_REMOVE(…, …, …)`.
  public static func jsonbRemove(
    _ value: some SQLExpressible, atPaths paths: some Collection<any SQLExpressible>
  ) -> SQLExpression { .call("JSONB_REMOVE", [value] + Array(paths)) }

  /// Returns a JSON value with other values at paths where there are none: `JSONB_INSERT(…)`.
  public static func jsonbInsert(
    _ value: some SQLExpressible, _ assignments: some Collection<(key: String, value: any SQLExpressible)>
  ) -> SQLExpression { .call("JSONB_INSERT", [value] + operands(assignments)) }

  /// Returns a JSON value with other values at paths where there are some: `JSONB_REPLACE(…)`.
  public static func jsonbReplace(
    _ value: some SQLExpressible, _ assignments: some Collection<(key: String, value: any SQLExpressible)>
  ) -> SQLExpression { .call("JSONB_REPLACE", [value] + operands(assignments)) }

  /// Returns a JSON value with other values at paths: `JSONB_SET(…)`.
  public static func jsonbSet(
    _ value: some SQLExpressible, _ assignments: some Collection<(key: String, value: any SQLExpressible)>
  ) -> SQLExpression { .call("JSONB_SET", [value] + operands(assignments)) }
}
