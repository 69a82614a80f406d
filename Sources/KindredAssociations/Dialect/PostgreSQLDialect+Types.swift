import KindredSQLSyntax

/// Conversions between operands of different types.
extension PostgreSQLDialect {
  // MARK: Comparisons

  /// Returns two values converted so that they can be compared.
  ///
  /// - Parameters:
  ///   - first: The index of the left operand, for errors.
  ///   - second: The index of the right operand.
  func comparable(
    _ left: CompiledExpression, _ right: CompiledExpression, _ first: Int = 0, _ second: Int = 1
  ) throws -> (CompiledExpression, CompiledExpression) {
    var (left, right) = (left, right)
    // An explicit collation of either operand applies to the comparison; the left one takes precedence.
    if let collation = left.collation ?? right.collation, left.collation != right.collation {
      (left, right) = try (
        left.collation == nil ? collated(text(left), collation) : left,
        right.collation == nil ? collated(text(right), collation) : right
      )
    }
    guard let type = left.type, let other = right.type else { return (left, right) }
    switch (left.isLiteral, right.isLiteral) {
    case (false, true): return try beside(left, type, right, first, second)
    case (true, false):
      let (right, left) = try beside(right, other, left, second, first)
      return (left, right)
    case (true, true), (false, false): break
    }
    if type.kind == other.kind {
      guard type.kind != .other || type.name == other.name else { throw mismatch(type, other, first, second) }
      return type.kind == .json ? (jsonText(left), jsonText(right)) : (left, right)
    }
    if type.kind.isNumber, other.kind.isNumber { return (left, right) }
    if type.kind.isDate, other.kind.isDate { return (left, right) }
    if type.kind.isDate, let moment = right.moment { return (left, moment) }
    if other.kind.isDate, let moment = left.moment { return (moment, right) }
    if type.kind == .boolean, other.kind.isNumber { return (asInteger(left), right) }
    if type.kind.isNumber, other.kind == .boolean { return (left, asInteger(right)) }
    if type.kind == .json, let json = json(left, as: other) { return (json, right) }
    if other.kind == .json, let json = json(right, as: type) { return (left, json) }
    throw mismatch(type, other, first, second)
  }

  /// Returns a value and a literal compared with it, the literal cast to the type of the value.
  private func beside(
    _ value: CompiledExpression, _ type: ValueType, _ literal: CompiledExpression, _ first: Int,
    _ second: Int
  ) throws -> (CompiledExpression, CompiledExpression) {
    guard case .literal(let binding, let bound) = literal.form, let own = literal.type else {
      return (value, literal)
    }
    if let claim = PostgreSQLClaim(literal, self) {
      if let converted = claim.converted(to: type) { return (value, converted) }
      if PostgreSQLClaim.isComparedAsText(type) { return (try text(value), literal) }
    }
    func cast(_ type: ValueType) -> CompiledExpression {
      CompiledExpression(
        sql: parameter(binding, as: type), type: type, form: .literal(binding, bound),
        isNullable: literal.isNullable)
    }
    switch (type.kind, own.kind) {
    case (.integer, .real): return (value, cast(.numeric))
    case (.integer, .integer), (.integer, .text): return (value, cast(.integer))
    case (.numeric, .integer), (.numeric, .real), (.numeric, .text): return (value, cast(.numeric))
    case (.real, .integer), (.real, .real), (.real, .text): return (value, cast(type))
    case (.boolean, .integer), (.boolean, .real): return (asInteger(value), literal)
    case (.text, .blob), (.blob, .integer), (.blob, .real), (.blob, .text): break
    case (.text, _): return (value, cast(type))
    case (.json, _):
      if let json = json(value, as: own) { return (json, literal) }
    case (_, .text), (.blob, .blob): return (value, cast(type))
    default: break
    }
    throw mismatch(type, own, first, second)
  }

  private func mismatch(_ type: ValueType, _ other: ValueType, _ first: Int, _ second: Int) -> TypeMismatch {
    let message = "PostgreSQL does not compare \(type.description) with \(other.description)"
    // Suggest a cast of the text to a number; anything else can be cast to text.
    if type.kind.isNumber, other.kind == .text {
      return TypeMismatch(message: message, cast: (second, type.kind == .integer ? .integer : .numeric))
    }
    if other.kind.isNumber, type.kind == .text {
      return TypeMismatch(message: message, cast: (first, other.kind == .integer ? .integer : .numeric))
    }
    if type.kind == .blob { return TypeMismatch(message: message, cast: (second, .blob)) }
    if other.kind == .blob { return TypeMismatch(message: message, cast: (first, .blob)) }
    return TypeMismatch(message: message, cast: (type.kind == .text ? second : first, .text))
  }

  func equatable(_ column: SQL, _ type: ValueType?) -> (SQL, ValueType?) {
    // The type `json` has no equality operator.
    type?.name == "json" ? ("\(column)::jsonb", .json) : (column, type)
  }

  // MARK: Conversions

  /// Returns a boolean as 0 or 1, as in SQLite.
  private func asInteger(_ value: CompiledExpression) -> CompiledExpression {
    CompiledExpression(sql: "\(value.operand)::int4", type: .integer, isNullable: value.isNullable)
  }

