/// Parses a text of a request: an expression, or a list of expressions, fields, terms of an order, or paths.
///
/// The syntax of one expression is that of ``ExpressionGrammar``.
public struct ExpressionParser {
  /// The default for the maximum nesting of expressions.
  public static let defaultDepth = 64

  private var grammar: ExpressionGrammar
  /// Notes the errors of items, so that parsing continues with the next one.
  private let diagnostics: Diagnostics?

  private var cursor: TokenCursor {
    get { grammar.cursor }
    _modify { yield &grammar.cursor }
  }

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
    grammar = ExpressionGrammar(
      cursor: try TokenCursor(
        text, at: origin, maximumCount: maximumTokenCount, expectations: expectations),
      literals: literals, maximumDepth: maximumDepth, maximumPathLength: maximumPathLength)
    self.diagnostics = diagnostics
  }

  /// The number of tokens of the text.
  package var tokenCount: Int { cursor.count }

  /// The literals of the expressions parsed so far.
  public var collectedLiterals: Literals { grammar.literals ?? Literals() }

  /// Parses the whole text as one expression.
  public mutating func parseExpression() throws -> Expression {
    let expression = try grammar.parse()
    try cursor.expectEnd()
    return expression
  }

  /// Parses a list of expressions: `kind,year/100`.
  public mutating func parseExpressions() throws -> [Expression] {
    try parseItems { try $0.grammar.parse() }
  }

  /// Parses a list of expressions with optional names: `name:expression,…`.
  public mutating func parseNamedExpressions() throws -> [NamedExpression] {
    try parseItems { try $0.parseNamedExpression() }
  }

  /// Parses a list of fields, where `*` stands for all columns; empty for the empty text.
  public mutating func parseFields() throws -> [Field] {
    if cursor.isAtEnd, cursor.expectations == nil { return [] }
    return try parseItems { parser in
      if parser.cursor.take(.star) { return .all }
      return .expression(try parser.parseNamedExpression())
    }
  }

  /// Parses the terms of an order: `-expression:nocase:nullslast,…`.
  public mutating func parseSort() throws -> [SortTerm] {
    try parseItems { parser in
      let isDescending = parser.cursor.take(.minus)
      var term = SortTerm(try parser.grammar.parse(), isDescending: isDescending)
      while parser.cursor.take(.colon) { try parser.parseSortOption(&term) }
      return term
    }
  }

  /// Parses a list of paths with optional new keys: `key:path!,…`.
  public mutating func parseIncludes() throws -> [IncludeItem] {
    try parseItems { parser in
      var item = IncludeItem(key: nil, steps: [])
      if case .name(let key, _) = parser.cursor.token.kind, parser.cursor.token(at: 1)?.kind == .sign(.colon)
      {
        parser.cursor.advance(by: 2)
        item.key = key
      }
      repeat { item.steps.append(try parser.parseStep(of: item)) } while parser.cursor.take(.dot)
      if parser.cursor.token.kind == .sign(.colon), item.key == nil, let last = item.steps.last,
        case .name(let key, _) = parser.cursor.token(at: 1)?.kind
      {
        var path = [key]
        var next = 2
        while parser.cursor.token(at: next)?.kind == .sign(.dot),
          case .name(let step, _) = parser.cursor.token(at: next + 1)?.kind
        {
          path.append(step)
          next += 2
        }
        // The way to the node may be repeated after the colon.
        let node = item.steps.dropLast().map(\.key)
        if !path.starts(with: node) { path = node + path }
        let written = path.map(\.asExpressionName).joined(separator: ".")
        throw parser.cursor.error(
          "a new key must come before the whole path; write `\(last.key.asExpressionName):\(written)`",
          at: item.steps.first?.origin)
      }
      return item
    }
  }

  private mutating func parseItems<Item>(_ item: (inout Self) throws -> Item) throws -> [Item] {
    var items: [Item] = []
    repeat {
      if let item = try noting(diagnostics, { try item(&self) }) { items.append(item) } else { skipItem() }
    } while cursor.take(.comma)
    try cursor.expectEnd()
    return items
  }

  /// Skips the rest of an item that couldn't be parsed.
  private mutating func skipItem() {
    var level = 0
    while cursor.token.kind != .end {
      switch cursor.token.kind {
      case .sign(.leftParenthesis): level += 1
      case .sign(.rightParenthesis): level -= 1
      case .sign(.comma) where level <= 0: return
      default: break
      }
      cursor.advance()
    }
  }

  private mutating func parseNamedExpression() throws -> NamedExpression {
    if case .name(let name, _) = cursor.token.kind, cursor.token(at: 1)?.kind == .sign(.colon) {
      cursor.advance(by: 2)
      return NamedExpression(name: name, expression: try grammar.parse())
    }
    return NamedExpression(name: nil, expression: try grammar.parse())
  }

  private mutating func parseSortOption(_ term: inout SortTerm) throws {
    if cursor.take(keyword: "nocase") {
      term.isNoCase = true
    } else if cursor.take(keyword: "nullsfirst") {
      term.nulls = .first
    } else if cursor.take(keyword: "nullslast") {
      term.nulls = .last
    } else {
      // Not looked for with `take(keyword:)`, or completion would offer them.
      throw cursor.direction()
        ?? cursor.error(
          "the `:` of a sort term must be followed by nocase, nullsfirst or nullslast, not by \(cursor.token.description)"
        )
    }
  }

  private mutating func parseStep(of item: IncludeItem) throws -> IncludeItem.Step {
    guard case .name(let key, _) = cursor.token.kind else {
      if cursor.isAtEnd {
        cursor.expectations?.expect(.key(below: item.steps.map(\.key), isRenamed: item.key != nil))
      }
      throw cursor.error("the key of an association is expected before \(cursor.token.description)")
    }
    var step = IncludeItem.Step(key: key, origin: cursor.origin)
    cursor.advance()
    while true {
      if !step.isRequired, cursor.take(.bang) {
        step.isRequired = true
      } else if step.recursion == nil, cursor.take(.star) {
        step.recursion = .max
        if case .integer(let levels) = cursor.token.kind {
          step.recursion = Int(clamping: levels)
          cursor.advance()
        }
      } else {
        return step
      }
    }
  }
}
