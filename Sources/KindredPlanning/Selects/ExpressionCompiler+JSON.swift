import KindredModel
import KindredSQLSyntax

extension ExpressionCompiler {
  /// Returns the SQL of an operation on two operands, which may be JSON and a part of it.
  func binary(
    _ op: Expression.BinaryOperator, _ left: ResolvedExpression, _ right: ResolvedExpression,
    in record: StatementRecord
  ) throws -> CompiledExpression {
    switch op {
    case .member, .memberValue:
      try member(op, left, right, in: record)
    default: try dialect.binary(op, compile(left, in: record), compile(right, in: record))
    }
  }

  private func member(
    _ op: Expression.BinaryOperator, _ left: ResolvedExpression, _ right: ResolvedExpression,
    in record: StatementRecord
  ) throws -> CompiledExpression {
    // An index of a member has its name.
    if dialect.readsLiterals(of: "->>") { state.readsLiterals = true }
    return try dialect.binary(op, document(left, of: op, in: record), step(right, in: record))
  }

  /// Returns the operand whose member or element an operator takes.
  ///
  /// - Throws: `RequestError` if it isn't declared as JSON.
  private func document(
    _ expression: ResolvedExpression, of op: Expression.BinaryOperator, in record: StatementRecord
  ) throws -> CompiledExpression {
    let document = try compile(expression, in: record)
    if case .path(.unknown) = expression.meaning { return document }
    guard dialect.isDocument(document) else {
      throw RequestError(
        .invalidExpression, "`\(op.sql.rendered().text)` takes a member of JSON, and this isn't declared so",
        at: expression.source.origin)
    }
    return document
  }

  /// Returns the name of a member, or the index of an element.
  ///
  /// - Throws: `RequestError` if it is neither a text nor an integer.
  private func step(_ expression: ResolvedExpression, in record: StatementRecord) throws -> CompiledExpression
  {
    let step = try compile(expression, in: record)
    switch step.form {
    case .literal(.parameter, .text), .literal(.parameter, .integer), .literal(.value, .text),
      .literal(.value, .integer):
      return step
    default:
      throw RequestError(
        .invalidExpression,
        "write the name of a member, such as `->'name'`, or the index of an element, such as `->0`",
        at: expression.source.origin)
    }
  }

  /// Checks the text of a literal, which is JSON if it begins so.
  ///
  /// - Throws: `TypeMismatch` for malformed JSON, and where an array is required and the text is none.
  func check(_ arguments: [CompiledExpression], of function: String) throws {
    try check(arguments[1], "second", beside: arguments[0], of: function)
    if !arguments[1].isLiteral { try check(arguments[0], "first", beside: arguments[1], of: function) }
  }

  private func check(
    _ argument: CompiledExpression, _ place: String, beside other: CompiledExpression, of function: String
  ) throws {
    guard case .literal(let binding, .text(let text)) = argument.form, argument.claim == nil else { return }
    // Plans that are made with a text can't be used with another one, which would not have been checked.
    if case .parameter = binding { state.readsLiterals = true }
    guard !dialect.isRange(other) else { return }
    let json = JSONText(text)
    guard json != nil || !text.beginsJSON else {
      throw TypeMismatch(message: "the \(place) argument of `\(function)` begins like JSON, but isn't")
    }
    guard function == "contains" || text.beginsJSON && json?.elements != nil else {
      throw TypeMismatch(
        message: "the \(place) argument of `overlaps` is an array; write it as '[\"a\", \"b\"]'")
    }
  }
}

extension CompiledExpression {
  /// The name of the claim that it is; nil for other expressions.
  package var claim: String? {
    guard case .literal(.claim(let name), _) = form else { return nil }
    return name
  }
}
