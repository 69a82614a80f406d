import KindredModel

/// A column that contains JSON (<https://www.sqlite.org/json1.html>).
///
///     let info = JSONColumn("info")
///     let players = try Player.filter(info["address"]["city"] == "Paris").fetchAll(db)
public struct JSONColumn: ColumnExpression, SQLJSONExpressible {
  /// The name of the column in the database.
  public let name: String

  /// The column with that name.
  public init(_ name: String) {
    self.name = name
  }

  /// Creates the column with the name of a coding key.
  public init(_ key: some CodingKey) {
    name = key.stringValue
  }
}

/// An expression whose value is JSON.
public protocol SQLJSONExpressible: SQLSpecificExpressible {}

/// A part of a JSON value.
public struct SQLJSONExpression: SQLJSONExpressible {
  /// The expression.
  public let sqlExpression: SQLExpression
  /// Whether the value is JSON also if it is a text or a number.
  fileprivate var isJSON = false
}

extension SQLExpressible {
  /// The value as an operand of a function that builds JSON, in which a JSON value is no text.
  var jsonOperand: any SQLExpressible {
    switch self {
    case let part as SQLJSONExpression: part.isJSON ? Database.json(part) : part
    case let column as any SQLJSONExpressible: Database.json(column)
    default: self
    }
  }
}

extension SQLExpression {
  /// Returns a call of an aggregate of a group, of some of its rows, and in an order.
  static func group(
    _ function: String, _ arguments: [any SQLExpressible], _ ordering: (any SQLOrderingTerm)?,
    _ filter: (any SQLSpecificExpressible)?
  ) -> SQLExpression {
    var parts = [.text("\(function)(")] + .list(arguments.map(\.sqlExpression))
    if let ordering { parts += [.text(" ORDER BY ")] + ordering.sqlOrdering.rawParts }
    parts.append(.text(")"))
    if let filter { parts += [.text(" FILTER (WHERE "), .expression(filter.sqlExpression), .text(")")] }
    return raw(parts)
  }
}

extension SQLSpecificExpressible {
  /// The value as JSON.
  public var asJSON: SQLJSONExpression { SQLJSONExpression(sqlExpression: sqlExpression, isJSON: true) }
}

extension SQLJSONExpressible {
  /// The value of a key of an object as a value of SQL, or as JSON if it is an object or an array: `->>`.
  public subscript(key: String) -> SQLJSONExpression { operation("->>", key) }

  /// The element of an array as a value of SQL, or as JSON if it is an object or an array; negative numbers count from
  /// the end.
  public subscript(index: Int) -> SQLJSONExpression {
    index < 0 ? operation("->>", "$[#\(index)]") : operation("->>", index)
  }

  /// Returns the value at a path such as `$.address.city` as a value of SQL.
  public func jsonExtract(atPath path: some SQLExpressible) -> SQLExpression {
    .call("json_extract", [self, path])
  }

  /// Returns the values at several paths as a JSON array.
  public func jsonExtract(atPaths paths: some Collection<any SQLExpressible>) -> SQLExpression {
    .call("json_extract", [self] + paths)
  }

  /// Returns the value at a path or of a key as JSON: `->`.
  public func jsonRepresentation(atPath path: some SQLExpressible) -> SQLExpression {
    operation("->", path).sqlExpression
  }

  private func operation(_ op: String, _ operand: some SQLExpressible) -> SQLJSONExpression {
    SQLJSONExpression(
      sqlExpression: .raw([
        .text("("), .expression(sqlExpression), .text(" \(op) "), .expression(operand.sqlExpression),
        .text(")"),
      ]))
  }
}

/// Functions of JSON.
extension Database {
  /// Returns the minified JSON of a value: `JSON(…)`.
  public static func json(_ value: some SQLExpressible) -> SQLExpression { .call("JSON", [value]) }

  /// Returns an array of values: `JSON_ARRAY(…)`.
  public static func jsonArray(_ values: some Collection<any SQLExpressible>) -> SQLExpression {
    .call("JSON_ARRAY", values.map(\.jsonOperand))
  }

  /// Returns an array of values: `JSON_ARRAY(…)`.
  public static func jsonArray(_ values: some Collection<some SQLExpressible>) -> SQLExpression {
    .call("JSON_ARRAY", values.map(\.jsonOperand))
  }

  /// Returns an object of keys and values: `JSON_OBJECT(…)`.
  public static func jsonObject(
    _ elements: some Collection<(key: String, value: any SQLExpressible)>
  ) -> SQLExpression {
    .call("JSON_OBJECT", operands(elements))
  }

