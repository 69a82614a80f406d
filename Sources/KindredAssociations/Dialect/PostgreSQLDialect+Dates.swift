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
    let value = rest.popFirst()
    let isUnixTime = rest.first.map(Self.isUnixTime) ?? false
    if isUnixTime { rest = rest.dropFirst() }
    var time = try value.map { try timestamp($0, isUnixTime: isUnixTime) } ?? "timezone('UTC', now())"
    for modifier in rest { time = try modified(time, by: modifier) }
    switch name {
    case "date": return text("to_char(\(time), 'YYYY-MM-DD')", of: "date_trunc('day', \(time))")
    case "time": return text("to_char(\(time), 'HH24:MI:SS')")
    case "datetime":
      return text("to_char(\(time), 'YYYY-MM-DD HH24:MI:SS')", of: "date_trunc('second', \(time))")
    case "julianday": return CompiledExpression(sql: Self.julianDay(of: time), type: .real)
    default: return try formatted(time, format ?? "")
    }
  }

  private func text(_ sql: SQL, of moment: SQL? = nil) -> CompiledExpression {
    CompiledExpression(sql: sql, type: .text, form: moment.map { .moment($0) } ?? .other)
  }

  /// Whether a modifier says that the number before it is one of seconds since 1970.
  private static func isUnixTime(_ modifier: CompiledExpression) -> Bool {
    guard case .literal(_, .text(let text)) = modifier.form else { return false }
    return text.lowercased() == "unixepoch"
  }

  /// Returns a value as a timestamp without time zone, in UTC.
  private func timestamp(_ value: CompiledExpression, isUnixTime: Bool) throws -> SQL {
    if let kind = value.type?.kind, kind.isNumber {
      return timestamp(ofNumber: value, isUnixTime: isUnixTime)
    }
    guard !isUnixTime || value.type == nil else {
      throw TypeMismatch(message: "`unixepoch` is for numbers", cast: (0, .numeric))
    }
    switch value.type?.kind {
    case .timestamp?: return value.operand
    case .date?: return "\(value.operand)::timestamp"
    case .timestampWithTimeZone?: return "timezone('UTC', \(value.sql))"
    case .text?:
      guard case .literal(let binding, let bound) = value.form else {
        return timestamp(ofText: value.operand)
      }
      if case .text(let text) = bound, text.lowercased() == "now" { return "timezone('UTC', now())" }
      return timestamp(ofText: parameter(binding, as: .text))
    case nil: return "\(value.operand)::timestamp"
    case let kind?:
      throw TypeMismatch(
        message: "\(ValueType(kind: kind, name: value.type?.name ?? "").description) is no date",
        cast: (0, .text))
    }
  }

  /// Returns the timestamp that a text stands for; NULL for other texts and for dates that don't exist.
  func timestamp(ofText text: SQL) -> SQL {
    // A time alone is one of 2000-01-01, as in SQLite.
    "timezone('UTC', substring(regexp_replace(\(text), '^(?=\\d\\d:)', '2000-01-01 ') from \(SQL(trusted: "'\(Self.pattern)'")))::timestamptz)"
  }

  /// What PostgreSQL can convert to a timestamp of all that SQLite takes for one.
  private static let pattern: String = {
    let long = "(?:0[13578]|1[02])-(?:0[1-9]|[12]\\d|3[01])"
    let short = "(?:0[469]|11)-(?:0[1-9]|[12]\\d|30)"
    let february = "02-(?:0[1-9]|1\\d|2[0-8])"
    let leap = "(?:\\d\\d(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)-02-29"
    let time = "(?:[01]\\d|2[0-3]):[0-5]\\d(?::[0-5]\\d(?:\\.\\d+)?)?"
    let zone = "\\s*(?:[Zz]|[-+](?:0\\d|1[0-4]):[0-5]\\d)?"
    return "^(?!0000)(?:\\d{4}-(?:\(long)|\(short)|\(february))|\(leap))(?:(?:T|\\s+)\(time)\(zone))?\\s*$"
  }()

  /// Returns the timestamp of a number: seconds since 1970, or a Julian day, from the years 1 to 9999; NULL for others.
  private func timestamp(ofNumber value: CompiledExpression, isUnixTime: Bool) -> SQL {
    let (least, most, seconds): (SQL, SQL, SQL) =
      isUnixTime
      ? ("-62135596800", "253402300800", "\(value.operand)::float8")
      : ("1721425.5", "5373484.5", "(\(value.operand)::float8 - 2440587.5) * 86400")
    return
      "(CASE WHEN \(value.operand) >= \(least) AND \(value.operand) < \(most) THEN timezone('UTC', to_timestamp(\(seconds))) END)"
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
    guard words.count == 2, Double(words[0]) != nil, words[0].utf8.allSatisfy(Self.numberBytes.contains),
      let unit = units.first(where: { words[1] == $0 || words[1] == $0 + "s" })
    else { throw Self.badModifier }
    let interval = SQL.bound(to: binding, as: "interval")
    guard unit == "month" || unit == "year" else { return "(\(time) + \(interval))" }
    guard time.length * 4 <= Self.maximumLength else {
      throw TypeMismatch(message: "the date has too many modifiers of months and years")
    }
    // As in SQLite, days beyond the end of the month run into the next one; PostgreSQL would take the last day.
    return
      "(CASE WHEN isfinite(\(time)) THEN date_trunc('month', \(time)) + \(interval) + (\(time) - date_trunc('month', \(time))) END)"
  }

  private static let numberBytes = Set("0123456789+-.".utf8)

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
