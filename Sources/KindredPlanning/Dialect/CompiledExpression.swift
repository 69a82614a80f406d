import KindredSQLSyntax

/// An expression as SQL with resolved names, and the properties that a dialect needs to combine it with others.
struct CompiledExpression {
  var sql: SQL
  var precedence = Precedence.primary
  var format: Plan.ValueFormat = .plain
  /// The type of its values, for a database whose expressions have types; nil where it is unknown.
  var type: ValueType?
  /// The form of the expression, where a dialect writes it differently depending on the other operand.
  var form = Form.other
  /// Whether it may be NULL.
  var isNullable = true
  /// The explicit collation in PostgreSQL, if any, by which the value is compared; it doesn't change what is shown.
  var collation: Expression.Collation?
  /// How SQLite compares it.
  var rules = ComparisonRules()
  /// The rules that SQLite derives from the SQL; nil if they are the same.
  ///
  /// Those of a parameter that is bound to a value of another statement differ.
  var rulesOfSQL: ComparisonRules?
  /// Its value if the record that it reads is missing; nil for NULL.
  var absent: CompiledAbsence?
  /// The same aggregate for all records in one pass; nil if it isn't an aggregate of an association, or can't be
  /// grouped.
  var grouped: GroupedAggregate?
  /// Whether it is a text whose collation considers different texts equal, so that PostgreSQL can't search in it.
  var isNondeterministic = false

  /// The forms of expressions that dialects distinguish.
  enum Form: Equatable {
    case null
    case truth(Bool)
    /// A bound value, and the value itself.
    case literal(SQL.Binding, SQLValue)
    /// The text of a timestamp, and the timestamp itself.
    case moment(SQL)
    /// The value of a member, which is shown as this JSON.
    case member(SQL)
    /// A concatenation of these texts.
    case joined([SQL])
    /// What groups are made of: this text as its collation compares it.
    case grouped(SQL)
    case other
  }

  /// Whether it is one value that the statement is given, rather than an operation.
  var isConstant: Bool {
    switch form {
    case .null, .truth, .literal: true
    case .moment, .member, .joined, .grouped, .other: false
    }
  }

  /// The SQL of what is shown: of a member the JSON, of which the value is a part.
  var shownSQL: SQL {
    if case .member(let json) = form { json } else { sql }
  }

  /// A placeholder for an invalid expression, whose error has been noted.
  static let unknown = CompiledExpression(sql: "NULL", form: .null)
}

/// The value of an aggregate over no records.
struct CompiledAbsence {
  var sql: SQL
  var type: ValueType?
}

/// How tightly the outermost operator binds
/// (<https://www.sqlite.org/lang_expr.html#operators_and_parse_affecting_attributes>).
///
/// Parentheses are written only where they are needed, as each takes one of the 100 entries of SQLite's parser stack.
enum Precedence: Int, Comparable {
  case or, and, not, equality, comparison, sum, product, concatenation, collate, sign, primary

  static func < (left: Precedence, right: Precedence) -> Bool { left.rawValue < right.rawValue }

  /// The next tighter one.
  var next: Precedence { Precedence(rawValue: rawValue + 1) ?? .primary }
}

extension CompiledExpression {
  /// Returns the SQL as an operand of an operator of this precedence, in parentheses if needed.
  func sql(within precedence: Precedence) -> SQL { self.precedence < precedence ? "(\(sql))" : sql }
}
