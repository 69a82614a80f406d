import KindredSQLSyntax

/// The functions of the expression language (<https://www.postgresql.org/docs/current/functions.html>).
extension PostgreSQLDialect {
  func function(_ name: String, _ arguments: [CompiledExpression]) throws -> CompiledExpression {
    if let call = try numeric(name, arguments) ?? textual(name, arguments) ?? conditional(name, arguments) {
      return call
    }
    switch name {
    case "json_extract": return try json(arguments)
    default: return try date(name, arguments)
    }
  }

  func readsLiterals(of function: String) -> Bool {
    switch function {
    case "date", "time", "datetime", "julianday", "strftime", "json_extract": true
    default: false
    }
  }

  private func call(_ sql: SQL, _ type: ValueType?) -> CompiledExpression {
    CompiledExpression(sql: sql, type: type)
  }

  // MARK: Numbers

  private func numeric(_ name: String, _ arguments: [CompiledExpression]) throws -> CompiledExpression? {
    switch name {
    case "abs":
      let value = try number(arguments[0], 0)
      return call("abs(\(value.sql))", value.type)
    case "sign":
      return call("sign(\(try number(arguments[0], 0).sql))::int8", .integer)
    case "floor", "ceil":
      let value = try number(arguments[0], 0)
      guard value.type?.kind != .integer else { return value }
      let type: ValueType? = value.type?.kind == .real ? .real : value.type
      return call("\(SQL(trusted: name))(\(value.sql))", type)
    case "round":
      // `round(float8)` rounds half to even; SQLite rounds half away from zero, as `numeric` does.
      let value = try number(arguments[0], 0)
      guard arguments.count > 1 else { return call("round(\(value.operand)::numeric)::float8", .real) }
      // As in SQLite, 30 digits are the most.
      let digits = try number(arguments[1], 1)
      return call(
        "round(\(value.operand)::numeric, trunc(least(greatest(\(digits.sql), 0), 30))::int4)::float8", .real)
    default:
      return nil
    }
  }

  // MARK: Texts

  private func textual(_ name: String, _ arguments: [CompiledExpression]) throws -> CompiledExpression? {
    func texts() throws -> SQL { try arguments.map { try text($0).sql }.joined(separator: ", ") }
    switch name {
    case "length":
      let value = arguments[0]
      return call("length(\(value.type?.kind == .blob ? value.sql : try text(value).sql))::int8", .integer)
    case "lower", "upper", "ltrim", "rtrim", "replace":
      return call("\(SQL(trusted: name))(\(try texts()))", .text)
    case "trim": return call("btrim(\(try texts()))", .text)
    case "instr": return call("strpos(\(try texts()))::int8", .integer)
    case "substr": return try substring(arguments)
    default: return nil
    }
  }

  /// Returns `substr` with SQLite's meaning of negative arguments: a negative start counts from the end, and a negative
  /// length takes the characters before the start.
  private func substring(_ arguments: [CompiledExpression]) throws -> CompiledExpression {
    let isBlob = arguments[0].type?.kind == .blob
    let value = try isBlob ? arguments[0].sql : text(arguments[0]).sql
    let type: ValueType = isBlob ? .blob : .text
    let start = position(try number(arguments[1], 1))
    let from: SQL = "CASE WHEN \(start) < 0 THEN length(\(value)) + \(start) + 1 ELSE \(start) END"
    guard arguments.count > 2 else {
      return call("substr(\(value), greatest(\(from), 1))", type)
    }
    let length = position(try number(arguments[2], 2))
    let isNegative: SQL = "\(length) < 0"
    return call(
      "substr(\(value), CASE WHEN \(isNegative) THEN greatest((\(from)) + \(length), 1) ELSE \(from) END, CASE WHEN \(isNegative) THEN greatest((\(from)) - greatest((\(from)) + \(length), 1), 0) ELSE \(length) END)",
      type)
  }

  /// Returns a number without its fraction as an `int4`; beyond a value's maximum length the exact number doesn't matter.
  private func position(_ value: CompiledExpression) -> SQL {
    "trunc(least(greatest(\(value.sql), -1073741823), 1073741823))::int4"
  }

  // MARK: Choices

  private func conditional(_ name: String, _ arguments: [CompiledExpression]) throws -> CompiledExpression? {
    switch name {
    case "iif":
      return try cases(of: nil, [(arguments[0], arguments[1])], else: arguments[2])
    case "coalesce", "ifnull":
      let values = try unified(arguments)
      return CompiledExpression(
        sql: "coalesce(\(values.map(\.sql).joined(separator: ", ")))",
        type: Self.commonType(of: values),
        isNullable: values.allSatisfy(\.isNullable))
    case "nullif":
      let (left, right) = try comparable(arguments[0], arguments[1])
      return call("nullif(\(left.sql), \(right.sql))", left.type)
    case "min", "max":
      let values = try unified(arguments)
      let list = values.map(\.sql).joined(separator: ", ")
      let function: SQL = name == "min" ? "least" : "greatest"
      // SQLite's functions return NULL if any argument is NULL.
      return call(
        "CASE WHEN num_nulls(\(list)) = 0 THEN \(function)(\(list)) END", Self.commonType(of: values))
    default:
      return nil
    }
  }

