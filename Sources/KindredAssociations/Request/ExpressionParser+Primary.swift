import KindredSQLSyntax

extension ExpressionParser {
  /// Parses a literal, a path, a function call, a `case` or an expression in parentheses.
  mutating func parsePrimary() throws -> Expression {
    let origin = origin
    switch token.kind {
    case .integer(let value): return literal(.integer(value), at: origin)
    case .real(let value, let digits): return literal(.real(value), digits: digits, at: origin)
    case .integerMagnitude: return literal(.real(9_223_372_036_854_775_808), at: origin)
    case .text(let value): return literal(.text(value), at: origin)
    case .name(let name, let isQuoted):
      if !isQuoted, let keyword = keyword(name) {
        advance()
        return Expression(keyword, at: origin)
      }
      if !isQuoted, beginsCase { return try nested { try $0.parseCase(at: origin) } }
      if !isQuoted, isReservedHere(name) {
        throw error("a value is missing before `\(name)`; a column of this name is written \"\(name)\"")
      }
      return try parsePath(at: origin)
    case .sign(.parent):
      return try parsePath(at: origin)
    case .sign(.leftParenthesis):
      advance()
      let inner = try parse()
      try expect(.rightParenthesis, "close the parenthesis")
      return inner
    case .end:
      expectations?.expect(.operand(Expectations.Place(calls: calls)))
      throw error("the expression ends where a value should come: add one")
    case .sign(let sign):
      throw error("`\(sign.rawValue)` stands where a value should come")
    }
  }

  /// Operators that are words; columns with these names must be quoted.
  private static var reserved: [String] {
    ["and", "or", "not", "in", "is", "like", "glob", "between", "collate", "escape", "isnull", "notnull"]
  }

  /// Whether a name is a keyword, so that a column of this name must be quoted.
  static func isReserved(_ name: String) -> Bool {
    (reserved + reservedInCase + constants).contains(where: name.equalsIgnoringCase)
  }

  /// Whether a name is any word of the grammar.
  package static func isWord(_ name: String) -> Bool {
    let others = Expression.Collation.allCases.map(\.rawValue) + Expression.CastType.allCases.map(\.rawValue)
    return isReserved(name)
      || (others + ["as", "distinct", "nullsfirst", "nullslast"]).contains(where: name.equalsIgnoringCase)
  }

  /// Values that are written as words.
  package static let constants = ["null", "true", "false"]

  private func isReservedHere(_ name: String) -> Bool {
    Self.reserved.contains(where: name.equalsIgnoringCase)
      || caseDepth > 0 && Self.reservedInCase.contains(where: name.equalsIgnoringCase)
  }

  /// Keywords inside a `case`; columns with these names must be quoted only there.
  static var reservedInCase: [String] { ["when", "then", "else", "end"] }

  /// Whether `case` begins a case expression here and is not a column name: a `when` must follow, outside parentheses.
  private var beginsCase: Bool {
    mutating get {
      guard isKeyword("case") else { return false }
      let whenFollows = whenFollows ?? Self.whenFollows(tokens)
      self.whenFollows = whenFollows
      return whenFollows[index]
    }
  }

  /// Returns for each token whether a `when` follows it before the next comma or the end of the parentheses around it.
  ///
  /// One pass from the end, as a search for each `case` would take quadratic time.
  private static func whenFollows(_ tokens: [Token]) -> [Bool] {
    var follows = [Bool](repeating: false, count: tokens.count)
    var outer: [Bool] = []
    var isThere = false
    for (index, token) in tokens.enumerated().reversed() {
      follows[index] = isThere
      switch token.kind {
      case .sign(.rightParenthesis):
        outer.append(isThere)
        isThere = false
      case .sign(.leftParenthesis): isThere = outer.popLast() ?? false
      case .sign(.comma): isThere = false
      case .name(let name, isQuoted: false) where name.equalsIgnoringCase("when"): isThere = true
      default: break
      }
    }
    return follows
  }

