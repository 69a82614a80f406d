import KindredModel
import KindredPlanning
import KindredSQLSyntax

/// A call of a date function, which returns a text or a number as SQLite's does
/// (<https://www.sqlite.org/lang_datefunc.html>).
struct PostgreSQLDateFunction {
  let name: String
  /// The format of `strftime`.
  private var format = ""
  private var time = PostgreSQLTimestamp.now
  /// The column whose time it is, as it is stored; nil for other values and those with modifiers.
  private var column: CompiledExpression?

  /// - Parameter arguments: The format if it is `strftime`, a value, and its modifiers.
  init(_ name: String, _ arguments: [CompiledExpression]) throws {
    self.name = name
    var rest = arguments[...]
    if name == "strftime" {
      guard case .literal(_, .text(let text))? = rest.popFirst()?.form else {
        throw TypeMismatch(message: "the format of `strftime` must be a text such as '%Y-%m'")
      }
      format = text
    }
    let value = rest.popFirst()
    let isUnixTime = rest.first.map(Self.isUnixTime) ?? false
    if isUnixTime { rest = rest.dropFirst() }
    if let value { time = try PostgreSQLTimestamp(value, isUnixTime: isUnixTime) }
    if let value, value.traits.affinity != nil, value.type?.kind.isDate ?? false, rest.isEmpty {
      column = value
    }
    for modifier in rest { try time.modify(by: modifier) }
    time.leaveOutOtherYears()
  }

  /// Whether a modifier says that the number before it is one of seconds since 1970.
  private static func isUnixTime(_ modifier: CompiledExpression) -> Bool {
    guard case .literal(_, .text(let text)) = modifier.form else { return false }
    return text.lowercased() == "unixepoch"
  }

  func call() throws -> CompiledExpression {
    var called = try text()
    if let period, let column, let type = column.type {
      called.indexed = .period(period, of: column.operand, type)
    }
    return called
  }

  /// The period that its text names; nil if that is more or less than a day, a month or a year.
  private var period: CompiledExpression.Period? {
    switch (name, format) {
    case ("date", _), ("strftime", "%Y-%m-%d"): .day
    case ("strftime", "%Y-%m"): .month
    case ("strftime", "%Y"): .year
    default: nil
    }
  }

  private func text() throws -> CompiledExpression {
    switch name {
    case "date": text(time.text("YYYY-MM-DD"), of: "date_trunc('day', \(time.sql))")
    case "time": text(time.text("HH24:MI:SS"))
    case "datetime": text(time.text("YYYY-MM-DD HH24:MI:SS"), of: "date_trunc('second', \(time.sql))")
    case "julianday": CompiledExpression(sql: time.julianDay, type: .real)
    default: try formatted()
    }
  }

  private func text(_ sql: SQL, of moment: SQL? = nil) -> CompiledExpression {
    CompiledExpression(sql: sql, type: .text, form: moment.map { .moment($0) } ?? .other)
  }

  /// The time in the format of `strftime`.
  private func formatted() throws -> CompiledExpression {
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
      guard time.sql.length * (parts.count + 1) <= CompiledExpression.maximumRepetition else {
        throw TypeMismatch(message: "the date of `strftime` is too long for this number of fields")
      }
      guard let field = time.field(code) else { throw Self.badFormat("%\(code)") }
      parts.append(field)
    }
    let hasFields = !parts.isEmpty
    flush()
    let sql: SQL = parts.isEmpty ? "''" : parts.joined(separator: " || ")
    // Without a field, the result would not depend on whether there is a time.
    guard hasFields else { return text("CASE WHEN \(time.sql) IS NOT NULL THEN \(sql) END") }
    return CompiledExpression(sql: sql, precedence: parts.count == 1 ? .primary : .equality, type: .text)
  }

  private static func badFormat(_ code: String) -> TypeMismatch {
    TypeMismatch(
      message:
        "`strftime` doesn't support `\(code)` on PostgreSQL; it supports %Y, %m, %d, %H, %M, %S, %f, %j, %w, %s, %J and %%"
    )
  }
}
