import KindredModel
import KindredPlanning
import KindredSQLSyntax

/// A value whose type is known only when a statement runs, as those of SQLite: a claim of a token, a part of a JSON
/// document, or a choice among such values and others.
///
/// It is a `jsonb`, which is converted where it is compared, computed with or concatenated; a value that the other
/// type doesn't have becomes NULL, and so matches nothing.
struct PostgreSQLDynamicValue {
  private let value: CompiledExpression
  /// The claim, whose text can be bound itself; nil for other values.
  private let claim: SQL.Binding?

  /// Returns nil for values of a known type.
  init?(_ value: CompiledExpression) {
    guard value.type?.kind == .dynamic else { return nil }
    self.value = value
    if case .literal(let binding, _) = value.form { claim = binding } else { claim = nil }
  }

  /// Returns a claim as an expression.
  static func claim(_ name: String) -> CompiledExpression {
    let binding = SQL.Binding.claim(name)
    return CompiledExpression(
      sql: ValueType.dynamic.parameter(.json(of: binding)), type: .dynamic, form: .literal(binding, .text(""))
    )
  }

  /// Returns a value of any type as a dynamic one.
  ///
  /// - Parameter place: The index of the operand, for errors.
  static func containing(_ value: CompiledExpression, _ place: Int) throws -> CompiledExpression {
    func made(_ sql: SQL) -> CompiledExpression {
      CompiledExpression(
        sql: sql, type: .dynamic, isNullable: value.isNullable, collation: value.collation)
    }
    switch value.type?.kind {
    case nil, .dynamic?: return value.asShown
    case .json?: return made("\(value.operand)::jsonb")
    case .integer?, .numeric?, .real?, .boolean?, .array?: return made("to_jsonb(\(value.sql))")
    case .blob?:
      throw TypeMismatch(
        message: "binary data can't be mixed with values of other types", cast: (place, .text))
    case .text?, .date?, .time?, .timestamp?, .timestampWithTimeZone?, .interval?, .other?:
      return made("to_jsonb(\(try value.asText().operand)::text)")
    }
  }

  // MARK: Conversions

  /// The text of the value, in which a boolean is a number as in SQLite.
  var text: CompiledExpression {
    let sql =
      claim.map(ValueType.text.parameter)
      ?? "CASE \(value.sql) WHEN 'true' THEN '1' WHEN 'false' THEN '0' ELSE \(written) END"
    return CompiledExpression(
      sql: sql, type: .text, isNullable: value.isNullable, collation: value.collation)
  }

  /// The text of the JSON value.
  private var written: SQL { "(\(value.operand) #>> '{}')" }

  /// The value in a form that PostgreSQL orders as SQLite does: numbers, among them booleans, before texts.
  var ordered: CompiledExpression {
    let text = value.collation.map { $0.applied(to: written) } ?? written
    return CompiledExpression(
      sql: """
        CASE jsonb_typeof(\(value.sql)) WHEN 'number' THEN '[0]'::jsonb || \(value.operand) \
        WHEN 'boolean' THEN '[0]'::jsonb || to_jsonb((\(value.operand) = 'true')::int4) \
        ELSE '[1]'::jsonb || to_jsonb(\(text)) END
        """,
      type: .dynamic, isNullable: value.isNullable)
  }

  /// The number or boolean that the value is, or what every text is to SQLite: greater than any number.
  private var number: CompiledExpression { number("\(written)::numeric", ofText: Self.greatest) }

  /// The number or boolean that the value is, or whose text it is, as SQLite compares it with a column of numbers.
  fileprivate func number(beside type: ValueType) -> CompiledExpression {
    var number: SQL = "\(written)::numeric"
    // PostgreSQL can't convert numbers beyond those of the type.
    if type.kind == .real { number = "greatest(least(\(number), 1e308), -1e308)" }
    return self.number(
      number, ofText: "coalesce(\(tested(Self.numericPattern, as: .numeric).sql), \(Self.greatest))")
  }

  private func number(_ number: SQL, ofText text: SQL) -> CompiledExpression {
    let greatest = Self.greatest
    return CompiledExpression(
      sql: """
        CASE jsonb_typeof(\(value.sql)) WHEN 'number' THEN \(number) \
        WHEN 'boolean' THEN (\(value.operand) = 'true')::int4 WHEN 'string' THEN \(text) \
        WHEN 'array' THEN \(greatest) WHEN 'object' THEN \(greatest) END
        """,
      type: .numeric)
  }