  /// Returns the text of a JSON value.
  private func jsonText(_ value: CompiledExpression) -> CompiledExpression {
    CompiledExpression(sql: "(\(value.operand) #>> '{}')", type: .text)
  }

  /// Returns a JSON value converted to a text or a number; nil for other types.
  private func json(_ value: CompiledExpression, as type: ValueType) -> CompiledExpression? {
    if type.kind == .text { return jsonText(value) }
    guard type.kind.isNumber else { return nil }
    return CompiledExpression(
      sql:
        "CASE WHEN jsonb_typeof(\(value.operand)::jsonb) = 'number' THEN (\(value.operand) #>> '{}')::numeric END",
      type: .numeric)
  }

  /// Returns a value as a text, in SQLite's form.
  func text(_ value: CompiledExpression) throws -> CompiledExpression {
    func converted(_ sql: SQL) -> CompiledExpression {
      CompiledExpression(sql: sql, type: .text, isNullable: value.isNullable)
    }
    if case .literal(let binding, let bound) = value.form, value.type?.kind != .blob {
      return CompiledExpression(
        sql: parameter(binding, as: .text), type: .text, form: .literal(binding, bound),
        isNullable: value.isNullable)
    }
    switch value.type?.kind {
    case .text?: return value
    case .boolean?: return converted("\(value.operand)::int4::text")
    case .blob?: return converted("convert_from(\(value.sql), 'UTF8')")
    case .json?: return jsonText(value)
    default: return converted("\(value.operand)::text")
    }
  }

  /// Returns a value as a number.
  ///
  /// - Parameter place: The index of the operand, for errors.
  func number(_ value: CompiledExpression, _ place: Int) throws -> CompiledExpression {
    guard let type = value.type else {
      // NULL has no type of its own.
      return CompiledExpression(sql: "\(value.operand)::int8", type: .integer)
    }
    if type.kind.isNumber { return value }
    if type.kind == .boolean { return asInteger(value) }
    if type.kind == .json, let number = json(value, as: .numeric) { return number }
    if type == .money { return CompiledExpression(sql: "\(value.operand)::numeric", type: .numeric) }
    // The number that a text begins with is none of a date or an array.
    let isCastable = type.kind == .text || type.kind == .blob
    throw TypeMismatch(
      message: "\(type.description) is no number", cast: isCastable ? (operand: place, type: .numeric) : nil)
  }

  /// Returns two values as numbers.
  func numbers(
    _ left: CompiledExpression, _ right: CompiledExpression
  ) throws -> (CompiledExpression, CompiledExpression) {
    var (left, right) = (try number(left, 0), try number(right, 1))
    if left.type?.kind == .numeric { right = exact(right) }
    if right.type?.kind == .numeric { left = exact(left) }
    return (left, right)
  }

  /// Returns a literal as `numeric`, so that beside an exact number it doesn't become a binary fraction.
  private func exact(_ value: CompiledExpression) -> CompiledExpression {
    guard case .literal(let binding, _) = value.form else { return value }
    return CompiledExpression(sql: parameter(binding, as: .numeric), type: .numeric, form: value.form)
  }

  /// Returns the type of the result of an expression with these alternative values, converted by ``unified(_:)``.
  static func commonType(of values: [CompiledExpression]) -> ValueType? {
    let types = values.compactMap(\.type)
    guard let first = types.first, types.allSatisfy(\.kind.isNumber) else { return types.first }
    return types.dropFirst().reduce(first) { $0.joined($1) }
  }

  /// Returns alternative values of one expression, such as the results of a `CASE`, converted to one type.
  func unified(_ values: [CompiledExpression]) throws -> [CompiledExpression] {
    // The first value that isn't a literal determines the type.
    guard
      let first = values.first(where: { $0.type != nil && !$0.isLiteral })
        ?? values.first(where: { $0.type != nil }),
      let type = first.type
    else { return values }
    return try values.enumerated().map { number, value in
      guard let other = value.type else { return value }
      if type.kind.isNumber, other.kind.isNumber {
        // Beside an exact number, a literal must not make the result a binary fraction.
        return type.kind == .real || other.kind == .integer ? value : exact(value)
      }
      if type.kind.isNumber, other.kind == .boolean { return asInteger(value) }
      if type.kind == .boolean, other.kind.isNumber {
        throw TypeMismatch(
          message: "the values are booleans and numbers: write `cast(… as integer)` for the booleans")
      }
      if type.kind == .text, value.isLiteral { return try text(value) }
      if type.kind == .json, other.kind == .text, case .literal(let binding, _) = value.form {
        return CompiledExpression(sql: parameter(binding, as: type), type: type, form: value.form)
      }
      if value.isLiteral { return try beside(first, type, value, 0, number).1 }
      guard type.kind == other.kind, type.kind != .other || type.name == other.name else {
        throw TypeMismatch(
          message:
            "PostgreSQL wants values of one type here, and these are \(type.description) and \(other.description)",
          cast: (number, type.kind == .integer ? .integer : type.kind.isNumber ? .numeric : .text))
      }
      return value
    }
  }
}
