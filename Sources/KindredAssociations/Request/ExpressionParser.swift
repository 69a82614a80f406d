import KindredSQLSyntax

/// Parses expressions with SQLite's syntax and precedence (<https://www.sqlite.org/lang_expr.html>).
///
/// From the loosest to the tightest operator:
///
///     or, and, not, (= == != <> is in like glob between), (< <= > >=), (+ -), (* / %), ||, collate, (unary - +)
public struct ExpressionParser {
  /// The default for the maximum nesting of expressions.
  public static let defaultDepth = 64

  var tokens: [Token]
  var index = 0
  var depth = 0
  private let start: Origin
  let maximumDepth: Int
  let maximumPathLength: Int
  /// The number of `case` expressions being parsed.
  var caseDepth = 0
  /// For each token, whether a `when` follows it outside parentheses; nil until the first `case`.
  var whenFollows: [Bool]?
  /// Collects the literals; nil leaves them in the expression.
  var literals: Literals?
  /// Notes the errors of items, so that parsing continues with the next one.
  let diagnostics: Diagnostics?
  /// Notes what may be written at the end of the text.
  let expectations: Expectations?
  /// The calls whose arguments are being parsed; only maintained while expectations are noted.
  var calls: [Expression.Path] = []

  /// - Parameters:
  ///   - parameter: The name of the parameter in errors.
  ///   - literals: Collects the values, so that plans do not depend on them; nil leaves them in the expression.
  /// - Throws: `RequestError` for an unterminated text or a character that isn't part of the language.
  public init(
    _ text: String, parameter: String? = nil, literals: Literals? = nil,
    maximumDepth: Int = ExpressionParser.defaultDepth
  ) throws {
    try self.init(
      text, at: Origin(parameter: parameter), literals: literals, maximumDepth: maximumDepth)
  }

  /// - Parameters:
  ///   - origin: The place of the text in the request.
  ///   - diagnostics: Note the errors of items instead of throwing them.
  ///   - expectations: Note what may be written at the end of the text.
  package init(
    _ text: String, at origin: Origin, literals: Literals? = nil,
    maximumDepth: Int = ExpressionParser.defaultDepth, maximumPathLength: Int = .max,
    maximumTokenCount: Int = .max, diagnostics: Diagnostics? = nil, expectations: Expectations? = nil
  ) throws {
    start = origin
    self.literals = literals
    self.maximumDepth = maximumDepth
    self.diagnostics = diagnostics
    self.expectations = expectations
    self.maximumPathLength = maximumPathLength
    tokens = try Lexer.tokens(of: text, at: origin, maximumCount: maximumTokenCount)
  }

  /// The number of tokens of the text.
  package var tokenCount: Int { tokens.count }

  /// The literals of the expressions parsed so far.
  public var collectedLiterals: Literals { literals ?? Literals() }

  /// Parses the whole text as one expression.
  public mutating func parseExpression() throws -> Expression {
    let expression = try parse()
    try expectEnd()
    return expression
  }

  // MARK: Tokens

  var token: Token { tokens[index] }

  mutating func advance() {
    if index < tokens.count - 1 { index += 1 }
  }

  mutating func take(_ sign: Token.Sign) -> Bool {
    guard token.kind == .sign(sign) else {
      if token.kind == .end { expectations?.expect(sign) }
      return false
    }
    advance()
    return true
  }

  func isKeyword(_ word: String, at offset: Int = 0) -> Bool {
    guard index + offset < tokens.count, case .name(let name, false) = tokens[index + offset].kind else {
      if index + offset == tokens.count - 1 { expectations?.expect(keyword: word) }
      return false
    }
    return name.equalsIgnoringCase(word)
  }

  mutating func take(keyword word: String) -> Bool {
    guard isKeyword(word) else { return false }
    advance()
    return true
  }

  mutating func expect(_ sign: Token.Sign, _ fix: String) throws {
    guard take(sign) else {
      throw error("expected `\(sign.rawValue)` before \(token.description): \(fix)")
    }
  }

  func expectEnd() throws {
    guard token.kind != .end else { return }
    if case .name(let name, isQuoted: false) = token.kind, let hint = Self.foreignWords[name.lowercased()] {
      throw RequestError(
        .invalidExpression, "`\(name)` is not expected here: \(hint.message)", at: origin,
        suggestions: hint.suggestion.map { [$0] } ?? [])
    }
    throw error("\(token.description) is not expected here: an operator or the end should come")
  }

