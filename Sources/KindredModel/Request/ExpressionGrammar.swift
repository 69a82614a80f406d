import KindredSQLSyntax

/// Parses one expression, with SQLite's syntax and precedence (<https://www.sqlite.org/lang_expr.html>).
///
/// From the loosest to the tightest operator:
///
///     or, and, not, (= == != <> is in like glob between), (< <= > >=), (+ -), (* / %), (|| -> ->>), collate, (unary - +)
struct ExpressionGrammar {
  var cursor: TokenCursor
  /// Collects the literals; nil leaves them in the expression.
  var literals: Literals?
  let maximumDepth: Int
  let maximumPathLength: Int
  /// The number of nested calls of ``parse()`` and its parts.
  var depth = 0
  /// The number of `case` expressions being parsed.
  var caseDepth = 0
  /// The calls whose arguments are being parsed; only maintained while expectations are noted.
  var calls: [Expression.Path] = []

  // MARK: Nesting

  /// Returns a node of the tree, one level higher than the highest of its parts.
  ///
  /// - Parameter arguments: The arguments in a path.
  /// - Throws: `RequestError` if the tree becomes too high.
  func node(
    _ kind: Expression.Kind, at origin: Origin, over arguments: [Expression] = []
  ) throws -> Expression {
    var expression = Expression(kind, at: origin)
    expression.height = 1 + ((kind.parts + arguments).map(\.height).max() ?? 0)
    guard expression.height <= maximumDepth else { throw tooDeep(at: origin) }
    return expression
  }

  func tooDeep(at origin: Origin) -> RequestError {
    RequestError(
      .limitExceeded, "the expression nests deeper than \(maximumDepth) levels; simplify it", at: origin)
  }

  /// Limits the recursion of the parser, so that hostile input can't overflow the stack.
  mutating func nested<T>(_ body: (inout Self) throws -> T) throws -> T {
    guard depth < maximumDepth else { throw tooDeep(at: cursor.origin) }
    depth += 1
    defer { depth -= 1 }
    return try body(&self)
  }

  // MARK: Levels of precedence

  mutating func parse() throws -> Expression {
    try nested { try $0.parseChain(of: "or", Expression.Kind.any) { try $0.parseAnd() } }
  }

  private mutating func parseAnd() throws -> Expression {
    try parseChain(of: "and", Expression.Kind.all) { try $0.parseNot() }
  }

  /// Parses `a and b and c …` into one node, so that a long chain doesn't count as nesting.
  private mutating func parseChain(
    of word: String, _ kind: ([Expression]) -> Expression.Kind,
    _ operand: (inout Self) throws -> Expression
  ) throws -> Expression {
    let origin = cursor.origin
    let first = try operand(&self)
    guard cursor.isKeyword(word) else { return first }
    var operands = [first]
    while cursor.take(keyword: word) { operands.append(try operand(&self)) }
    return try node(kind(operands), at: origin)
  }

  private mutating func parseNot() throws -> Expression {
    let origin = cursor.origin
    guard cursor.take(keyword: "not") else { return try parseEquality() }
    let operand = try nested { try $0.parseNot() }
    return try node(.unary(.not, operand), at: origin)
  }

  private mutating func parseEquality() throws -> Expression {
    let origin = cursor.origin
    var left = try parseComparison()
    while let next = try parseEqualityTail(of: left, at: origin) { left = next }
    return left
  }

  private mutating func parseEqualityTail(of left: Expression, at origin: Origin) throws -> Expression? {
    if cursor.take(.equal) || cursor.take(.doubleEqual) { return try binary(.equal, left, at: origin) }
    if cursor.take(.notEqual) || cursor.take(.differs) { return try binary(.notEqual, left, at: origin) }
    if cursor.take(keyword: "isnull") {
      return try parseRest(of: node(.isNull(left, negated: false), at: origin), at: origin)
    }
    if cursor.take(keyword: "notnull") {
      return try parseRest(of: node(.isNull(left, negated: true), at: origin), at: origin)
    }
    if cursor.take(keyword: "is") {
      let negated = cursor.take(keyword: "not")
      // In `x is null + 1`, `null` is an operand of the sum.
      if !cursor.isOperator(at: 1), cursor.take(keyword: "null") {
        return try node(.isNull(left, negated: negated), at: origin)
      }
      return try binary(negated ? .isNot : .is, left, at: origin)
    }
    let negated = cursor.isKeyword("not")
    let offset = negated ? 1 : 0
    if negated, cursor.isKeyword("null", at: 1) {
      cursor.advance(by: 2)
      return try parseRest(of: node(.isNull(left, negated: true), at: origin), at: origin)
    }
    for match in Expression.MatchOperator.allCases where cursor.isKeyword(match.rawValue, at: offset) {
      cursor.advance(by: offset + 1)
      let pattern = try parseComparison()
      let escape = match == .like && cursor.take(keyword: "escape") ? try parseComparison() : nil
      return try node(.match(match, left, pattern, escape: escape, negated: negated), at: origin)
    }
    if cursor.isKeyword("in", at: offset) {
      cursor.advance(by: offset + 1)
      let list = try parseList()
      return try parseRest(of: node(.in(left, list, negated: negated), at: origin), at: origin)
    }
    if cursor.isKeyword("between", at: offset) {
      cursor.advance(by: offset + 1)
      let low = try parseComparison()
      guard cursor.take(keyword: "and") else {
        throw cursor.error("expected `and` before \(cursor.token.description); write `between 1 and 2`")
      }
      let high = try parseComparison()
      return try node(.between(left, low, high, negated: negated), at: origin)
    }
    if negated {
      cursor.advance()
      throw cursor.error(
        "`not` must be followed by `in`, `like`, `glob`, `between` or `null`, not by \(cursor.token.description)"
      )
    }
    return nil
  }

