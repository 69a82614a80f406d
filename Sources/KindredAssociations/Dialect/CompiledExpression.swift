import KindredSQLSyntax

/// An expression whose names were found, as SQL.
struct CompiledExpression {
  var sql: SQL
  var precedence = Precedence.primary
  var format: Plan.ValueFormat = .plain
  /// What its values are, to a database that has types; nil where that is not known.
  var type: ValueType?
  /// Whether it is something that a dialect writes in another way beside certain operands.
  var form = Form.other
  /// Whether it may be NULL.
  var isNullable = true
  /// The collation that it has been given.
  var collation: Expression.Collation?
  /// What it is where the record that it is about is missing, if not NULL.
  var absent: CompiledAbsence?

  /// What an expression is made of, as far as a dialect has to know.
  enum Form: Equatable {
    case null
    case truth(Bool)
    /// A value that is bound, and what it is.
    case literal(SQL.Binding, SQLValue)
    case other
  }

  /// What stands for an expression that is wrong, while its error is noted.
  static let unknown = CompiledExpression(sql: "NULL", form: .null)
}

/// What an aggregate is of no records.
struct CompiledAbsence {
  var sql: SQL
  var type: ValueType?
}

/// How tightly the outermost operator binds (<https://www.sqlite.org/lang_expr.html#operators_and_parse_affecting_attributes>).
///
/// Parentheses stand only where they must: SQLite's parser has a stack of 100 entries, and each takes one.
enum Precedence: Int, Comparable {
  case or, and, not, equality, comparison, sum, product, concatenation, collate, sign, primary

  static func < (left: Precedence, right: Precedence) -> Bool { left.rawValue < right.rawValue }

  /// The next tighter one.
  var next: Precedence { Precedence(rawValue: rawValue + 1) ?? .primary }
}

extension CompiledExpression {
  /// The SQL as an operand of an operator that binds as tightly as `precedence`.
  func sql(within precedence: Precedence) -> SQL { self.precedence < precedence ? "(\(sql))" : sql }
}
