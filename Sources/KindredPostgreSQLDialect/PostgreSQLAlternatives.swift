import KindredModel
import KindredPlanning
import KindredSQLSyntax

/// The alternative values of one expression, such as the results of a `CASE`, converted to one type.
struct PostgreSQLAlternatives {
  let values: [CompiledExpression]

  init(_ values: [CompiledExpression]) throws {
    if values.contains(where: { $0.type == .dynamic }) {
      self.values = try values.enumerated().map { try PostgreSQLDynamicValue.containing($1, $0) }
      return
    }
    // The first value that isn't a literal determines the type.
    guard
      let first = values.first(where: { $0.type != nil && !$0.isLiteral })
        ?? values.first(where: { $0.type != nil }),
      let type = first.type
    else {
      self.values = values
      return
    }
    self.values = try values.enumerated().map { number, value in
      try Self.converted(value, number, beside: first, type)
    }
  }

  /// The type of the expression.
  var type: ValueType? {
    let types = values.compactMap(\.type)
    guard let first = types.first, types.allSatisfy(\.kind.isNumber) else { return types.first }
    return types.dropFirst().reduce(first) { $0.joined($1) }
  }

  /// The values as arguments of a function.
  var list: SQL { values.map(\.sql).joined(separator: ", ") }

  private static func converted(
    _ value: CompiledExpression, _ number: Int, beside first: CompiledExpression, _ type: ValueType
  ) throws -> CompiledExpression {
    guard let other = value.type else { return value }
    if type.kind.isNumber, other.kind.isNumber {
      // Next to an exact number, a literal must not make the result a binary fraction.
      return type.kind == .real || other.kind == .integer ? value : value.exact
    }
    if type.kind.isNumber, other.kind == .boolean { return value.asInteger }
    if type.kind == .boolean, other.kind.isNumber {
      throw TypeMismatch(
        message: "the values must not mix booleans and numbers; write `cast(… as integer)` for the booleans")
    }
    if type.kind == .text, value.isLiteral { return try value.asText() }
    if type.kind == .json, other.kind == .text || other.kind.isNumber,
      case .literal(let binding, _) = value.form
    {
      return CompiledExpression(sql: type.parameter(binding), type: type, form: value.form)
    }
    if value.isLiteral { return try PostgreSQLComparison.converted(first, type, beside: value, 0, number).1 }
    guard type.kind == other.kind, type.kind != .other || type.name == other.name else {
      throw TypeMismatch(
        message:
          "PostgreSQL requires values of the same type here, but these are \(type.description) and \(other.description)",
        cast: (number, type.kind == .integer ? .integer : type.kind.isNumber ? .numeric : .text))
    }
    return value
  }
}