  private static let greatest: SQL = "'Infinity'::numeric"

  private static let numericPattern: StaticString =
    #"^\s*[-+]?(\d{1,200}\.?\d{0,200}|\.\d{1,200})(e[-+]?\d{1,2})?\s*$"#

  /// Returns the text converted to a type if it matches a pattern, else NULL.
  private func tested(_ pattern: StaticString, as type: ValueType) -> CompiledExpression {
    let text = text.sql
    return CompiledExpression(
      sql: "CASE WHEN \(text) ~* \(SQL(trusted: "'\(pattern)'")) THEN \(text)::\(type.sql) END",
      type: type)
  }

  /// Returns the value and another one, both converted so that they can be compared.
  ///
  /// - Parameters:
  ///   - type: The type of the other value.
  ///   - places: The indices of the operands, for errors.
  func compared(
    with other: CompiledExpression, _ type: ValueType, _ places: (own: Int, other: Int)
  ) throws -> (own: CompiledExpression, other: CompiledExpression) {
    switch type.kind {
    case .dynamic: return (ordered, other.comparedByCollation)
    // A column converts a value, other expressions don't.
    case .text where other.isColumn: return (text, other)
    case .text: return (ordered, try Self.containing(other, places.other).comparedByCollation)
    case .integer where other.isColumn, .numeric where other.isColumn, .real where other.isColumn:
      return (claim == nil ? number(beside: type) : search(in: type), other)
    case .integer, .numeric, .real: return (number, other.exact)
    case .boolean: return (number, other.asInteger)
    case .json: return (text, other.textOfJSON)
    case .date, .timestamp, .timestampWithTimeZone:
      return (CompiledExpression(sql: PostgreSQLTimestamp(text: text.sql).sql, type: .timestamp), other)
    case .other where type.name == "uuid":
      return (tested(#"^\s*([0-9a-f]{4}-?){7}[0-9a-f]{4}\s*$"#, as: type), other)
    case .other where !Self.ownTypes.contains(type.name):
      // Those of an enumeration or of another type of the database's own may lack the value.
      return (text, try other.asText())
    case .time, .interval, .array, .other:
      return (CompiledExpression(sql: "\(text.operand)::\(type.sql)", type: type), other)
    case .blob:
      throw TypeMismatch(
        message: "PostgreSQL can't compare \(type.description) with \(ValueType.dynamic.description)",
        cast: (places.own, .blob))
    }
  }

  /// Returns a claim as a value of the type of a column with which it is compared for equality, so that an index can be
  /// used; NULL if it isn't one.
  private func search(in type: ValueType) -> CompiledExpression {
    guard type.kind == .integer else { return tested(Self.numericPattern, as: type) }
    let number = tested(Self.numericPattern, as: .numeric).sql
    return CompiledExpression(
      sql: """
        CASE WHEN trunc(\(number)) = \(number) AND abs(\(number)) < 9223372036854775808 \
        THEN (\(number))::int8 END
        """,
      type: type)
  }

  /// Types with several texts for equal values.
  private static let ownTypes: Set = [
    "uuid", "inet", "cidr", "macaddr", "macaddr8", "money", "\"bit\"", "bit varying", "int4range",
    "int8range", "numrange", "tsrange", "tstzrange", "daterange", "oid",
  ]
}

extension CompiledExpression {
  /// Returns a value of an unknown type as a number, among which every other text is the greatest, because it is compared
  /// with a column of numbers, whose index can't be used so; else the expression itself.
  func ranked(beside other: CompiledExpression) -> CompiledExpression {
    guard isRanked(beside: other), let type = other.type, let dynamic = PostgreSQLDynamicValue(self) else {
      return self
    }
    return dynamic.number(beside: type)
  }

  /// Whether it is a value of an unknown type that is compared with a column of numbers.
  func isRanked(beside other: CompiledExpression) -> Bool {
    type?.kind == .dynamic && other.isColumn && other.type?.kind.isNumber ?? false
  }

  /// Whether it is a column, to whose type SQLite converts what it is compared with.
  fileprivate var isColumn: Bool { traits.affinity != nil }
}
