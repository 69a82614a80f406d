/// A position in the tokens of a text, which notes what the parser expects at the end.
struct TokenCursor {
  let tokens: [Token]
  /// The number of the current token.
  private(set) var index = 0
  /// The text of the tokens.
  let written: String
  /// The place of the text in the request.
  let start: Origin
  /// For each token, whether a `when` follows it outside parentheses; nil until the first `case`.
  private var whenFollows: [Bool]?
  /// Notes what may be written at the end of the text.
  let expectations: Expectations?

  /// - Throws: `RequestError` for an unterminated text or a character that isn't part of the language.
  init(_ text: String, at origin: Origin, maximumCount: Int, expectations: Expectations?) throws {
    (start, written) = (origin, text)
    self.expectations = expectations
    tokens = try Lexer.tokens(of: text, at: origin, maximumCount: maximumCount)
  }

  /// The number of tokens of the text.
  var count: Int { tokens.count }

  /// The token at the position, of the kind `end` at the end of the text.
  var token: Token { tokens[index] }

  var isAtEnd: Bool { token.kind == .end }

  /// The place of the token in the request.
  var origin: Origin {
    var origin = start
    origin.position += token.position
    return origin
  }

  /// Returns an error at the position, or at another place.
  func error(_ message: String, at origin: Origin? = nil) -> RequestError {
    RequestError(.invalidExpression, message, at: origin ?? self.origin)
  }

  // MARK: Moving

  mutating func advance(by count: Int = 1) { index = min(index + count, tokens.count - 1) }

  mutating func take(_ sign: Token.Sign) -> Bool {
    guard token.kind == .sign(sign) else {
      if isAtEnd { expectations?.expect(sign) }
      return false
    }
    advance()
    return true
  }

  mutating func take(keyword word: String) -> Bool {
    guard isKeyword(word) else { return false }
    advance()
    return true
  }

  mutating func expect(_ sign: Token.Sign, _ fix: String) throws {
    guard take(sign) else {
      throw error("expected `\(sign.rawValue)` before \(token.description); \(fix)")
    }
  }

  // MARK: Looking ahead

  /// Returns the token `offset` after the current one; nil beyond the end.
  func token(at offset: Int) -> Token? { index + offset < tokens.count ? tokens[index + offset] : nil }

  func isKeyword(_ word: String, at offset: Int = 0) -> Bool {
    guard index + offset < tokens.count, case .name(let name, false) = tokens[index + offset].kind else {
      if index + offset == tokens.count - 1 { expectations?.expect(keyword: word) }
      return false
    }
    return name.equalsIgnoringCase(word)
  }

  /// Whether the token at `offset` is an operator that binds tighter than an equality.
  func isOperator(at offset: Int) -> Bool {
    switch token(at: offset)?.kind {
    case .sign(.less), .sign(.lessOrEqual), .sign(.greater), .sign(.greaterOrEqual), .sign(.plus),
      .sign(.minus), .sign(.star), .sign(.slash), .sign(.percent), .sign(.concatenate), .sign(.member),
      .sign(.memberValue):
      return true
    case .name(let name, isQuoted: false): return name.equalsIgnoringCase("collate")
    default: return false
    }
  }

  /// Whether `case` begins a case expression here and is not a column name: a `when` must follow, outside parentheses.
  var beginsCase: Bool {
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

  // MARK: The end

  func expectEnd() throws {
    guard token.kind != .end else { return }
    if let error = foreignWord() { throw error }
    let unexpected = "\(token.description) is not expected here; an operator or the end is"
    guard let name = nameWithSpaces() else { throw error(unexpected) }
    throw error("\(unexpected); a name with spaces stands in quotes: `\(name)`").suggesting(name)
  }
}

/// Records what the grammar allows at the end of a text, for completion.
///
/// Everything that the parser looks for while its next token is the end may be written there.
package final class Expectations {
  /// The signs, such as `,` and `=`.
  package private(set) var signs: Set<String> = []
  /// The keywords, such as `and`, in lower case, in the order in which the parser looks for them.
  package private(set) var keywords: [String] = []
  /// The kind of name, if one is allowed.
  package private(set) var name: Name?

  /// The possible meaning of a name at the end, in the calls whose parentheses are open there, the innermost last:
  /// `books.filter` for `books.filter(`.
  package enum Name {
    /// The beginning of a value: a column, an association, a function.
    case operand(in: [Expression.Path])
    /// A component after the dot of a path.
    case member(of: Expression.Path, in: [Expression.Path])
    /// The key of an association below the given ones; `isRenamed` tells whether a new key precedes the path.
    case key(below: [String], isRenamed: Bool)
  }

  package init() {}

  func expect(_ sign: Token.Sign) { signs.insert(sign.rawValue) }

  func expect(keyword: String) {
    if !keywords.contains(keyword) { keywords.append(keyword) }
  }

  func expect(_ name: Name) { self.name = name }
}