  /// Operators of other query languages, and what to write instead.
  private static let foreignWords: [String: (message: String, suggestion: String?)] = [
    "desc": ("a sign tells the direction: write `-year` for descending", nil),
    "asc": ("ascending is the default: leave it out", nil),
    "eq": ("write `=`", "="), "ne": ("write `!=`", "!="), "lt": ("write `<`", "<"),
    "le": ("write `<=`", "<="),
    "gt": ("write `>`", ">"), "ge": ("write `>=`", ">="), "contains": ("write `name like '%text%'`", nil),
    "ilike": ("`like` knows no case of ASCII letters: write it", "like"),
    "rlike": ("write `like` or `glob`", "like"),
    "regexp": ("write `like` or `glob`", "glob"), "startswith": ("write `name like 'text%'`", nil),
  ]

  var origin: Origin {
    var origin = start
    origin.position += token.position
    return origin
  }

  func error(_ message: String, at origin: Origin? = nil) -> RequestError {
    RequestError(.invalidExpression, message, at: origin ?? self.origin)
  }

  // MARK: Nesting

  /// Returns a node of the tree, one level higher than the highest of its parts.
  ///
  /// - Throws: `RequestError` if the tree becomes too high.
  func node(_ kind: Expression.Kind, at origin: Origin, over parts: Expression...) throws -> Expression {
    try node(kind, at: origin, over: parts)
  }

  func node(_ kind: Expression.Kind, at origin: Origin, over parts: [Expression]) throws -> Expression {
    var expression = Expression(kind, at: origin)
    expression.height = 1 + (parts.map(\.height).max() ?? 0)
    guard expression.height <= maximumDepth else { throw tooDeep(origin) }
    return expression
  }

  func tooDeep(_ origin: Origin) -> RequestError {
    RequestError(
      .limitExceeded, "the expression nests deeper than \(maximumDepth) levels: simplify it", at: origin)
  }

  /// Limits the recursion of the parser, so that hostile input can't overflow the stack.
  mutating func nested<T>(_ body: (inout Self) throws -> T) throws -> T {
    guard depth < maximumDepth else { throw tooDeep(origin) }
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
    let origin = origin
    let first = try operand(&self)
    guard isKeyword(word) else { return first }
    var operands = [first]
    while take(keyword: word) { operands.append(try operand(&self)) }
    return try node(kind(operands), at: origin, over: operands)
  }

  private mutating func parseNot() throws -> Expression {
    let origin = origin
    guard take(keyword: "not") else { return try parseEquality() }
    let operand = try nested { try $0.parseNot() }
    return try node(.unary(.not, operand), at: origin, over: operand)
  }

  private mutating func parseEquality() throws -> Expression {
    let origin = origin
    var left = try parseComparison()
    while let next = try parseEqualityTail(of: left, at: origin) { left = next }
    return left
  }

  private mutating func parseEqualityTail(of left: Expression, at origin: Origin) throws -> Expression? {
    if take(.equal) || take(.doubleEqual) { return try binary(.equal, left, at: origin) }
    if take(.notEqual) || take(.differs) { return try binary(.notEqual, left, at: origin) }
    if take(keyword: "isnull") { return try node(.isNull(left, negated: false), at: origin, over: left) }
    if take(keyword: "notnull") { return try node(.isNull(left, negated: true), at: origin, over: left) }
    if take(keyword: "is") {
      let negated = take(keyword: "not")
      // In `x is null + 1`, `null` is an operand of the sum.
      if !isOperand(at: 1), take(keyword: "null") {
        return try node(.isNull(left, negated: negated), at: origin, over: left)
      }
      return try binary(negated ? .isNot : .is, left, at: origin)
    }
    let negated = isKeyword("not")
    let offset = negated ? 1 : 0
    if negated, isKeyword("null", at: 1) {
      index += 2
      return try node(.isNull(left, negated: true), at: origin, over: left)
    }
    for (word, match) in [("like", Expression.MatchOperator.like), ("glob", .glob)]
    where isKeyword(word, at: offset) {
      index += offset + 1
      let pattern = try parseComparison()
      let escape = match == .like && take(keyword: "escape") ? try parseComparison() : nil
      return try node(
        .match(match, left, pattern, escape: escape, negated: negated), at: origin,
        over: [left, pattern] + (escape.map { [$0] } ?? []))
    }
    if isKeyword("in", at: offset) {
      index += offset + 1
      let list = try parseList()
      return try node(.in(left, list, negated: negated), at: origin, over: [left] + list)
    }
    if isKeyword("between", at: offset) {
      index += offset + 1
      let low = try parseComparison()
      guard take(keyword: "and") else {
        throw error("expected `and` before \(token.description): write `between 1 and 2`")
      }
      let high = try parseComparison()
      return try node(.between(left, low, high, negated: negated), at: origin, over: left, low, high)
    }
    if negated {
      advance()
      throw error("`in`, `like`, `glob`, `between` or `null` should follow `not`, not \(token.description)")
    }
    return nil
  }

