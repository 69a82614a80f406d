import KindredModel
import KindredPlanning
import KindredSQLSyntax

/// Converts a value to the type that an operator or a function of PostgreSQL requires.
extension CompiledExpression {
  /// The maximum length of what an operator writes several times, in bytes.
  static let maximumRepetition = 256 << 10

  /// The SQL as an operand of any operator except `AND`, `OR` and `NOT`.
  var operand: SQL { sql(within: .primary) }

  /// Returns the SQL of a text as an operand or an argument in which PostgreSQL searches, which requires
  /// a deterministic collation.
  func searched(by collation: SQL = "\"C\"") -> SQL {
    isNondeterministic ? "\(operand) COLLATE \(collation)" : operand
  }

  /// Returns a text composed of others, with the collations of the first one of them that has any.
  func inheriting(from others: [CompiledExpression]) -> CompiledExpression {
    guard isCollatable else { return self }
    var inherited = self
    if others.contains(where: \.isNondeterministic) { inherited.isNondeterministic = true }
    inherited.collation = others.lazy.compactMap(\.collation).first
    return inherited
  }

  /// Whether it may be a text.
  private var isCollatable: Bool { type?.kind == .text || type?.kind == .dynamic }

  /// The timestamp whose text it is, as a separate expression; nil for others.
  var moment: CompiledExpression? {
    guard case .moment(let sql) = form else { return nil }
    return CompiledExpression(sql: sql, type: .timestamp)
  }

  /// Returns the condition that the value is true, or a number other than 0.
  func asCondition() throws -> CompiledExpression {
    guard let type, type.kind != .boolean else { return self }
    if type.kind == .dynamic { return try asNumber(0).asCondition() }
    guard type.kind.isNumber else {
      throw TypeMismatch(message: "\(type.description) is not a condition; compare it with something")
    }
    return CompiledExpression(
      sql: "\(operand) <> 0", precedence: .equality, format: .boolean, type: .boolean)
  }

  /// The text of the value in the order of its bytes.
  var textByBytes: CompiledExpression {
    CompiledExpression(
      sql: "\(operand)::text COLLATE \"C\"", precedence: .collate, type: .text, isNullable: isNullable)
  }

  /// Returns the value as a text, in SQLite's form.
  func asText() throws -> CompiledExpression {
    func converted(_ sql: SQL) -> CompiledExpression {
      CompiledExpression(sql: sql, type: .text, isNullable: isNullable)
    }
    if case .literal(let binding, _) = form, type?.kind != .blob, type?.kind != .real {
      return CompiledExpression(
        sql: ValueType.text.parameter(binding), type: .text, form: form, isNullable: isNullable)
    }
    switch type?.kind {
    case .text?: return self
    case .boolean?: return converted("\(operand)::int4::text")
    case .blob?: return converted("convert_from(\(sql), 'UTF8')")
    case .json?: return textOfJSON
    case .dynamic?: return PostgreSQLDynamicValue(self)?.text ?? textOfJSON
    // SQLite writes a whole number with a fraction, as in `1.0` and `1.0e+15`.
    case .real?: return converted("regexp_replace(\(operand)::text, '^(-?\\d+)(e|$)', '\\1.0\\2')")
    default: return converted("\(operand)::text")
    }
  }

  /// Returns the value as a number.
  ///
  /// - Parameter place: The index of the operand, for errors.
  func asNumber(_ place: Int) throws -> CompiledExpression {
    guard let type else {
      // NULL alone has no type.
      return CompiledExpression(sql: "\(operand)::int8", type: .integer)
    }
    if type.kind.isNumber { return self }
    if type.kind == .boolean { return asInteger }
    if type.kind == .json { return numberOfJSON }
    if type.kind == .dynamic { return try cast(to: .numeric) }
    if let number = numberOfOther { return number }
    // The text of a date or an array doesn't begin with a number that means its value.
    let isCastable = type.kind == .text || type.kind == .blob
    throw TypeMismatch(
      message: "\(type.description) is not a number",
      cast: isCastable ? (operand: place, type: .numeric) : nil)
  }

  /// The number that a value of another type stands for: of an amount of money or of an object's number; nil for others.
  var numberOfOther: CompiledExpression? {
    switch type {
    case .money: CompiledExpression(sql: "\(operand)::numeric", type: .numeric, isNullable: isNullable)
    case .objectNumber: CompiledExpression(sql: "\(operand)::int8", type: .integer, isNullable: isNullable)
    default: nil
    }
  }

  /// A boolean as 0 or 1, as in SQLite.
  var asInteger: CompiledExpression {
    CompiledExpression(sql: "\(operand)::int4", type: .integer, isNullable: isNullable)
  }

  /// A literal as `numeric`, so that next to an exact number it doesn't become a binary fraction; else the expression
  /// itself.
  var exact: CompiledExpression {
    guard case .literal(let binding, _) = form else { return self }
    return CompiledExpression(sql: ValueType.numeric.parameter(binding), type: .numeric, form: form)
  }

