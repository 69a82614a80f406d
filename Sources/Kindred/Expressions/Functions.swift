import KindredModel

// Each overload of a name that Swift has too takes at least one column or expression, so that it never replaces
// Swift's own.

// An aggregate with a filter is computed from the rows of the group that satisfy it: `MAX(…) FILTER (WHERE …)`.

/// Returns the greatest value of a group: `MAX(…)`.
public func max(
  _ value: some SQLSpecificExpressible, filter: (any SQLSpecificExpressible)? = nil
) -> SQLExpression { .aggregate("max", value, filter) }

/// Returns the least value of a group: `MIN(…)`.
public func min(
  _ value: some SQLSpecificExpressible, filter: (any SQLSpecificExpressible)? = nil
) -> SQLExpression { .aggregate("min", value, filter) }

/// Returns the greatest of several values, or NULL if one is: `MAX(…, …)`.
public func max(
  _ first: some SQLSpecificExpressible, _ second: any SQLExpressible, _ rest: any SQLExpressible...
) -> SQLExpression { .call("max", [first, second] + rest) }

/// Returns the least of several values, or NULL if one is: `MIN(…, …)`.
public func min(
  _ first: some SQLSpecificExpressible, _ second: any SQLExpressible, _ rest: any SQLExpressible...
) -> SQLExpression { .call("min", [first, second] + rest) }

/// Returns the average value of a group: `AVG(…)`.
public func average(
  _ value: some SQLSpecificExpressible, filter: (any SQLSpecificExpressible)? = nil
) -> SQLExpression { .aggregate("avg", value, filter) }

/// Returns the sum of a group's values, or NULL if it has none: `SUM(…)`.
public func sum(
  _ value: some SQLSpecificExpressible, filter: (any SQLSpecificExpressible)? = nil
) -> SQLExpression { .aggregate("sum", value, filter) }

/// Returns the sum of a group's values, or 0.0 if it has none: `TOTAL(…)`.
public func total(
  _ value: some SQLSpecificExpressible, filter: (any SQLSpecificExpressible)? = nil
) -> SQLExpression { .aggregate("total", value, filter) }

/// Returns the number of a group's values that are not NULL: `COUNT(…)`.
public func count(
  _ value: some SQLSpecificExpressible, filter: (any SQLSpecificExpressible)? = nil
) -> SQLExpression { .aggregate("count", value, filter) }

/// Returns the number of distinct values of a group that are not NULL: `COUNT(DISTINCT …)`.
public func count(distinct value: some SQLSpecificExpressible) -> SQLExpression {
  .call("count", [value], isDistinct: true)
}

/// Returns the absolute value: `ABS(…)`.
public func abs(_ value: some SQLSpecificExpressible) -> SQLExpression {
  .call("abs", [value])
}

/// Returns the length of a text in characters, or of a blob in bytes: `LENGTH(…)`.
public func length(_ value: some SQLSpecificExpressible) -> SQLExpression {
  .call("length", [value])
}

/// Returns the values of a group as one text: `GROUP_CONCAT(…)`.
///
/// - Parameters:
///   - value: The values.
///   - separator: The text between them; a comma by default.
public func groupConcat(_ value: some SQLSpecificExpressible, separator: String? = nil) -> SQLExpression {
  .call("concat", [value] + (separator.map { [$0] } ?? []))
}

/// Returns the value converted to another type: `CAST(… AS …)`.
public func cast(_ value: some SQLSpecificExpressible, as type: ColumnType) -> SQLExpression {
  let value = value.sqlExpression
  // SQLite derives the conversion from any name, the engine knows those of the affinities.
  guard let known = KindredModel.Expression.CastType(rawValue: type.rawValue.lowercased()) else {
    return .raw([.text("CAST("), .expression(value), .text(" AS \(type.rawValue))")])
  }
  return SQLExpression([value]) { .cast($0[0], known) }
}

/// Returns the first of several values that is not NULL: `COALESCE(…)`.
public func coalesce(_ values: some Collection<any SQLExpressible>) -> SQLExpression {
  switch values.count {
  case 0: SQLExpression(.value(.null))
  case 1: values.first?.sqlExpression ?? SQLExpression(.value(.null))
  default: .call("coalesce", Array(values))
  }
}

