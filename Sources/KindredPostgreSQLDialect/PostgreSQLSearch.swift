import KindredModel
import KindredPlanning
import KindredSQLSyntax

/// Conditions that hold wherever others do, and that an index serves which people create: of the text of a member of JSON, or
/// of a column of times whose days are meant.
///
/// The others stay, since they compare as SQLite does: a text isn't equal to a number, and what is no date belongs to no day.
struct PostgreSQLSearch {
  private let form: CompiledExpression.IndexedForm

  /// Returns nil where an index has the value as it is, or not at all.
  init?(_ value: CompiledExpression) {
    guard let form = value.indexed, value.collation == nil else { return nil }
    // What isn't shown as a text is compared as JSON.
    if case .member = form, value.type != .dynamic { return nil }
    self.form = form
  }

  /// Returns what must hold where the value compares so with a literal; nil if nothing that an index serves.
  func condition(_ op: Expression.BinaryOperator, _ literal: CompiledExpression) -> SQL? {
    guard case .literal(let binding, let known) = literal.form, literal.claim == nil else { return nil }
    switch (form, known) {
    case (.member(let text, let json), .text(let literal)) where op == .equal:
      // The text of an object or an array is another one where it is kept as it was written.
      guard json != nil || !literal.beginsJSON else { return nil }
      return "\(text) = \(ValueType.text.parameter(binding))"
    case (.member(_, let json?), .integer) where op == .equal:
      // A boolean is a number.
      return "\(json) IN (to_jsonb(\(ValueType.integer.parameter(binding))), 'true', 'false')"
    case (.period(let period, let column, let type), .text):
      return Day(binding, period, type).condition(op, on: column)
    default:
      return nil
    }
  }

  /// The most items of a list that are searched one by one.
  private static let maximumItems = 8

  /// Returns what must hold where the value is one of a list.
  func condition(isAmong list: [CompiledExpression]) -> SQL? {
    let items = list.map { condition(.equal, $0) }
    guard !items.isEmpty, !items.contains(nil) else { return nil }
    if case .member(let text, _) = form {
      let texts = list.compactMap { item -> SQL? in
        guard case .literal(let binding, .text) = item.form else { return nil }
        return ValueType.text.parameter(binding)
      }
      if texts.count == list.count { return "\(text) IN (\(texts.joined(separator: ", ")))" }
    }
    guard items.count <= Self.maximumItems else { return nil }
    return "(\(items.compactMap(\.self).joined(separator: " OR ")))"
  }

  /// The period that a literal names.
  private struct Day {
    private let text: SQL
    private let start: SQL
    private let period: CompiledExpression.Period
    private let type: ValueType

    init(_ binding: SQL.Binding, _ period: CompiledExpression.Period, _ type: ValueType) {
      text = ValueType.text.parameter(binding)
      let rest: SQL =
        switch period {
        case .day: ""
        case .month: " || '-01'"
        case .year: " || '-01-01'"
        }
      start = PostgreSQLTimestamp(text: "\(text)\(rest)").sql
      (self.period, self.type) = (period, type)
    }

    /// The form of its text as a pattern of `LIKE`; others, such as those of times of day, are no periods.
    private var form: SQL {
      switch period {
      case .day: "'____-__-__'"
      case .month: "'____-__'"
      case .year: "'____'"
      }
    }

    /// Returns the beginning or the end of the period as a value of the column's type.
    ///
    /// - Parameter other: The value for a literal that names none, which texts may be before or after nevertheless.
    private func bound(isEnd: Bool, or other: SQL? = nil) -> SQL {
      var time = isEnd ? "\(start) + interval '1 \(SQL(trusted: period.rawValue))'" as SQL : start
      if let other {
        time = "coalesce(CASE WHEN \(text) LIKE \(form) THEN \(time) END, timestamp '\(other)')"
      }
      return switch type.kind {
      case .timestampWithTimeZone: "timezone('UTC', \(time))"
      case .date: "(\(time))::date"
      default: "(\(time))"
      }
    }

    func condition(_ op: Expression.BinaryOperator, on column: SQL) -> SQL? {
      switch op {
      case .equal: "(\(column) >= \(bound(isEnd: false)) AND \(column) < \(bound(isEnd: true)))"
      case .less: "\(column) <= \(bound(isEnd: false, or: "infinity"))"
      case .lessOrEqual: "\(column) <= \(bound(isEnd: true, or: "infinity"))"
      case .greater: "\(column) >= \(bound(isEnd: true, or: "-infinity"))"
      case .greaterOrEqual: "\(column) >= \(bound(isEnd: false, or: "-infinity"))"
      default: nil
      }
    }
  }
}

extension CompiledExpression {
  /// Returns the condition with what must hold where it does.
  func requiring(_ necessary: SQL?) -> CompiledExpression {
    var condition = self
    condition.necessary = necessary
    return condition
  }
}

extension Expression.BinaryOperator {
  /// The operator with its operands exchanged.
  var exchanged: Self {
    switch self {
    case .less: .greater
    case .lessOrEqual: .greaterOrEqual
    case .greater: .less
    case .greaterOrEqual: .lessOrEqual
    default: self
    }
  }
}

extension PostgreSQLDialect {
  /// Returns what must hold where two values compare so.
  func search(
    _ op: Expression.BinaryOperator, _ left: CompiledExpression, _ right: CompiledExpression
  ) -> SQL? {
    PostgreSQLSearch(left)?.condition(op, right) ?? PostgreSQLSearch(right)?.condition(op.exchanged, left)
  }
}
