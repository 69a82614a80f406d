import KindredModel
import KindredSQLSyntax

/// The rows that follow given values in an order; before them, where the order is the opposite one.
///
/// The values are bound when the plan runs; only which of them are NULL is part of the plan.
struct Keyset {
  var order: [OrderTerm]
  /// For each term, whether its value is NULL; nil if unknown.
  let isNull: [Bool?]
  /// The number of the first value among those of the cursor.
  var firstValue = 0
  /// Whether rows with exactly these values are included.
  var isInclusive = false
  /// The access rules that must hold before a term that could disclose its record is evaluated.
  var rules: [SQL] = []
  /// Whether terms may have values that don't fit their affinity, so that comparisons must not convert them, as sorting
  /// doesn't.
  let ignoresAffinity: Bool
  let dialect: any SQLDialect

  /// Returns the whole condition.
  ///
  ///     CASE WHEN t1 > v1 THEN TRUE WHEN t1 IS NOT v1 THEN FALSE WHEN t2 > v2 THEN TRUE … ELSE FALSE END
  ///
  /// It is flat, since the parser stack of SQLite is limited to 100 entries.
  func condition(on expressions: [SQL]) -> SQL {
    let condition = plainCondition(on: expressions)
    return order.contains(where: \.mayDisclose) ? condition.behind(rules) : condition
  }

  private func plainCondition(on expressions: [SQL]) -> SQL {
    if order.count == 1, !isInclusive || isNull[0] != nil {
      let beyond = beyond(0, compared(expressions[0]))
      return beyond.count == 1 ? beyond[0] : "(\(beyond.joined(separator: " OR ")))"
    }
    var sql: SQL = "CASE"
    for number in order.indices {
      let expression = compared(expressions[number])
      sql.append(
        " WHEN \(beyond(number, expression, isInclusive: false).joined(separator: " OR ")) THEN TRUE")
      guard isInclusive || number < order.count - 1 else { continue }
      sql.append(" WHEN \(dialect.isSame(expression, value(number), negated: true)) THEN FALSE")
    }
    sql.append(isInclusive ? " ELSE TRUE END" : " ELSE FALSE END")
    return sql
  }

  /// Whether the condition can be split into ranges that are few enough to be read one after the other.
  var hasRanges: Bool { (2...8).contains(order.count) && !isNull.contains(nil) }

  /// A part of the rows, which is one range of an index.
  struct Range {
    let condition: SQL
    /// The numbers of the terms that order its rows, each with whether it may be NULL there.
    let order: [(term: Int, isNullable: Bool)]
  }

  /// Returns the condition in parts, in the order of their rows.
  ///
  ///     t1 = v1 AND t2 > v2
  ///     t1 > v1
  ///
  /// Each is one range of an index, so that a page far from the start costs no more than the first one.
  func ranges(on expressions: [SQL]) -> [Range] {
    let compared = expressions.map(compared)
    return order.indices.reversed().flatMap { number in
      let same = (0..<number).map { guarded($0, isSame($0, compared[$0])) }
      return beyond(number, compared[number]).map { condition in
        let isNull = condition == "\(compared[number]) IS NULL"
        let ordering = order.indices.compactMap { term -> (term: Int, isNullable: Bool)? in
          // A term that is NULL in all rows orders none of them.
          if term < number { return self.isNull[term] ?? false ? nil : (term, false) }
          guard term == number else { return (term, order[term].isNullable) }
          return isNull ? nil : (term, order[term].isNullable && self.isNull[term] ?? true)
        }
        return Range(
          condition: (same + [guarded(number, condition)]).joined(separator: " AND "), order: ordering)
      }
    }
  }

  /// Returns conditions that the terms with these numbers equal their values.
  func equality(on expressions: [SQL], in numbers: some Sequence<Int>) -> [SQL] {
    numbers.map { guarded($0, dialect.isSame(compared(expressions[$0]), value($0), negated: false)) }
  }

  /// Returns a term as the operand of a comparison: `+` removes its affinity, but not its collation
  /// (<https://www.sqlite.org/datatype3.html#type_conversions_prior_to_comparison>).
  private func compared(_ expression: SQL) -> SQL { ignoresAffinity ? "+\(expression)" : expression }

  /// Returns a condition on a term, behind the access rules if the term could disclose its record.
  private func guarded(_ number: Int, _ condition: SQL) -> SQL {
    order[number].mayDisclose ? condition.behind(rules) : condition
  }

  private func value(_ number: Int) -> SQL {
    dialect.parameter(.cursor(firstValue + number), as: order[number].type)
  }

  private func isSame(_ number: Int, _ expression: SQL) -> SQL {
    isNull[number] ?? false ? "\(expression) IS NULL" : "\(expression) = \(value(number))"
  }

  /// Returns the conditions that a term is beyond its value, with NULLs apart, since they are a separate range.
  ///
  /// - Parameter isInclusive: Whether a term that equals its value counts; by default, only the last one of an inclusive
  ///   condition.
  private func beyond(_ number: Int, _ expression: SQL, isInclusive: Bool? = nil) -> [SQL] {
    let term = order[number]
    let value = value(number)
    let isInclusive = isInclusive ?? (self.isInclusive && number == order.count - 1)
    let comparison: SQL = term.isDescending ? "<" : ">"
    let beyond: SQL = "\(expression) \(comparison)\(isInclusive ? "=" : SQL()) \(value)"
    switch isNull[number] {
    case true? where isInclusive:
      return [term.nullsComeFirst ? "TRUE" : "\(expression) IS NULL"]
    case true?:
      return [term.nullsComeFirst ? "\(expression) IS NOT NULL" : "FALSE"]
    case false?:
      return term.nullsComeFirst ? [beyond] : [beyond, "\(expression) IS NULL"]
    case nil:
      return [
        beyond,
        term.nullsComeFirst
          ? "\(value) IS NULL AND \(expression) IS NOT NULL"
          : "\(expression) IS NULL AND \(value) IS NOT NULL",
      ]
    }
  }
}