/// Returns a date and time as text: `DATETIME(…)` (<https://www.sqlite.org/lang_datefunc.html>).
///
///     dateTime(Column("createdAt"), .day(1), .startOfMonth)
public func dateTime(_ value: some SQLSpecificExpressible, _ modifiers: SQLDateModifier...) -> SQLExpression {
  .call("datetime", [value] + modifiers.map(\.sql))
}

/// Returns a date as text: `DATE(…)`.
public func date(_ value: some SQLSpecificExpressible, _ modifiers: SQLDateModifier...) -> SQLExpression {
  .call("date", [value] + modifiers.map(\.sql))
}

/// Returns a date and time as a number of days: `JULIANDAY(…)`.
public func julianDay(_ value: some SQLSpecificExpressible, _ modifiers: SQLDateModifier...) -> SQLExpression
{
  .call("julianday", [value] + modifiers.map(\.sql))
}

/// Returns a date and time in a format: `STRFTIME(…, …)`.
public func strftime(
  _ format: String, _ value: some SQLSpecificExpressible, _ modifiers: SQLDateModifier...
) -> SQLExpression { .call("strftime", [format, value] + modifiers.map(\.sql)) }

/// A change of a date (<https://www.sqlite.org/lang_datefunc.html#modifiers>).
public enum SQLDateModifier: Sendable, Hashable {
  /// A number of days later.
  case day(Int)
  /// A number of hours later.
  case hour(Int)
  /// A number of minutes later.
  case minute(Int)
  /// A number of seconds later.
  case second(Double)
  /// A number of months later.
  case month(Int)
  /// A number of years later.
  case year(Int)
  /// The start of the month.
  case startOfMonth
  /// The start of the year.
  case startOfYear
  /// The start of the day.
  case startOfDay
  /// The next day of a week, from 0 for Sunday, or the day itself.
  case weekday(Int)
  /// The number counts seconds since 1970.
  case unixEpoch
  /// The time becomes local.
  case localTime
  /// The time becomes UTC.
  case utc

  fileprivate var sql: String {
    switch self {
    case .day(let number): "\(number) days"
    case .hour(let number): "\(number) hours"
    case .minute(let number): "\(number) minutes"
    case .second(let number): "\(number) seconds"
    case .month(let number): "\(number) months"
    case .year(let number): "\(number) years"
    case .startOfMonth: "start of month"
    case .startOfYear: "start of year"
    case .startOfDay: "start of day"
    case .weekday(let number): "weekday \(number)"
    case .unixEpoch: "unixepoch"
    case .localTime: "localtime"
    case .utc: "utc"
    }
  }
}

// MARK: - Texts

extension SQLSpecificExpressible {
  /// The text with its ASCII letters in lower case: `LOWER(…)`.
  public var lowercased: SQLExpression { .call("lower", [self]) }

  /// The text with its ASCII letters in upper case: `UPPER(…)`.
  public var uppercased: SQLExpression { .call("upper", [self]) }
}

// MARK: - Calls

extension SQLExpression {
  /// Returns an aggregate of a group, or of those of its rows that satisfy a filter.
  fileprivate static func aggregate(
    _ function: String, _ value: some SQLSpecificExpressible, _ filter: (any SQLSpecificExpressible)?
  ) -> SQLExpression {
    filter == nil ? call(function, [value]) : group(function, [value], nil, filter)
  }

  /// Returns a call of an SQL function, or of an aggregate of a group.
  ///
  /// Those of the engine become its nodes, which it can plan; any other is SQL text.
  static func call(
    _ function: String, _ arguments: [any SQLExpressible], isDistinct: Bool = false
  ) -> SQLExpression {
    let arguments = arguments.map(\.sqlExpression)
    if ExpressionFunctions.has(function, argumentCount: arguments.count) {
      return SQLExpression(arguments) {
        .function(name: function, arguments: $0, isDistinct: isDistinct)
      }
    }
    return raw([.text("\(function)(")] + .list(arguments) + [.text(")")])
  }
}
