import KindredSQLSyntax

/// The rows that come after one with given values in an order.
///
/// The values follow the plan's parameters; only which of them are NULL is part of the plan.
struct Keyset {
  let order: [OrderTerm]
  let values: [SQLValue]

  /// The condition as a whole.
  ///
  ///     t1 > v1 OR (t1 = v1 AND (t2 > v2 OR …))
  func condition(on expressions: [SQL]) -> SQL {
    var condition: SQL = "FALSE"
    for number in order.indices.reversed() {
      let beyond = beyond(number, expressions[number])
      let follows: SQL = beyond.count == 1 ? beyond[0] : "(\(beyond.joined(separator: " OR ")))"
      condition =
        number == order.count - 1
        ? follows : "(\(follows) OR (\(isSame(number, expressions[number])) AND \(condition)))"
    }
    return condition
  }

  /// The condition in parts, in the order of the rows that they give.
  ///
  ///     t1 = v1 AND t2 > v2
  ///     t1 > v1
  ///
  /// Each is one range of an index, so that a page far from the start costs what the first costs.
  func ranges(on expressions: [SQL]) -> [SQL] {
    order.indices.reversed().flatMap { number in
      let same = (0..<number).map { isSame($0, expressions[$0]) }
      return beyond(number, expressions[number]).map { (same + [$0]).joined(separator: " AND ") }
    }
  }

  private func isSame(_ number: Int, _ expression: SQL) -> SQL {
    values[number] == .null ? "\(expression) IS NULL" : "\(expression) = \(.cursor(number))"
  }

  /// That a term is beyond its value: NULLs apart, for they are a range of their own.
  private func beyond(_ number: Int, _ expression: SQL) -> [SQL] {
    let term = order[number]
    if values[number] == .null {
      return [term.nullsComeFirst ? "\(expression) IS NOT NULL" : "FALSE"]
    }
    let beyond: SQL = "\(expression) \(term.isDescending ? "<" : ">") \(.cursor(number))"
    return term.nullsComeFirst ? [beyond] : [beyond, "\(expression) IS NULL"]
  }
}