  private mutating func parseList() throws -> [Expression] {
    try cursor.expect(.leftParenthesis, "write the values as `in (1, 2)`")
    var list: [Expression] = []
    if cursor.take(.rightParenthesis) { return list }
    repeat { list.append(try parse()) } while cursor.take(.comma)
    try cursor.expect(.rightParenthesis, "close the list")
    return list
  }

  private mutating func binary(
    _ op: Expression.BinaryOperator, _ left: Expression, at origin: Origin
  ) throws -> Expression {
    let right = try parseComparison()
    return try binary(op, left, right, at: origin)
  }

  /// - Throws: `RequestError` for a comparison with NULL that is never true.
  private func binary(
    _ op: Expression.BinaryOperator, _ left: Expression, _ right: Expression, at origin: Origin
  ) throws -> Expression {
    let isTest = op == .is || op == .isNot
    guard !op.isComparison || isTest || left.kind != .null && right.kind != .null else {
      let test = op == .notEqual ? "is not null" : "is null"
      let other = left.kind == .null ? right : left
      let text = try? ExpressionRenderer(literals: literals?.values ?? []).text(of: other, within: .equality)
      throw RequestError(
        .invalidExpression,
        "a comparison with `null` is never true; write `\(text.map { "\($0) " } ?? "")\(test)`",
        at: origin, suggestions: [test])
    }
    return try node(.binary(op, left, right), at: origin)
  }

  private typealias Operator = (sign: Token.Sign, meaning: Expression.BinaryOperator)

  /// The binary operators that bind tighter than an equality, from the loosest to the tightest.
  ///
  /// Created only once, because each operand is parsed at every level.
  private static let levels = [Precedence.comparison, .sum, .product, .concatenation].map { precedence in
    Expression.BinaryOperator.allCases.filter { $0.precedence == precedence }.compactMap { op -> Operator? in
      Token.Sign(rawValue: op.rawValue).map { ($0, op) }
    }
  }

  private mutating func parseComparison() throws -> Expression { try parse(Self.levels[...]) }

  /// Parses what follows an operator that ends with its list or word, such as `in (…)`, as its result is an operand of
  /// tighter operators: `x in (1) || 'a'` is `(x in (1)) || 'a'`.
  private mutating func parseRest(of operand: Expression, at origin: Origin) throws -> Expression {
    try parse(Self.levels[...], from: operand, at: origin)
  }

  /// Parses an operand and the operators of some levels, which are left-associative.
  ///
  /// - Parameter first: The first operand, if it has been parsed already.
  private mutating func parse(
    _ levels: ArraySlice<[Operator]>, from first: Expression? = nil, at start: Origin? = nil
  ) throws -> Expression {
    guard let operators = levels.first else { return try parseCollate(of: first, at: start) }
    let origin = start ?? cursor.origin
    var left = try parse(levels.dropFirst(), from: first, at: start)
    if cursor.isAtEnd { operators.forEach { cursor.expectations?.expect($0.sign) } }
    while case .sign(let sign) = cursor.token.kind, let op = operators.first(where: { $0.sign == sign }) {
      cursor.advance()
      let right = try parse(levels.dropFirst())
      left = try binary(op.meaning, left, right, at: origin)
    }
    return left
  }

  private mutating func parseCollate(of first: Expression?, at start: Origin?) throws -> Expression {
    let origin = start ?? cursor.origin
    var operand = try first ?? parseUnary()
    while cursor.take(keyword: "collate") {
      if cursor.isAtEnd {
        Expression.Collation.allCases.forEach { cursor.expectations?.expect(keyword: $0.rawValue) }
      }
      guard case .name(let name, _) = cursor.token.kind,
        let collation = Expression.Collation.allCases.first(where: { name.equalsIgnoringCase($0.rawValue) })
      else {
        throw cursor.error("the collation must be binary, nocase or rtrim, not \(cursor.token.description)")
      }
      cursor.advance()
      operand = try node(.collate(operand, collation), at: origin)
    }
    return operand
  }

  private mutating func parseUnary() throws -> Expression {
    let origin = cursor.origin
    if cursor.take(.minus) {
      // The sign is part of the number, or the smallest integer couldn't be written.
      switch cursor.token.kind {
      case .integer(let value): return literal(.integer(-value), at: origin)
      case .real(let value, let digits):
        return literal(.real(-value), digits: digits.map { "-" + $0 }, at: origin)
      case .integerMagnitude: return literal(.integer(.min), at: origin)
      default:
        let operand = try nested { try $0.parseUnary() }
        return try node(.unary(.minus, operand), at: origin)
      }
    }
    if cursor.take(.plus) {
      let operand = try nested { try $0.parseUnary() }
      return try node(.unary(.plus, operand), at: origin)
    }
    return try parsePrimary()
  }
}
