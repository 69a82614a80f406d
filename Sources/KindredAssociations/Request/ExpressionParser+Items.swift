/// An item of `fields`.
public enum Field: Equatable, Sendable {
  /// `*`: all columns.
  case all
  case expression(NamedExpression)
}

/// An item of `include` or `join`: `[key:]path`.
public struct IncludeItem: Sendable {
  /// One association of the path.
  public struct Step: Sendable {
    /// The key of an association, or of a node of the request.
    public var key: String
    /// Whether `!` follows.
    public var isRequired = false
    /// The number after `*`; nil without `*`, `.max` for `*` without a number.
    public var recursion: Int?
    /// The place of the step in the request.
    public var origin: Origin
  }

  /// The new key of the last step.
  public var key: String?
  /// The steps of the path, at least one.
  public var steps: [Step]

  init(key: String?, steps: [Step]) {
    self.key = key
    self.steps = steps
  }

  /// Creates an item from a path of keys, at least one.
  public init(keys: [String]) {
    self.init(key: nil, steps: keys.map { Step(key: $0, origin: Origin()) })
  }
}

extension ExpressionParser {
  /// Parses a list of expressions: `kind,year/100`.
  public mutating func parseExpressions() throws -> [Expression] {
    try parseItems { try $0.parse() }
  }

  /// Parses a list of expressions with optional names: `name:expression,…`.
  public mutating func parseNamedExpressions() throws -> [NamedExpression] {
    try parseItems { try $0.parseNamedExpression() }
  }

  /// Parses a list of fields, where `*` stands for all columns; empty for the empty text.
  public mutating func parseFields() throws -> [Field] {
    if token.kind == .end, expectations == nil { return [] }
    return try parseItems { parser in
      if parser.take(.star) { return .all }
      return .expression(try parser.parseNamedExpression())
    }
  }

  /// Parses the terms of an order: `-expression:nocase:nullslast,…`.
  public mutating func parseSort() throws -> [SortTerm] {
    try parseItems { parser in
      let isDescending = parser.take(.minus)
      var term = SortTerm(try parser.parse(), isDescending: isDescending)
      while parser.take(.colon) { try parser.parseSortOption(&term) }
      return term
    }
  }

  /// Parses a list of paths with optional new keys: `key:path!,…`.
  public mutating func parseIncludes() throws -> [IncludeItem] {
    try parseItems { parser in
      var item = IncludeItem(key: nil, steps: [])
      if case .name(let key, _) = parser.token.kind, parser.tokens[parser.index + 1].kind == .sign(.colon) {
        parser.index += 2
        item.key = key
      }
      repeat { item.steps.append(try parser.parseStep(of: item)) } while parser.take(.dot)
      if parser.token.kind == .sign(.colon), item.key == nil, let last = item.steps.last,
        case .name(let key, _) = parser.tokens[parser.index + 1].kind
      {
        let path = (item.steps.dropLast().map(\.key) + [key]).map(\.asExpressionName).joined(separator: ".")
        throw parser.error(
          "a new key stands before the whole path: write `\(last.key.asExpressionName):\(path)`",
          at: item.steps.first?.origin)
      }
      return item
    }
  }

  private mutating func parseItems<Item>(_ item: (inout Self) throws -> Item) throws -> [Item] {
    var items: [Item] = []
    repeat {
      if let item = try noting(diagnostics, { try item(&self) }) { items.append(item) } else { skipItem() }
    } while take(.comma)
    try expectEnd()
    return items
  }

  /// Skips the rest of an item that couldn't be parsed.
  private mutating func skipItem() {
    var level = 0
    while token.kind != .end {
      switch token.kind {
      case .sign(.leftParenthesis): level += 1
      case .sign(.rightParenthesis): level -= 1
      case .sign(.comma) where level <= 0: return
      default: break
      }
      advance()
    }
  }

  private mutating func parseNamedExpression() throws -> NamedExpression {
    if case .name(let name, _) = token.kind, tokens[index + 1].kind == .sign(.colon) {
      index += 2
      return NamedExpression(name: name, expression: try parse())
    }
    return NamedExpression(name: nil, expression: try parse())
  }

  private mutating func parseSortOption(_ term: inout SortTerm) throws {
    if take(keyword: "nocase") {
      term.isNoCase = true
    } else if take(keyword: "nullsfirst") {
      term.nulls = .first
    } else if take(keyword: "nullslast") {
      term.nulls = .last
    } else {
      // Not looked for with `take(keyword:)`, or completion would offer them.
      var isDirection = false
      if case .name(let word, isQuoted: false) = token.kind {
        isDirection = ["asc", "desc"].contains(word.lowercased())
      }
      throw error(
        isDirection
          ? "a sign tells the direction: write `-year` for descending, `year` for ascending"
          : "after `:` of a sort term comes nocase, nullsfirst or nullslast, not \(token.description)")
    }
  }

  private mutating func parseStep(of item: IncludeItem) throws -> IncludeItem.Step {
    guard case .name(let key, _) = token.kind else {
      if token.kind == .end {
        expectations?.expect(.key(below: item.steps.map(\.key), isRenamed: item.key != nil))
      }
      throw error("an association's key should come before \(token.description)")
    }
    var step = IncludeItem.Step(key: key, origin: origin)
    advance()
    while true {
      if !step.isRequired, take(.bang) {
        step.isRequired = true
      } else if step.recursion == nil, take(.star) {
        step.recursion = .max
        if case .integer(let levels) = token.kind {
          step.recursion = Int(clamping: levels)
          advance()
        }
      } else {
        return step
      }
    }
  }
}
