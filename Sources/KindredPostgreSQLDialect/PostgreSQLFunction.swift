import KindredPlanning
import KindredSQLSyntax

/// A call of a scalar function of the expression language
/// (<https://www.postgresql.org/docs/current/functions.html>).
struct PostgreSQLFunction {
  let name: String
  let arguments: [CompiledExpression]

  func call() throws -> CompiledExpression {
    if let call = try numeric() ?? textual() ?? conditional() { return call }
    switch name {
    case "json_extract": return try json()
    case "contains", "overlaps": return try PostgreSQLContainment(name, arguments[0], arguments[1]).compiled()
    default: return try PostgreSQLDateFunction(name, arguments).call()
    }
  }

  /// Whether the SQL of a function depends on the values of literals among its arguments.
  static func readsLiterals(_ name: String) -> Bool {
    switch name {
    case "date", "time", "datetime", "julianday", "strftime", "json_extract", "->>": true
    default: false
    }
  }

  private func call(_ sql: SQL, _ type: ValueType?) -> CompiledExpression {
    CompiledExpression(sql: sql, type: type)
  }

  // MARK: Numbers

  private func numeric() throws -> CompiledExpression? {
    switch name {
    case "abs":
      let value = try arguments[0].asNumber(0)
      return call("abs(\(value.sql))", value.type)
    case "sign":
      return call("sign(\(try arguments[0].asNumber(0).sql))::int8", .integer)
    case "floor", "ceil":
      let value = try arguments[0].asNumber(0)
      guard value.type?.kind != .integer else { return value }
      let type: ValueType? = value.type?.kind == .real ? .real : value.type
      return call("\(SQL(trusted: name))(\(value.sql))", type)
    case "round":
      // `round(float8)` rounds half to even; SQLite rounds half away from zero, as `numeric` does.
      let value = try arguments[0].asNumber(0)
      guard arguments.count > 1 else { return call("round(\(value.operand)::numeric)::float8", .real) }
      // As in SQLite, the maximum is 30 digits.
      let digits = try arguments[1].asNumber(1)
      return call(
        "round(\(value.operand)::numeric, trunc(least(greatest(\(digits.sql), 0), 30))::int4)::float8", .real)
    default:
      return nil
    }
  }

  // MARK: Texts

  private func textual() throws -> CompiledExpression? {
    func texts() throws -> SQL { try arguments.map { try $0.asText().sql }.joined(separator: ", ") }
    func searched() throws -> BoundedCall {
      BoundedCall(
        try arguments.map {
          let text = try $0.asText()
          return text.isNondeterministic ? text.searched() : text.sql
        })
    }
    func trimmed(_ function: SQL) throws -> CompiledExpression {
      guard arguments.count > 1 else { return call("\(function)(\(try texts()))", .text) }
      let trimming = try BoundedCall(arguments.map { try $0.asText().sql })
      return call(trimming.search({ $0 }) { "\(function)(\($0.joined(separator: ", ")))" }, .text)
    }
    switch name {
    case "length":
      let value = arguments[0]
      return call("length(\(value.type?.kind == .blob ? value.sql : try value.asText().sql))::int8", .integer)
    case "lower", "upper": return call("\(SQL(trusted: name))(\(try texts()))", .text)
    case "ltrim", "rtrim": return try trimmed(SQL(trusted: name))
    case "trim": return try trimmed("btrim")
    case "replace": return call(try searched().replacement(), .text)
    case "instr":
      let place = try searched().search({ "octet_length(\($0))" }) {
        "strpos(\($0.joined(separator: ", ")))"
      }
      return call("(\(place))::int8", .integer)
    case "substr": return try substring()
    default: return nil
    }
  }

  /// Returns `substr` with SQLite's meaning of negative arguments: a negative start counts from the end, and a negative
  /// length takes the characters before the start.
  private func substring() throws -> CompiledExpression {
    let isBlob = arguments[0].type?.kind == .blob
    let value = try isBlob ? arguments[0].sql : arguments[0].asText().sql
    let type: ValueType = isBlob ? .blob : .text
    let start = position(try arguments[1].asNumber(1))
    let from: SQL = "CASE WHEN \(start) < 0 THEN length(\(value)) + \(start) + 1 ELSE \(start) END"
    guard arguments.count > 2 else {
      return call(ofNumbers("substr(\(value), greatest(\(from), 1))"), type)
    }
    let length = position(try arguments[2].asNumber(2))
    let isNegative: SQL = "\(length) < 0"
    return call(
      ofNumbers(
        "substr(\(value), CASE WHEN \(isNegative) THEN greatest((\(from)) + \(length), 1) ELSE \(from) END, CASE WHEN \(isNegative) THEN greatest((\(from)) - greatest((\(from)) + \(length), 1), 0) ELSE \(length) END)"
      ), type)
  }