  /// Returns the number of elements of an array: `JSON_ARRAY_LENGTH(…)`.
  public static func jsonArrayLength(
    _ value: some SQLExpressible, atPath path: (any SQLExpressible)? = nil
  ) -> SQLExpression { .call("JSON_ARRAY_LENGTH", [value] + (path.map { [$0] } ?? [])) }

  /// Returns the type of a JSON value: `JSON_TYPE(…)`.
  public static func jsonType(
    _ value: some SQLExpressible, atPath path: (any SQLExpressible)? = nil
  ) -> SQLExpression { .call("JSON_TYPE", [value] + (path.map { [$0] } ?? [])) }

  /// Returns whether a text is JSON: `JSON_VALID(…)`.
  public static func jsonIsValid(_ value: some SQLExpressible) -> SQLExpression {
    .call("JSON_VALID", [value])
  }

  /// Returns an array of the values of a group: `JSON_GROUP_ARRAY(…)`.
  ///
  /// - Parameters:
  ///   - value: The values.
  ///   - ordering: The order of the elements.
  ///   - filter: The condition of the rows whose values are elements.
  public static func jsonGroupArray(
    _ value: some SQLExpressible, orderBy ordering: (any SQLOrderingTerm)? = nil,
    filter: (any SQLSpecificExpressible)? = nil
  ) -> SQLExpression { .group("JSON_GROUP_ARRAY", [value.jsonOperand], ordering, filter) }

  /// Returns an object of the keys and values of a group: `JSON_GROUP_OBJECT(…, …)`.
  ///
  /// - Parameters:
  ///   - key: The keys.
  ///   - value: The values.
  ///   - filter: The condition of the rows whose values are members.
  public static func jsonGroupObject(
    key: some SQLExpressible, value: some SQLExpressible, filter: (any SQLSpecificExpressible)? = nil
  ) -> SQLExpression { .group("JSON_GROUP_OBJECT", [key.jsonOperand, value.jsonOperand], nil, filter) }

  /// Returns the value at a path as a value of SQL: `JSON_EXTRACT(…, …)`.
  public static func jsonExtract(
    _ value: some SQLExpressible, atPath path: some SQLExpressible
  ) -> SQLExpression { .call("JSON_EXTRACT", [value, path]) }

  /// Returns the values at several paths as an array: `JSON_EXTRACT(…, …, …)`.
  public static func jsonExtract(
    _ value: some SQLExpressible, atPaths paths: some Collection<any SQLExpressible>
  ) -> SQLExpression { .call("JSON_EXTRACT", [value] + Array(paths)) }

  /// Returns a value of SQL as JSON: `JSON_QUOTE(…)`.
  public static func jsonQuote(_ value: some SQLExpressible) -> SQLExpression {
    .call("JSON_QUOTE", [value.jsonOperand])
  }

  /// Returns a JSON value changed by a merge patch: `JSON_PATCH(…, …)`.
  public static func jsonPatch(
    _ value: some SQLExpressible, with patch: some SQLExpressible
  ) -> SQLExpression { .call("JSON_PATCH", [value, patch]) }

  /// Returns a JSON value without what is at a path: `JSON_REMOVE(…, …)`.
  public static func jsonRemove(
    _ value: some SQLExpressible, atPath path: some SQLExpressible
  ) -> SQLExpression { .call("JSON_REMOVE", [value, path]) }

  /// Returns a JSON value without what is at several paths: `JSON_REMOVE(…, …, …)`.
  public static func jsonRemove(
    _ value: some SQLExpressible, atPaths paths: some Collection<any SQLExpressible>
  ) -> SQLExpression { .call("JSON_REMOVE", [value] + Array(paths)) }

  /// Returns a JSON value with other values at paths where there are none: `JSON_INSERT(…)`.
  public static func jsonInsert(
    _ value: some SQLExpressible, _ assignments: some Collection<(key: String, value: any SQLExpressible)>
  ) -> SQLExpression { .call("JSON_INSERT", [value] + operands(assignments)) }

  /// Returns a JSON value with other values at paths where there are some: `JSON_REPLACE(…)`.
  public static func jsonReplace(
    _ value: some SQLExpressible, _ assignments: some Collection<(key: String, value: any SQLExpressible)>
  ) -> SQLExpression { .call("JSON_REPLACE", [value] + operands(assignments)) }

  /// Returns a JSON value with other values at paths: `JSON_SET(…)`.
  public static func jsonSet(
    _ value: some SQLExpressible, _ assignments: some Collection<(key: String, value: any SQLExpressible)>
  ) -> SQLExpression { .call("JSON_SET", [value] + operands(assignments)) }

  static func operands(
    _ assignments: some Collection<(key: String, value: any SQLExpressible)>
  ) -> [any SQLExpressible] {
    assignments.flatMap { [$0.key, $0.value.jsonOperand] as [any SQLExpressible] }
  }
}