  /// `case … when … then … else … end` (<https://www.sqlite.org/lang_expr.html#the_case_expression>).
  private mutating func parseCase(at origin: Origin) throws -> Expression {
    advance()
    caseDepth += 1
    defer { caseDepth -= 1 }
    let value = isKeyword("when") ? nil : try parse()
    var branches: [Expression.Branch] = []
    while take(keyword: "when") {
      let condition = try parse()
      guard take(keyword: "then") else {
        throw error("expected `then` before \(token.description): write `case when x then y else z end`")
      }
      branches.append(Expression.Branch(condition: condition, result: try parse()))
    }
    let other = take(keyword: "else") ? try parse() : nil
    guard !branches.isEmpty, take(keyword: "end") else {
      throw error("expected `end` before \(token.description): write `case when x then y else z end`")
    }
    let parts = branches.flatMap { [$0.condition, $0.result] } + [value, other].compactMap { $0 }
    return try node(.cases(of: value, branches, else: other), at: origin, over: parts)
  }

  private func keyword(_ name: String) -> Expression.Kind? {
    if name.equalsIgnoringCase("null") { return .null }
    if name.equalsIgnoringCase("true") { return .boolean(true) }
    if name.equalsIgnoringCase("false") { return .boolean(false) }
    return nil
  }

  private mutating func parsePath(at origin: Origin) throws -> Expression {
    var path = Expression.Path(parents: 0, components: [])
    while take(.parent) { path.parents += 1 }
    guard path.parents <= maximumPathLength else { throw tooLong(path, at: origin) }
    var parts: [Expression] = []
    repeat {
      let start = self.origin
      guard case .name(let name, let isQuoted) = token.kind else {
        if token.kind == .end {
          expectations?.expect(.member(of: path, Expectations.Place(calls: calls)))
        }
        throw error("a name should come before \(token.description)")
      }
      advance()
      var component = Expression.Path.Component(
        name: name, arguments: nil, origin: start, isQuoted: isQuoted)
      if token.kind == .sign(.leftParenthesis) {
        if expectations != nil {
          calls.append(Expression.Path(parents: path.parents, components: path.components + [component]))
        }
        let call = try parseCall(of: name)
        _ = calls.popLast()
        if path.parents == 0, path.components.isEmpty, token.kind != .sign(.dot) {
          return try function(name, call, at: origin)
        }
        guard !call.isDistinct, call.castType == nil else {
          throw error("`\(name)` of an association takes no `distinct` and no `as`", at: start)
        }
        component.arguments = call.arguments
        parts += call.arguments
      }
      path.components.append(component)
      // The last component is a column or an aggregate, not an association.
      guard path.components.count - 1 <= maximumPathLength else { throw tooLong(path, at: origin) }
    } while take(.dot)
    return try node(.path(path), at: origin, over: parts)
  }

  private func tooLong(_ path: Expression.Path, at origin: Origin) -> RequestError {
    RequestError(
      .limitExceeded, "the path is longer than \(maximumPathLength) associations: ask for less at once",
      at: origin)
  }

  private struct Call {
    var arguments: [Expression] = []
    var isDistinct = false
    var castType: Expression.CastType?
  }

  private mutating func parseCall(of name: String) throws -> Call {
    var call = Call()
    advance()
    if take(.rightParenthesis) { return call }
    if take(.star) {
      try expect(.rightParenthesis, "write `count()`")
      return call
    }
    call.isDistinct = take(keyword: "distinct")
    repeat { call.arguments.append(try parse()) } while take(.comma)
    if name.equalsIgnoringCase("cast"), take(keyword: "as") {
      if token.kind == .end {
        Expression.CastType.allCases.forEach { expectations?.expect(keyword: $0.rawValue) }
      }
      guard case .name(let type, _) = token.kind,
        let castType = Expression.CastType.allCases.first(where: { type.equalsIgnoringCase($0.rawValue) })
      else { throw error("`cast` takes the type integer, real, text, blob or numeric") }
      advance()
      call.castType = castType
    }
    try expect(.rightParenthesis, "close the parenthesis of `\(name)(`")
    return call
  }

  private func function(_ name: String, _ call: Call, at origin: Origin) throws -> Expression {
    if name.equalsIgnoringCase("cast") {
      guard let type = call.castType, call.arguments.count == 1, !call.isDistinct else {
        throw error("write `cast(x as integer)`, with integer, real, text, blob or numeric", at: origin)
      }
      return try node(.cast(call.arguments[0], type), at: origin, over: call.arguments)
    }
    return try node(
      .function(name: name, arguments: call.arguments, isDistinct: call.isDistinct), at: origin,
      over: call.arguments)
  }
}
