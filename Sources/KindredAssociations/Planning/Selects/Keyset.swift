import KindredSQLSyntax

/// The rows that come after one with given values in an order.
///
/// The values follow the plan's parameters; only which of them are known to be NULL is part of the plan.
struct Keyset {
  let order: [OrderTerm]
  /// Whether the value of each term is NULL; nil where it is not known.
  let isNull: [Bool?]
  /// The number of the first value among those of the cursor.
  var firstValue = 0
  /// Whether rows with exactly these values belong to them.
  var isInclusive = false
  /// What must hold before a term is evaluated that could tell of its record.
  var rules: [SQL] = []
  /// Whether the values of a term may be of other types than its affinity makes: then a comparison must leave the
  /// values as they are, as the order does.
  let ignoresAffinity: Bool
  private let dialect: any SQLDialect

  /// The rows after a cursor.
  init(
    order: [OrderTerm], after cursor: Cursor, ignoringAffinity ignoresAffinity: Bool,
    _ dialect: any SQLDialect
  ) {
    self.order = order
    self.ignoresAffinity = ignoresAffinity
    self.dialect = dialect
    isNull = order.indices.map { cursor.values.indices.contains($0) ? cursor.values[$0] == .null : nil }
  }

  /// The rows from values on that are known when the statement runs.
  init(
    order: [OrderTerm], from firstValue: Int, ignoringAffinity ignoresAffinity: Bool,
    _ dialect: any SQLDialect
  ) {
    self.order = order
    self.ignoresAffinity = ignoresAffinity
    self.dialect = dialect
    self.firstValue = firstValue
    isNull = order.map { _ in nil }
    isInclusive = true
  }

  /// The condition as a whole.
  ///
  ///     CASE WHEN t1 > v1 THEN TRUE WHEN t1 IS NOT v1 THEN FALSE WHEN t2 > v2 THEN TRUE … ELSE FALSE END
  ///
  /// It is flat: SQLite's parser, which has a stack of 100 entries, takes any number of terms.
  func condition(on expressions: [SQL]) -> SQL {
    let condition = plainCondition(on: expressions)
    return order.contains(where: \.exposure.tells) ? condition.behind(rules) : condition
  }

  private func plainCondition(on expressions: [SQL]) -> SQL {
    if order.count == 1, !isInclusive {
      let beyond = beyond(0, compared(expressions[0]))
      return beyond.count == 1 ? beyond[0] : "(\(beyond.joined(separator: " OR ")))"
    }
    var sql: SQL = "CASE"
    for number in order.indices {
      let expression = compared(expressions[number])
      sql.append(" WHEN \(beyond(number, expression).joined(separator: " OR ")) THEN TRUE")
      guard isInclusive || number < order.count - 1 else { continue }
      sql.append(" WHEN \(dialect.isSame(expression, value(number), negated: true)) THEN FALSE")
    }
    sql.append(isInclusive ? " ELSE TRUE END" : " ELSE FALSE END")
    return sql
  }

  /// Whether there are ranges, and so few that reading them one after the other costs little.
  var hasRanges: Bool { (2...8).contains(order.count) && !isNull.contains(nil) && !isInclusive }

  /// The condition in parts, in the order of the rows that they give.
  ///
  ///     t1 = v1 AND t2 > v2
  ///     t1 > v1
  ///
  /// Each is one range of an index, so that a page far from the start costs what the first costs.
  func ranges(on expressions: [SQL]) -> [SQL] {
    let expressions = expressions.map(compared)
    return order.indices.reversed().flatMap { number in
      let same = (0..<number).map { guarded($0, isSame($0, expressions[$0])) }
      return beyond(number, expressions[number]).map {
        (same + [guarded(number, $0)]).joined(separator: " AND ")
      }
    }
  }

  /// That rows have these values, in as many terms as are known.
  func equality(on expressions: [SQL], in numbers: some Sequence<Int>) -> [SQL] {
    numbers.map { guarded($0, dialect.isSame(compared(expressions[$0]), value($0), negated: false)) }
  }

  /// A term as it is compared: `+` takes its affinity, and leaves its collation
  /// (<https://www.sqlite.org/datatype3.html#type_conversions_prior_to_comparison>).
  private func compared(_ expression: SQL) -> SQL { ignoresAffinity ? "+\(expression)" : expression }

  /// A condition on a term, which keeps its index where it tells nothing.
  private func guarded(_ number: Int, _ condition: SQL) -> SQL {
    order[number].exposure.tells ? condition.behind(rules) : condition
  }

  private func value(_ number: Int) -> SQL {
    dialect.parameter(.cursor(firstValue + number), as: order[number].type)
  }

  private func isSame(_ number: Int, _ expression: SQL) -> SQL {
    isNull[number] ?? false ? "\(expression) IS NULL" : "\(expression) = \(value(number))"
  }

  /// That a term is beyond its value: NULLs apart, for they are a range of their own.
  private func beyond(_ number: Int, _ expression: SQL) -> [SQL] {
    let term = order[number]
    let value = value(number)
    let beyond: SQL = "\(expression) \(term.isDescending ? "<" : ">") \(value)"
    switch isNull[number] {
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
