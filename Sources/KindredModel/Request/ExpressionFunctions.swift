/// The functions of the expression language.
package enum ExpressionFunctions {
  /// The functions of values, and their numbers of arguments.
  package static let scalars: [String: ClosedRange<Int>] = [
    "abs": 1...1, "length": 1...1, "lower": 1...1, "upper": 1...1,
    "trim": 1...2, "ltrim": 1...2, "rtrim": 1...2,
    "substr": 2...3, "replace": 3...3, "instr": 2...2,
    "round": 1...2, "floor": 1...1, "ceil": 1...1, "sign": 1...1,
    "iif": 3...3, "coalesce": 2...100, "ifnull": 2...2, "nullif": 2...2, "min": 2...100, "max": 2...100,
    "date": 0...20, "time": 0...20, "datetime": 0...20, "julianday": 0...20, "strftime": 1...20,
    "json_extract": 2...20, "contains": 2...2, "overlaps": 2...2,
  ]

  /// The functions of a search, and their numbers of arguments.
  package static let ofSearches: [String: ClosedRange<Int>] = [
    "rank": 0...0, "highlight": 3...3, "snippet": 4...4,
  ]

  /// The functions whose second argument is JSON where it is a literal that looks so.
  package static let containments: Set = ["contains", "overlaps"]

  /// The names of all functions of values, sorted.
  package static var scalarNames: [String] { scalars.keys.sorted() }

  /// The names of all aggregates of groups, sorted.
  package static var aggregateNames: [String] {
    Expression.AggregateFunction.allCases.filter { $0 != .isEmpty }.map(\.nameOfGroup).sorted()
  }

  /// Returns whether there is a function or an aggregate of a group with a name that takes a number of arguments.
  package static func has(_ name: String, argumentCount: Int) -> Bool {
    scalars[name]?.contains(argumentCount) ?? false
      || groupAggregate(name, argumentCount: argumentCount) != nil
  }

  /// Returns what to write in place of a function of SQL that has no counterpart with the same arguments.
  package static func replacement(for name: String, _ arguments: [Expression]) -> String? {
    switch name {
    case "exists":
      guard case .path(let path)? = arguments.first?.kind, path.parents == 0, path.components.count == 1
      else { return "write `not`, an association, and `.isEmpty`" }
      return "write `not \(path.components[0].name.asExpressionName).isEmpty`"
    case "median", "percentile":
      return "sort by the value, and select the middle record with `offset` and `limit=1`"
    case "random": return "records need a stable order, on which pages rely"
    case "unixepoch": return "write `strftime('%s', …)`"
    case "format", "printf": return "write `||` and `round`"
    default: return nil
    }
  }

  /// Returns the aggregate that a call stands for; nil for other functions, such as `min` and `max` of several values.
  package static func groupAggregate(_ name: String, argumentCount: Int) -> Expression.AggregateFunction? {
    let name = name.lowercased()
    guard argumentCount <= 1 || name == "concat" && argumentCount == 2 else { return nil }
    return Expression.AggregateFunction(named: name)
  }
}
