import KindredModel
import KindredSQLSyntax

/// An expression as SQL with resolved names, and the properties that a dialect needs to combine it with others.
package struct CompiledExpression {
  package var sql: SQL { didSet { opposite = nil } }
  package var precedence = Precedence.primary
  package var format: Plan.ValueFormat = .plain
  /// The type of its values, for a database whose expressions have types; nil where it is unknown.
  package var type: ValueType?
  /// The form of the expression, where a dialect writes it differently depending on the other operand.
  package var form = Form.other
  /// Whether it may be NULL.
  package var isNullable = true
  /// The explicit collation in PostgreSQL, if any, by which the value is compared; it doesn't change what is shown.
  package var collation: Expression.Collation?
  /// How SQLite compares it.
  package var traits = ComparisonTraits()
  /// The traits that SQLite derives from the SQL; nil if they are the same.
  ///
  /// Those of a parameter that is bound to a value of another statement differ.
  package var traitsOfSQL: ComparisonTraits?
  /// Its value if the record that it reads is missing; nil for NULL.
  var absent: CompiledAbsence?
  /// The same aggregate for all records in one pass; nil if it isn't an aggregate of an association, or can't be
  /// grouped.
  package var grouped: GroupedAggregate?
  /// Whether it is a text whose collation considers different texts equal, so that PostgreSQL can't search in it.
  package var isNondeterministic = false
  /// The document that is shown in its place; nil if the value itself is shown.
  package var shownDocument: SQL?
  /// What an index may have in its place; nil if that is the expression itself.
  package var indexed: IndexedForm?
  /// The condition that holds where this one doesn't, where that needs no `NOT`; nil for other expressions.
  package var opposite: SQL?
  /// A condition that holds wherever this one does, and by which an index may find the records; nil if there is none.
  package var necessary: SQL?

  package init(
    sql: SQL, precedence: Precedence = .primary, format: Plan.ValueFormat = .plain, type: ValueType? = nil,
    form: Form = .other, isNullable: Bool = true, collation: Expression.Collation? = nil,
    traits: ComparisonTraits = ComparisonTraits(), traitsOfSQL: ComparisonTraits? = nil,
    absent: CompiledAbsence? = nil, grouped: GroupedAggregate? = nil, isNondeterministic: Bool = false
  ) {
    self.sql = sql
    self.precedence = precedence
    self.format = format
    self.type = type
    self.form = form
    self.isNullable = isNullable
    self.collation = collation
    self.traits = traits
    self.traitsOfSQL = traitsOfSQL
    self.absent = absent
    self.grouped = grouped
    self.isNondeterministic = isNondeterministic
  }

  /// The forms of expressions that dialects distinguish.
  package enum Form: Equatable {
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

  /// A value that an index serves if conditions on it are written in another way.
  package enum IndexedForm: Equatable {
    /// A member of JSON, as a text and, where values of the type can be compared, as JSON.
    case member(text: SQL, json: SQL?)
    /// The text of the day, the month or the year of a column of times.
    case period(Period, of: SQL, ValueType)
  }

  /// A unit of the calendar.
  package enum Period: String { case day, month, year }

  /// Whether it is one value that the statement is given, rather than an operation.
  package var isConstant: Bool {
    switch form {
    case .null, .truth, .literal: true
    case .moment, .member, .joined, .grouped, .other: false
    }
  }

  /// Whether it is a bound value.
  package var isLiteral: Bool { if case .literal = form { true } else { false } }

  /// The SQL of what is shown: of a member the JSON, of which the value is a part.
  var shownSQL: SQL {
    if case .member(let json) = form { json } else { sql }
  }

  /// A placeholder for an invalid expression, whose error has been noted.
  static let unknown = CompiledExpression(sql: "NULL", form: .null)
}

/// The value of an aggregate over no records.
package struct CompiledAbsence {
  var sql: SQL
  var type: ValueType?

  package init(sql: SQL, type: ValueType? = nil) {
    self.sql = sql
    self.type = type
  }
}

extension CompiledExpression {
  /// Returns the same value as a part of SQL gives it, which needs no parentheses.
  package func read(as sql: SQL) -> CompiledExpression {
    var read = self
    (read.sql, read.precedence, read.form, read.shownDocument) = (sql, .primary, .other, nil)
    (read.indexed, read.necessary) = (nil, nil)
    return read
  }

  /// Returns the SQL as an operand of an operator of this precedence, in parentheses if needed.
  package func sql(within precedence: Precedence) -> SQL { self.precedence < precedence ? "(\(sql))" : sql }
}
