import KindredModel
import KindredPlanning
import KindredSQLSyntax

/// Two values converted so that PostgreSQL can compare them: a literal is cast to the type of the other operand, and
/// numbers, booleans, dates and JSON are converted as SQLite compares them.
struct PostgreSQLComparison {
  var left: CompiledExpression
  var right: CompiledExpression

  /// - Parameters:
  ///   - first: The index of the left operand, for errors.
  ///   - second: The index of the right operand.
  init(
    _ left: CompiledExpression, _ right: CompiledExpression, _ first: Int = 0, _ second: Int = 1
  ) throws {
    (self.left, self.right) = (left, right)
    // An explicit collation of either operand applies to the comparison; the left one takes precedence.
    if let collation = left.collation ?? right.collation {
      (self.left, self.right) = (try left.compared(by: collation), try right.compared(by: collation))
    }
    try convert(first, second)
  }

  /// The condition that both are equal.
  var equality: SQL { "\(left.operand) = \(right.operand)" }

  private mutating func convert(_ first: Int, _ second: Int) throws {
    if right.type?.kind.isNumber ?? false { left = left.numberOfOther ?? left }
    if left.type?.kind.isNumber ?? false { right = right.numberOfOther ?? right }
    guard let type = left.type, let other = right.type else { return }
    if let dynamic = PostgreSQLDynamicValue(left) {
      (left, right) = try dynamic.compared(with: right, other, (first, second))
    } else if let dynamic = PostgreSQLDynamicValue(right) {
      (right, left) = try dynamic.compared(with: left, type, (second, first))
    } else if !left.isLiteral, right.isLiteral {
      (left, right) = try Self.converted(left, type, beside: right, first, second)
    } else if left.isLiteral, !right.isLiteral {
      (right, left) = try Self.converted(right, other, beside: left, second, first)
    } else if type.kind == .json, other.kind == .json {
      (left, right) = (left.textOfJSON, right.textOfJSON)
    } else if Self.areComparable(type, other) {
      return
    } else if type.kind.isDate, let moment = right.moment {
      right = moment
    } else if other.kind.isDate, let moment = left.moment {
      left = moment
    } else if type.kind == .boolean, other.kind.isNumber {
      left = left.asInteger
    } else if type.kind.isNumber, other.kind == .boolean {
      right = right.asInteger
    } else if type.kind == .json, let json = left.json(as: other) {
      left = json
    } else if other.kind == .json, let json = right.json(as: type) {
      right = json
    } else {
      throw Self.mismatch(type, other, first, second)
    }
  }

  /// Whether PostgreSQL compares values of two types as they are.
  private static func areComparable(_ type: ValueType, _ other: ValueType) -> Bool {
    if type.kind == other.kind { return type.kind != .other || type.name == other.name }
    return type.kind.isNumber && other.kind.isNumber || type.kind.isDate && other.kind.isDate
  }

  /// Returns a value and a literal compared with it, the literal cast to the type of the value.
  static func converted(
    _ value: CompiledExpression, _ type: ValueType, beside literal: CompiledExpression, _ first: Int,
    _ second: Int
  ) throws -> (CompiledExpression, CompiledExpression) {
    guard case .literal(let binding, _) = literal.form, let own = literal.type else {
      return (value, literal)
    }
    func cast(_ type: ValueType) -> CompiledExpression {
      var sql = type.kind == .array ? type.composed(of: binding) : type.parameter(binding)
      if type.kind == .text, case .parameter(let number) = binding { sql.note(PlanNote.plainText(number)) }
      return CompiledExpression(sql: sql, type: type, form: literal.form, isNullable: literal.isNullable)
    }
    switch (type.kind, own.kind) {
    case (.integer, .real): return (value, cast(.numeric))
    case (.integer, .integer), (.integer, .text): return (value, cast(.integer))
    case (.numeric, .integer), (.numeric, .real), (.numeric, .text): return (value, cast(.numeric))
    case (.real, .integer), (.real, .real), (.real, .text): return (value, cast(type))
    case (.boolean, .integer), (.boolean, .real): return (value.asInteger, literal)
    case (.text, .blob), (.blob, .integer), (.blob, .real), (.blob, .text): break
    case (.text, _): return (value, cast(type))
    case (.json, _):
      if let json = value.json(as: own) { return (json, literal) }
    case (_, .text), (.blob, .blob): return (value, cast(type))
    default: break
    }
    throw mismatch(type, own, first, second)
  }

  private static func mismatch(_ type: ValueType, _ other: ValueType, _ first: Int, _ second: Int)
    -> TypeMismatch
  {
    let message = "PostgreSQL can't compare \(type.description) with \(other.description)"
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
}
