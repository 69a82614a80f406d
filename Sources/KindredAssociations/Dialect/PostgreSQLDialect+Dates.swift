import KindredSQLSyntax

/// Date functions, which return texts and numbers as SQLite's do (<https://www.sqlite.org/lang_datefunc.html>).
extension PostgreSQLDialect {
  func date(_ name: String, _ arguments: [CompiledExpression]) throws -> CompiledExpression {
    var rest = arguments[...]
    var format: String?
    if name == "strftime" {
      guard case .literal(_, .text(let text))? = rest.popFirst()?.form else {
        throw TypeMismatch(message: "the format of `strftime` is to be a text such as '%Y-%m'")
      }
      format = text
    }
    var time = try rest.popFirst().map { try timestamp($0) } ?? "timezone('UTC', now())"
    for modifier in rest { time = try modified(time, by: modifier) }
    switch name {
    case "date": return text("to_char(\(time), 'YYYY-MM-DD')")
    case "time": return text("to_char(\(time), 'HH24:MI:SS')")
    case "datetime": return text("to_char(\(time), 'YYYY-MM-DD HH24:MI:SS')")
    case "julianday": return CompiledExpression(sql: Self.julianDay(of: time), type: .real)
    default: return try formatted(time, format ?? "")
    }
  }

  private func text(_ sql: SQL) -> CompiledExpression { CompiledExpression(sql: sql, type: .text) }

  /// Returns a value as a timestamp without time zone, in UTC.
  private func timestamp(_ value: CompiledExpression) throws -> SQL {
    switch value.type?.kind {
    case .timestamp?: return value.operand
    case .date?: return "\(value.operand)::timestamp"
    case .timestampWithTimeZone?: return "timezone('UTC', \(value.sql))"
    case .text? where value.isLiteral:
      guard case .literal(let binding, let bound) = value.form else { return value.operand }
      if case .text(let text) = bound, text.lowercased() == "now" { return "timezone('UTC', now())" }
      return parameter(binding, as: .timestamp)
    case .text?:
      // A text in another form gives NULL, as in SQLite.
      let pattern: SQL = "'^\\d{4}-\\d\\d-\\d\\d([ T]\\d\\d:\\d\\d(:\\d\\d(\\.\\d+)?)?)?$'"
      return "(CASE WHEN \(value.operand) ~ \(pattern) THEN \(value.operand)::timestamp END)"
    case nil: return "\(value.operand)::timestamp"
    case let kind?:
      throw TypeMismatch(
        message: "\(ValueType(kind: kind, name: value.type?.name ?? "").description) is no date",
        cast: (0, .text))
    }
  }

  /// Returns a timestamp with a modifier such as `+1 day` or `start of month` applied.
  private func modified(_ time: SQL, by modifier: CompiledExpression) throws -> SQL {
    guard case .literal(let binding, .text(let text)) = modifier.form else { throw Self.badModifier }
    let words = text.lowercased().split(separator: " ")
    if words.count == 3, words[0] == "start", words[1] == "of", ["day", "month", "year"].contains(words[2]) {
      return "date_trunc(\(SQL(trusted: "'\(words[2])'")), \(time))"
    }
    if words == ["utc"] { return time }
    let units = ["second", "minute", "hour", "day", "month", "year"]
    guard words.count == 2, Double(words[0]) != nil,
      units.contains(where: { words[1] == $0 || words[1] == $0 + "s" })
    else { throw Self.badModifier }
    return "(\(time) + \(SQL.bound(to: binding, as: "interval")))"
  }

  private static var badModifier: TypeMismatch {
    TypeMismatch(
      message: "PostgreSQL takes no such modifier of a date: write one such as '+1 day' or 'start of month'")
  }

  /// Returns a timestamp in a format of `strftime`.
  private func formatted(_ time: SQL, _ format: String) throws -> CompiledExpression {
    var parts: [SQL] = []
    var plain = ""
    func flush() {
      guard !plain.isEmpty else { return }
      parts.append(.bound(to: .value(.text(plain)), as: "text"))
      plain = ""
    }
    var letters = format.makeIterator()
    while let letter = letters.next() {
      guard letter == "%" else {
        plain.append(letter)
        continue
      }
      guard let code = letters.next() else { throw Self.badFormat("%") }
      if code == "%" {
        plain.append("%")
        continue
      }
      flush()
      // The time is written once for each field.
      guard time.length * (parts.count + 1) <= Self.maximumLength else {
        throw TypeMismatch(message: "the date of `strftime` is too long for so many fields")
      }
      parts.append(try Self.field(code, of: time))
    }
    flush()
    guard !parts.isEmpty else { return text("''") }
    return CompiledExpression(
      sql: parts.joined(separator: " || "), precedence: parts.count == 1 ? .primary : .equality, type: .text)
  }

  private static func field(_ code: Character, of time: SQL) throws -> SQL {
    func part(_ pattern: SQL) -> SQL { "to_char(\(time), '\(pattern)')" }
    return switch code {
    case "Y": part("YYYY")
    case "m": part("MM")
    case "d": part("DD")
    case "H": part("HH24")
    case "M": part("MI")
    case "S": part("SS")
    case "f": part("SS.MS")
    case "j": part("DDD")
    case "s": "floor(extract(epoch from \(time)))::int8::text"
    case "w": "extract(dow from \(time))::text"
    case "J": "\(julianDay(of: time))::text"
    default: throw badFormat("%\(code)")
    }
  }

  /// Returns the Julian day, which begins at noon; PostgreSQL's begins at midnight.
  private static func julianDay(of time: SQL) -> SQL { "(extract(julian from \(time))::float8 - 0.5)" }

  private static func badFormat(_ code: String) -> TypeMismatch {
    TypeMismatch(
      message:
        "`strftime` knows no `\(code)` on PostgreSQL: it has %Y, %m, %d, %H, %M, %S, %f, %j, %w, %s, %J and %%"
    )
  }
}
