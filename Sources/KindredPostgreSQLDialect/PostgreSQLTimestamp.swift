import KindredModel
import KindredPlanning
import KindredSQLSyntax

/// A timestamp without time zone, in UTC, converted from a value that SQLite accepts as a date
/// (<https://www.sqlite.org/lang_datefunc.html>).
struct PostgreSQLTimestamp {
  private(set) var sql: SQL
  /// Whether it may be outside the years 1 to 9999.
  private var mayBeOfOtherYear = false

  /// The current time.
  static let now = PostgreSQLTimestamp(
    sql: ("timezone('UTC', now())" as SQL).noted(PlanNote.volatile))

  private init(sql: SQL) { self.sql = sql }

  private init(column: SQL) { (sql, mayBeOfOtherYear) = (column, true) }

  /// Creates the timestamp of a date, a text or a number.
  ///
  /// - Parameter isUnixTime: Whether a number is one of seconds since 1970.
  init(_ value: CompiledExpression, isUnixTime: Bool) throws {
    if let kind = value.type?.kind, kind.isNumber {
      self.init(number: value, isUnixTime: isUnixTime)
      return
    }
    guard !isUnixTime || value.type == nil else {
      throw TypeMismatch(message: "`unixepoch` requires a number", cast: (0, .numeric))
    }
    switch value.type?.kind {
    case .timestamp?: self.init(column: value.operand)
    case .date?: self.init(column: "\(value.operand)::timestamp")
    case .timestampWithTimeZone?: self.init(column: "timezone('UTC', \(value.sql))")
    case .text?:
      guard case .literal(let binding, let bound) = value.form else {
        self.init(text: value.searched())
        return
      }
      if case .text(let text) = bound, text.lowercased() == "now" {
        self = .now
      } else {
        self.init(text: ValueType.text.parameter(binding))
      }
    case .dynamic?: self.init(text: try value.asText().operand)
    case nil: self.init(sql: "\(value.operand)::timestamp")
    case let kind?:
      throw TypeMismatch(
        message: "\(ValueType(kind: kind, name: value.type?.name ?? "").description) is not a date",
        cast: (0, .text))
    }
  }

  /// Creates the timestamp that a text stands for; NULL for other texts and for dates that don't exist.
  init(text: SQL) {
    // A time alone is one of 2000-01-01, as in SQLite.
    sql =
      "timezone('UTC', substring(regexp_replace(\(text), '^(?=\\d\\d:)', '2000-01-01 ') from \(SQL(trusted: "'\(Self.pattern)'")))::timestamptz)"
  }

  /// The texts that both SQLite accepts as a date and PostgreSQL can convert to a timestamp.
  private static let pattern: String = {
    let long = "(?:0[13578]|1[02])-(?:0[1-9]|[12]\\d|3[01])"
    let short = "(?:0[469]|11)-(?:0[1-9]|[12]\\d|30)"
    let february = "02-(?:0[1-9]|1\\d|2[0-8])"
    let leap = "(?:\\d\\d(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)-02-29"
    let time = "(?:[01]\\d|2[0-3]):[0-5]\\d(?::[0-5]\\d(?:\\.\\d+)?)?"
    let zone = "\\s*(?:[Zz]|[-+](?:0\\d|1[0-4]):[0-5]\\d)?"
    return "^(?!0000)(?:\\d{4}-(?:\(long)|\(short)|\(february))|\(leap))(?:(?:T|\\s+)\(time)\(zone))?\\s*$"
  }()

  /// Creates the timestamp of a number: seconds since 1970, or a Julian day, from the years 1 to 9999; NULL for others.
  private init(number value: CompiledExpression, isUnixTime: Bool) {
    let (least, most, seconds): (SQL, SQL, SQL) =
      isUnixTime
      ? ("-62135596800", "253402300800", "\(value.operand)::float8")
      : ("1721425.5", "5373484.5", "(\(value.operand)::float8 - 2440587.5) * 86400")
    sql =
      "(CASE WHEN \(value.operand) >= \(least) AND \(value.operand) < \(most) THEN timezone('UTC', to_timestamp(\(seconds))) END)"
  }

  /// Applies a modifier such as `+1 day` or `start of month`.
  mutating func modify(by modifier: CompiledExpression) throws {
    guard case .literal(let binding, .text(let text)) = modifier.form else { throw Self.badModifier }
    let words = text.lowercased().split(separator: " ")
    if words.count == 3, words[0] == "start", words[1] == "of", ["day", "month", "year"].contains(words[2]) {
      sql = "date_trunc(\(SQL(trusted: "'\(words[2])'")), \(sql))"
      return
    }
    if words == ["utc"] { return }
    mayBeOfOtherYear = true
    let units = ["second", "minute", "hour", "day", "month", "year"]
    guard words.count == 2, Double(words[0]) != nil, words[0].utf8.allSatisfy(Self.numberBytes.contains),
      let unit = units.first(where: { words[1] == $0 || words[1] == $0 + "s" })
    else { throw Self.badModifier }
    let interval = SQL.bound(to: binding, as: "interval")
    guard unit == "month" || unit == "year" else {
      sql = "(\(sql) + \(interval))"
      return
    }
    guard sql.length * 4 <= CompiledExpression.maximumRepetition else {
      throw TypeMismatch(message: "the date has too many modifiers with months or years")
    }
    // As in SQLite, days beyond the end of the month run into the next one; PostgreSQL would take the last day.
    sql =
      "(CASE WHEN isfinite(\(sql)) THEN date_trunc('month', \(sql)) + \(interval) + (\(sql) - date_trunc('month', \(sql))) END)"
  }

  /// Makes times outside the years 1 to 9999 NULL, which PostgreSQL would write otherwise than SQLite.
  mutating func leaveOutOtherYears() {
    guard mayBeOfOtherYear else { return }
    let (before, after): (SQL, SQL) = (
      "timestamp '0001-12-31 23:59:59.999999 BC'", "timestamp '10000-01-01'"
    )
    // `least` and `greatest` ignore NULL, which becomes NULL again here.
    sql = "nullif(nullif(greatest(least(\(sql), \(after)), \(before)), \(after)), \(before))"
  }

  private static let numberBytes = Set("0123456789+-.".utf8)

  private static var badModifier: TypeMismatch {
    TypeMismatch(
      message:
        "this modifier of a date isn't supported on PostgreSQL; write one such as '+1 day' or 'start of month'"
    )
  }

  /// The Julian day, which begins at noon; PostgreSQL's begins at midnight.
  var julianDay: SQL { "(extract(julian from \(sql))::float8 - 0.5)" }

  /// Returns its text in a pattern of `to_char`.
  func text(_ pattern: SQL) -> SQL { "to_char(\(sql), '\(pattern)')" }

  /// Returns a field of `strftime`; nil for an unknown code.
  func field(_ code: Character) -> SQL? {
    switch code {
    case "Y": text("YYYY")
    case "m": text("MM")
    case "d": text("DD")
    case "H": text("HH24")
    case "M": text("MI")
    case "S": text("SS")
    case "f": text("SS.MS")
    case "j": text("DDD")
    case "s": "floor(extract(epoch from \(sql)))::int8::text"
    case "w": "extract(dow from \(sql))::text"
    case "J": "\(julianDay)::text"
    default: nil
    }
  }
}