  /// The text of a JSON value.
  var textOfJSON: CompiledExpression { CompiledExpression(sql: "(\(operand) #>> '{}')", type: .text) }

  /// The number of a JSON value; NULL for other values.
  private var numberOfJSON: CompiledExpression {
    CompiledExpression(
      sql: "CASE WHEN jsonb_typeof(\(operand)::jsonb) = 'number' THEN (\(operand) #>> '{}')::numeric END",
      type: .numeric)
  }

  /// Returns a JSON value converted to a text or a number; nil for other types.
  package func json(as type: ValueType) -> CompiledExpression? {
    if type.kind == .text { return textOfJSON }
    return type.kind.isNumber ? numberOfJSON : nil
  }

  /// Returns a text as one that is compared by a collation; other values as they are.
  func collated(_ collation: Expression.Collation) -> CompiledExpression {
    guard isCollatable else { return self }
    var collated = self
    (collated.collation, collated.form) = (collation, .other)
    return collated
  }

  /// Returns the value as an operand of a comparison by a collation.
  func compared(by collation: Expression.Collation) throws -> CompiledExpression {
    type?.kind == .dynamic ? collated(collation) : try asText().collated(collation).comparedByCollation
  }

  /// The value in a form that PostgreSQL compares and sorts as the explicit collation demands.
  var comparedByCollation: CompiledExpression {
    if let dynamic = PostgreSQLDynamicValue(self) { return dynamic.ordered }
    guard let collation else { return self }
    return CompiledExpression(
      sql: collation.applied(to: operand), precedence: .collate, type: .text, isNullable: isNullable)
  }

  /// Returns the value as `CAST` of SQLite converts it.
  func cast(to type: Expression.CastType) throws -> CompiledExpression {
    func converted(_ sql: SQL, _ type: ValueType) -> CompiledExpression {
      CompiledExpression(sql: sql, type: type, isNullable: isNullable)
    }
    if type != .text, type != .blob, let number = numberOfOther { return try number.cast(to: type) }
    let kind = self.type?.kind ?? .text
    switch type {
    case .text:
      return try asText()
    case .blob:
      return kind == .blob ? self : converted("convert_to(\(try asText().sql), 'UTF8')", .blob)
    case .integer:
      switch kind {
      case .integer: return self
      case .boolean: return converted("\(operand)::int4::int8", .integer)
      case .numeric, .real: return converted("trunc(\(sql))::int8", .integer)
      default: return converted(try leading(Self.wholeNumber, as: .integer), .integer)
      }
    case .real, .numeric:
      let target: ValueType = type == .real ? .real : .numeric
      if kind == target.kind { return self }
      if kind.isNumber { return converted("\(operand)::\(target.sql)", target) }
      if kind == .boolean { return converted("\(operand)::int4::\(target.sql)", target) }
      return converted(
        try leading(#"^\s*[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?|\d+$"#, as: target), target)
    }
  }

  /// The pattern of a whole number at the beginning of a text; otherwise the one at its end.
  private static let wholeNumber: StaticString = #"^\s*[-+]?\d+|\d+$"#

  /// Returns the value as an integer, which is NULL and noted where it doesn't fit.
  func castToFittingInteger() throws -> CompiledExpression {
    switch numberOfOther?.type?.kind ?? type?.kind ?? .text {
    case .integer, .boolean: try cast(to: .integer)
    case .numeric, .real: .fitting("trunc(\(try asNumber(0).sql))::numeric")
    default: .fitting(try leading(Self.wholeNumber, as: .numeric))
    }
  }

  /// Returns a number of any size without a fraction as an integer, which is NULL and noted where it doesn't fit.
  static func fitting(_ number: SQL) -> CompiledExpression {
    let range: SQL = "BETWEEN -9223372036854775808 AND 9223372036854775807"
    let sql: SQL = "CASE WHEN \(number) \(range) THEN (\(number))::int8 END"
    return CompiledExpression(
      sql: "(\(sql.noted(FailureNote("\(number) NOT \(range)"))))", type: .integer)
  }

  /// Returns the number at the beginning of a text, as SQLite's `CAST` does; 0 if there is none.
  private func leading(_ pattern: StaticString, as type: ValueType) throws -> SQL {
    let pattern = SQL(trusted: "'\(pattern)'")
    return "substring(\(try asText().searched()) || chr(10) || '0' from \(pattern))::\(type.sql)"
  }
}

extension Expression.Collation {
  /// Returns a text in the form whose bytes are compared.
  func applied(to text: SQL) -> SQL {
    switch self {
    case .binary: "\(text) COLLATE \"C\""
    // As in SQLite, only ASCII letters are case-insensitive.
    case .nocase: "lower(\(text) COLLATE \"C\") COLLATE \"C\""
    case .rtrim: "rtrim(\(text), ' ') COLLATE \"C\""
    }
  }
}