  /// Whether the token at `offset` is an operator that binds tighter than an equality.
  private func isOperand(at offset: Int) -> Bool {
    guard index + offset < tokens.count else { return false }
    switch tokens[index + offset].kind {
    case .sign(.less), .sign(.lessOrEqual), .sign(.greater), .sign(.greaterOrEqual), .sign(.plus),
      .sign(.minus), .sign(.star), .sign(.slash), .sign(.percent), .sign(.concatenate):
      return true
    case .name(let name, isQuoted: false): return name.equalsIgnoringCase("collate")
    default: return false
    }
  }

  private mutating func parseList() throws -> [Expression] {
    try expect(.leftParenthesis, "write the values as `in (1, 2)`")
    var list: [Expression] = []
    if take(.rightParenthesis) { return list }
    repeat { list.append(try parse()) } while take(.comma)
    try expect(.rightParenthesis, "close the list")
    return list
  }

  private mutating func binary(
    _ op: Expression.BinaryOperator, _ left: Expression, at origin: Origin
  ) throws -> Expression {
    let right = try parseComparison()
    return try node(.binary(op, left, right), at: origin, over: left, right)
  }

  private typealias Operator = (sign: Token.Sign, meaning: Expression.BinaryOperator)

  // Lists that are made once, as each operand is parsed on each level.
  private static let comparisons: [Operator] = [
    (.less, .less), (.lessOrEqual, .lessOrEqual), (.greater, .greater), (.greaterOrEqual, .greaterOrEqual),
  ]
  private static let sums: [Operator] = [(.plus, .add), (.minus, .subtract)]
  private static let products: [Operator] = [(.star, .multiply), (.slash, .divide), (.percent, .remainder)]
  private static let concatenations: [Operator] = [(.concatenate, .concatenate)]

  private mutating func parseComparison() throws -> Expression {
    try parseLeft(Self.comparisons) { try $0.parseSum() }
  }

  private mutating func parseSum() throws -> Expression {
    try parseLeft(Self.sums) { try $0.parseProduct() }
  }

  private mutating func parseProduct() throws -> Expression {
    try parseLeft(Self.products) { try $0.parseConcatenation() }
  }

  private mutating func parseConcatenation() throws -> Expression {
    try parseLeft(Self.concatenations) { try $0.parseCollate() }
  }

  private mutating func parseLeft(
    _ operators: [Operator], _ operand: (inout Self) throws -> Expression
  ) throws -> Expression {
    let origin = origin
    var left = try operand(&self)
    if token.kind == .end { operators.forEach { expectations?.expect($0.sign) } }
    while case .sign(let sign) = token.kind, let op = operators.first(where: { $0.sign == sign }) {
      advance()
      let right = try operand(&self)
      left = try node(.binary(op.meaning, left, right), at: origin, over: left, right)
    }
    return left
  }

  private mutating func parseCollate() throws -> Expression {
    let origin = origin
    var operand = try parseUnary()
    while take(keyword: "collate") {
      if token.kind == .end {
        Expression.Collation.allCases.forEach { expectations?.expect(keyword: $0.rawValue) }
      }
      guard case .name(let name, _) = token.kind,
        let collation = Expression.Collation.allCases.first(where: { name.equalsIgnoringCase($0.rawValue) })
      else { throw error("`collate` takes binary, nocase or rtrim, not \(token.description)") }
      advance()
      operand = try node(.collate(operand, collation), at: origin, over: operand)
    }
    return operand
  }

  private mutating func parseUnary() throws -> Expression {
    let origin = origin
    if take(.minus) {
      // The sign is part of the number, or the smallest integer couldn't be written.
      switch token.kind {
      case .integer(let value): return literal(.integer(-value), at: origin)
      case .real(let value, let digits):
        return literal(.real(-value), digits: digits.map { "-" + $0 }, at: origin)
      case .integerMagnitude: return literal(.integer(.min), at: origin)
      default:
        let operand = try nested { try $0.parseUnary() }
        return try node(.unary(.minus, operand), at: origin, over: operand)
      }
    }
    if take(.plus) {
      let operand = try nested { try $0.parseUnary() }
      return try node(.unary(.plus, operand), at: origin, over: operand)
    }
    return try parsePrimary()
  }

  /// Consumes the token of a literal and returns its expression.
  mutating func literal(_ value: SQLValue, digits: String? = nil, at origin: Origin) -> Expression {
    advance()
    let number = literals?.number(of: value, in: origin.parameter.map { .parameter($0) })
    var literal = Expression(number.map { .literal($0) } ?? .value(value), at: origin)
    literal.digits = digits
    return literal
  }
}
