import KindredModel
import KindredPlanning
import KindredSQLSyntax

/// A call of an aggregate function (<https://www.postgresql.org/docs/current/functions-aggregate.html>).
struct PostgreSQLAggregate {
  let function: Expression.AggregateFunction
  /// Empty to count the rows.
  let arguments: [CompiledExpression]
  let isDistinct: Bool
  /// The order of the rows, for a concatenation.
  var order: [SQL] = []
  /// Whether numbers with a fraction are added in their order, so that their sum doesn't depend on that of the rows.
  var roundsAlike = false

  /// Returns the argument of a sum of real numbers.
  private func addend(_ value: CompiledExpression) throws -> SQL {
    let number = try value.asNumber(0)
    let isExact = number.type?.kind == .integer
    let real: SQL = number.type?.kind == .real ? number.sql : "\(number.operand)::float8"
    // With `DISTINCT`, the values are sorted in any case.
    return roundsAlike && !isExact && !isDistinct ? "\(real) ORDER BY \(real)" : real
  }

  private func call(_ sql: SQL, _ type: ValueType?) -> CompiledExpression {
    CompiledExpression(sql: sql, type: type)
  }

  func call() throws -> CompiledExpression {
    func count(_ sql: SQL) -> CompiledExpression {
      CompiledExpression(sql: sql, type: .integer, isNullable: false)
    }
    guard let value = arguments.first else { return count("count(*)") }
    let distinct: SQL = isDistinct ? "DISTINCT " : ""
    switch function {
    case .count, .isEmpty:
      // The type `json` has no equality operator.
      if isDistinct, value.type?.name == "json" { return count("count(DISTINCT \(value.operand)::text)") }
      return count("count(\(distinct)\(isDistinct ? value.comparedByCollation.sql : value.sql))")
    case .min, .max:
      let name: SQL = function == .min ? "min" : "max"
      let order = value.comparedByCollation.sql
      if order != value.sql {
        let direction: SQL = function == .min ? "" : " DESC NULLS LAST"
        return call("(array_agg(\(value.asShown.sql) ORDER BY \(order)\(direction)))[1]", value.type)
      }
      // PostgreSQL has no `min` and `max` for booleans, `uuid`, JSON and `bytea`, whose digits have the same order.
      switch value.type?.kind {
      case .boolean?: return call("\(name)(\(distinct)\(value.operand)::int4)", .integer)
      case .blob?:
        return call(
          "decode(\(name)(\(distinct)encode(\(value.sql), 'hex') COLLATE \"C\"), 'hex')", .blob)
      case .other?, .json?: return call("\(name)(\(distinct)\(try value.asText().sql))", .text)
      default: return call("\(name)(\(distinct)\(value.sql))", value.type)
      }
    case .average:
      return call("avg(\(distinct)\(try addend(value)))", .real)
    case .sum:
      let number = try value.asNumber(0)
      if number.type?.kind == .real { return call("sum(\(distinct)\(try addend(value)))", .real) }
      // The sum of `int8` is `numeric`, which can't overflow.
      return call("sum(\(distinct)\(number.sql))", number.type?.kind == .integer ? .numeric : number.type)
    case .total:
      return call("coalesce(sum(\(distinct)\(try addend(value))), 0)", .real)
    case .concat:
      let separator = try arguments.count > 1 ? arguments[1].asText().sql : "','"
      let shown = try value.asText().sql
      // With `DISTINCT`, the order can only be that of the texts.
      let terms = isDistinct ? [shown] : order
      let ordered: SQL = terms.isEmpty ? "" : " ORDER BY \(terms.joined(separator: ", "))"
      let text: SQL = "string_agg(\(distinct)\(shown), \(separator)\(ordered))"
      return call(BoundedCall.concatenation(of: text), .text)
    }
  }
}

extension PostgreSQLDialect {
  func concatenation(
    _ arguments: [CompiledExpression], isDistinct: Bool, orderedBy order: () throws -> [SQL]
  ) throws -> CompiledExpression {
    let order = isDistinct ? [] : try order()
    return try PostgreSQLAggregate(
      function: .concat, arguments: arguments, isDistinct: isDistinct, order: order
    )
    .call().inheriting(from: arguments)
  }
}