  /// Returns a call of `substr` that is NULL if one of its numbers is, which `greatest` and `least` ignore.
  private func ofNumbers(_ call: SQL) -> SQL {
    let numbers = arguments.dropFirst().filter(\.isNullable).map(\.sql)
    guard !numbers.isEmpty else { return call }
    return "CASE WHEN num_nulls(\(numbers.joined(separator: ", "))) = 0 THEN \(call) END"
  }

  /// Returns a number without its fraction as an `int4`; beyond a value's maximum length the exact number doesn't
  /// matter.
  private func position(_ value: CompiledExpression) -> SQL {
    "trunc(least(greatest(\(value.sql), -1073741823), 1073741823))::int4"
  }

  // MARK: Choices

  private func conditional() throws -> CompiledExpression? {
    switch name {
    case "iif":
      return try PostgreSQLCase(branches: [(arguments[0], arguments[1])], other: arguments[2]).compiled()
    case "coalesce", "ifnull":
      let alternatives = try PostgreSQLAlternatives(arguments)
      return CompiledExpression(
        sql: "coalesce(\(alternatives.list))", type: alternatives.type,
        isNullable: alternatives.values.allSatisfy(\.isNullable))
    case "nullif":
      let (value, pair) = (arguments[0], try PostgreSQLComparison(arguments[0], arguments[1]))
      guard pair.left.sql != value.sql else {
        return call("nullif(\(pair.left.sql), \(pair.right.sql))", pair.left.type)
      }
      // Converted for the comparison only.
      return call("CASE WHEN \(pair.equality) THEN NULL ELSE \(value.asShown.sql) END", value.type)
    case "min", "max":
      let alternatives = try PostgreSQLAlternatives(arguments)
      let list = alternatives.list
      let function: SQL = name == "min" ? "least" : "greatest"
      var extreme: SQL = "\(function)(\(list))"
      let collation = arguments.lazy.compactMap(\.collation).first
      let order = alternatives.values.map { value in
        (collation.map(value.collated) ?? value).comparedByCollation.sql
      }
      if order != alternatives.values.map(\.sql) {
        // The value itself is shown, not the form by which it is compared.
        let places = order.joined(separator: ", ")
        extreme = "(ARRAY[\(list)])[array_position(ARRAY[\(places)], \(function)(\(places)))]"
      }
      // SQLite's functions return NULL if any argument is NULL.
      return call("CASE WHEN num_nulls(\(list)) = 0 THEN \(extreme) END", alternatives.type)
    default:
      return nil
    }
  }

  // MARK: JSON

  private func json() throws -> CompiledExpression {
    let value = arguments[0]
    let document = try value.document ?? "\(value.asText().operand)::jsonb"
    let parts = try arguments.dropFirst().enumerated().map { number, path -> SQL in
      guard case .literal(_, .text(let text)) = path.form, let steps = JSONPath(text)?.steps else {
        throw TypeMismatch(
          message:
            "argument \(number + 2) of `json_extract` is not a path; write a text such as '$.name' or '$.list[0]'"
        )
      }
      let list = steps.map { SQL.bound(to: .value(.text($0)), as: "text") }.joined(separator: ", ")
      return "(\(document) #> ARRAY[\(list)]::text[])"
    }
    guard parts.count > 1 else {
      // SQLite's functions don't distinguish JSON's null from what is missing.
      var member = CompiledExpression(sql: "nullif(\(parts[0]), 'null')", type: .dynamic)
      if value.type == .json, let path = JSONPath(of: arguments[1]), let last = path.steps.last,
        // A step may also be the index of an element.
        path.steps.allSatisfy({ Int($0) == nil })
      {
        let above = path.steps.dropLast().reduce(value) { value, step in
          var part = value
          part.indexed = .member(step, of: value)
          return part
        }
        member.indexed = .member(last, of: above)
      }
      return member
    }
    return CompiledExpression(sql: "jsonb_build_array(\(parts.joined(separator: ", ")))", type: .dynamic)
  }
}

/// A path into a JSON document, in SQLite's syntax: `$.name."other name"[0]`.
private struct JSONPath {
  /// The member names and array indices.
  let steps: [String]

  /// Parses a literal; nil if it isn't one with a path.
  init?(of literal: CompiledExpression) {
    guard case .literal(_, .text(let text)) = literal.form else { return nil }
    self.init(text)
  }

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
