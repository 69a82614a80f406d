import KindredSQLSyntax

extension ExpressionGrammar {
  /// Parses a literal, a path, a function call, a `case` or an expression in parentheses.
  mutating func parsePrimary() throws -> Expression {
    let origin = cursor.origin
    switch cursor.token.kind {
    case .integer(let value): return literal(.integer(value), at: origin)
    case .real(let value, let digits): return literal(.real(value), digits: digits, at: origin)
    case .integerMagnitude: return literal(.real(9_223_372_036_854_775_808), at: origin)
    case .text(let value): return literal(.text(value), at: origin)
    case .blob(let bytes): return literal(.blob(bytes), at: origin)
    case .name(let name, let isQuoted):
      if !isQuoted, let constant = Keywords.constant(name) {
        cursor.advance()
        return Expression(constant, at: origin)
      }
      if !isQuoted, cursor.beginsCase { return try nested { try $0.parseCase(at: origin) } }
      if !isQuoted, Keywords.isReserved(name, inCase: caseDepth > 0) {
        throw cursor.error(
          "a value is missing before `\(name)`; a column of this name is written \"\(name)\"")
      }
      return try parsePath(at: origin)
    case .sign(.parent):
      return try parsePath(at: origin)
    case .sign(.leftParenthesis):
      cursor.advance()
      let inner = try parse()
      try cursor.expect(.rightParenthesis, "close the parenthesis")
      return inner
    case .end:
      cursor.expectations?.expect(.operand(in: calls))
      throw cursor.error("the expression ends where a value is expected; add one")
    case .sign(let sign):
      throw cursor.error("a value is expected here, not `\(sign.rawValue)`")
    }
  }

  /// `case … when … then … else … end` (<https://www.sqlite.org/lang_expr.html#the_case_expression>).
  private mutating func parseCase(at origin: Origin) throws -> Expression {
    cursor.advance()
    caseDepth += 1
    defer { caseDepth -= 1 }
    let value = cursor.isKeyword("when") ? nil : try parse()
    var branches: [ExpressionBranch<Expression>] = []
    while cursor.take(keyword: "when") {
      let condition = try parse()
      guard cursor.take(keyword: "then") else {
        throw cursor.error(
          "expected `then` before \(cursor.token.description); write `case when x then y else z end`")
      }
      branches.append(ExpressionBranch(condition: condition, result: try parse()))
    }
    let other = cursor.take(keyword: "else") ? try parse() : nil
    guard !branches.isEmpty, cursor.take(keyword: "end") else {
      throw cursor.error(
        "expected `end` before \(cursor.token.description); write `case when x then y else z end`")
    }
    return try node(.cases(of: value, branches, else: other), at: origin)
  }

  private mutating func parsePath(at origin: Origin) throws -> Expression {
    var path = Expression.Path(parents: 0, components: [])
    while cursor.take(.parent) { path.parents += 1 }
    guard path.parents <= maximumPathLength else { throw tooLong(path, at: origin) }
    var arguments: [Expression] = []
    repeat {
      let start = cursor.origin
      guard case .name(let name, let isQuoted) = cursor.token.kind else {
        if cursor.isAtEnd {
          cursor.expectations?.expect(.member(of: path, in: calls))
        }
        throw cursor.error("a name is expected before \(cursor.token.description)")
      }
      cursor.advance()
      var component = Expression.Path.Component(
        name: name, arguments: nil, origin: start, isQuoted: isQuoted)
      if cursor.token.kind == .sign(.leftParenthesis) {
        if cursor.expectations != nil {
          calls.append(Expression.Path(parents: path.parents, components: path.components + [component]))
        }
        let call = try parseCall(of: name)
        _ = calls.popLast()
        if path.parents == 0, path.components.isEmpty, cursor.token.kind != .sign(.dot) {
          return try function(name, call, at: origin)
        }
        guard !call.isDistinct, call.castType == nil else {
          throw cursor.error("`\(name)` of an association takes neither `distinct` nor `as`", at: start)
        }
        component.arguments = call.arguments
        arguments += call.arguments
      }
      path.components.append(component)
      // The last component is a column or an aggregate, not an association.
      guard path.components.count - 1 <= maximumPathLength else { throw tooLong(path, at: origin) }
    } while cursor.take(.dot)
    return try node(.path(path), at: origin, over: arguments)
  }

  private func tooLong(_ path: Expression.Path, at origin: Origin) -> RequestError {
    RequestError(
      .limitExceeded, "the path is longer than \(maximumPathLength) associations; shorten it",
      at: origin)
  }

  private struct Call {
    var arguments: [Expression] = []
    var isDistinct = false
    var castType: Expression.CastType?
  }

  private mutating func parseCall(of name: String) throws -> Call {
    var call = Call()
    cursor.advance()
    if cursor.take(.rightParenthesis) { return call }
    if cursor.take(.star) {
      try cursor.expect(.rightParenthesis, "write `count()`")
      return call
    }
    call.isDistinct = cursor.take(keyword: "distinct")
    repeat { call.arguments.append(try parse()) } while cursor.take(.comma)
    if name.equalsIgnoringCase("cast"), cursor.take(keyword: "as") {
      if cursor.isAtEnd {
        Expression.CastType.allCases.forEach { cursor.expectations?.expect(keyword: $0.rawValue) }
      }
      guard case .name(let type, _) = cursor.token.kind,
        let castType = Expression.CastType.allCases.first(where: { type.equalsIgnoringCase($0.rawValue) })
      else { throw cursor.error("the type of `cast` must be integer, real, text, blob or numeric") }
      cursor.advance()
      call.castType = castType
    }
    try cursor.expect(.rightParenthesis, "close the parenthesis of `\(name)(`")
    return call
  }

  private func function(_ name: String, _ call: Call, at origin: Origin) throws -> Expression {
    if name.equalsIgnoringCase("cast") {
      guard let type = call.castType, call.arguments.count == 1, !call.isDistinct else {
        throw cursor.error(
          "write `cast(x as integer)`, with integer, real, text, blob or numeric", at: origin)
      }
      return try node(.cast(call.arguments[0], type), at: origin)
    }
    return try node(
      .function(name: name, arguments: call.arguments, isDistinct: call.isDistinct), at: origin)
  }

  /// Consumes the token of a literal and returns its expression.
  mutating func literal(_ value: SQLValue, digits: String? = nil, at origin: Origin) -> Expression {
    cursor.advance()
    let place = origin.parameter.map { Literals.Place.parameter($0) }
    // With other digits, it isn't the same number.
    let number =
      digits == nil
      ? literals?.numberInExpression(of: value, in: place) : literals?.number(of: value, in: place)
    var literal = Expression(number.map { .literal($0) } ?? .value(value), at: origin)
    literal.digits = digits
    return literal
  }
}