  // MARK: JSON

  private func json(_ arguments: [CompiledExpression]) throws -> CompiledExpression {
    let value = arguments[0]
    let document: SQL =
      value.type?.kind == .json ? "\(value.operand)::jsonb" : "\(try text(value).operand)::jsonb"
    let parts = try arguments.dropFirst().enumerated().map { number, path -> SQL in
      guard case .literal(_, .text(let text)) = path.form, let steps = JSONPath(text)?.steps else {
        throw TypeMismatch(
          message:
            "argument \(number + 2) of `json_extract` is no path: write a text such as '$.name' or '$.list[0]'"
        )
      }
      let list = steps.map { SQL.bound(to: .value(.text($0)), as: "text") }.joined(separator: ", ")
      return "(\(document) #> ARRAY[\(list)]::text[])"
    }
    guard parts.count > 1 else { return CompiledExpression(sql: parts[0], format: .json, type: .json) }
    return CompiledExpression(
      sql: "jsonb_build_array(\(parts.joined(separator: ", ")))", format: .json, type: .json)
  }

  // MARK: Aggregates

  func aggregate(
    _ function: Expression.AggregateFunction, _ arguments: [CompiledExpression], isDistinct: Bool
  ) throws -> CompiledExpression {
    func count(_ sql: SQL) -> CompiledExpression {
      CompiledExpression(sql: sql, type: .integer, isNullable: false)
    }
    guard let value = arguments.first else { return count("count(*)") }
    let distinct: SQL = isDistinct ? "DISTINCT " : ""
    switch function {
    case .count, .isEmpty:
      // The type `json` has no equality operator.
      let text = isDistinct && value.type?.name == "json" ? "::text" : "" as SQL
      return count("count(\(distinct)\(text.isEmpty ? value.sql : value.operand + text))")
    case .min, .max:
      let name: SQL = function == .min ? "min" : "max"
      // PostgreSQL has no `min` and `max` for booleans, `uuid`, JSON and `bytea`, whose digits have the same order.
      switch value.type?.kind {
      case .boolean?: return call("\(name)(\(distinct)\(value.operand)::int4)", .integer)
      case .blob?:
        return call(
          "decode(\(name)(\(distinct)encode(\(value.sql), 'hex') COLLATE \"C\"), 'hex')", .blob)
      case .other?, .json?: return call("\(name)(\(distinct)\(try text(value).sql))", .text)
      default: return call("\(name)(\(distinct)\(value.sql))", value.type)
      }
    case .average:
      return call("avg(\(distinct)\(try number(value, 0).operand)::float8)", .real)
    case .sum:
      let number = try number(value, 0)
      // The sum of `int8` is `numeric`, which can't overflow.
      return call("sum(\(distinct)\(number.sql))", number.type?.kind == .integer ? .numeric : number.type)
    case .total:
      return call("coalesce(sum(\(distinct)\(try number(value, 0).operand)::float8), 0)", .real)
    case .concat:
      let separator = try arguments.count > 1 ? text(arguments[1]).sql : "','"
      return call("string_agg(\(distinct)\(try text(value).sql), \(separator))", .text)
    }
  }

  func absence(of function: Expression.AggregateFunction) -> CompiledAbsence? {
    switch function {
    case .count: CompiledAbsence(sql: "0", type: .integer)
    case .total: CompiledAbsence(sql: "0::float8", type: .real)
    case .isEmpty: CompiledAbsence(sql: "TRUE", type: .boolean)
    case .min, .max, .average, .sum, .concat: nil
    }
  }
}

/// A path into a JSON document, in SQLite's syntax: `$.name."other name"[0]`.
private struct JSONPath {
  /// The member names and array indices.
  let steps: [String]

  /// Parses a path; nil if the text isn't one.
  init?(_ text: String) {
    guard text.first == "$" else { return nil }
    var rest = text.dropFirst()
    var steps: [String] = []
    while let first = rest.first {
      rest = rest.dropFirst()
      switch first {
      case "." where rest.first == "\"":
        guard let end = rest.dropFirst().firstIndex(of: "\"") else { return nil }
        steps.append(String(rest[rest.index(after: rest.startIndex)..<end]))
        rest = rest[rest.index(after: end)...]
      case ".":
        let name = rest.prefix { $0 != "." && $0 != "[" }
        guard !name.isEmpty else { return nil }
        steps.append(String(name))
        rest = rest[name.endIndex...]
      case "[":
        guard let end = rest.firstIndex(of: "]") else { return nil }
        // SQLite's `#-1` counts from the end; PostgreSQL writes it as -1.
        var number = rest[..<end]
        if number.hasPrefix("#") { number = number.dropFirst() }
        guard Int(number) != nil, number.hasPrefix("-") == rest.hasPrefix("#-") else { return nil }
        steps.append(String(number))
        rest = rest[rest.index(after: end)...]
      default:
        return nil
      }
    }
    self.steps = steps
  }
}
