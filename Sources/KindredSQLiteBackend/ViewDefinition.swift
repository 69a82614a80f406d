import KindredModel
/// A view that is a single `SELECT` from one table, read from its definition
/// (<https://www.sqlite.org/lang_createview.html>).
///
///     CREATE VIEW name (columns) AS SELECT columns FROM table AS alias WHERE … ORDER BY …
struct ViewDefinition {
  /// A column of the result.
  enum Item: Equatable {
    /// `*`
    case all
    case column(String)
    case expression
  }

  /// The name after `FROM`, as written.
  let table: String
  let items: [Item]

  private typealias Token = SQLTokens.Token

  /// Returns nil for a definition of another form; aggregates and window functions are not told from other functions.
  init?(_ sql: String) {
    let tokens = SQLTokens.all(in: sql)
    let depths = Self.depths(of: tokens)
    func first(_ keywords: String..., from start: Int) -> Int? {
      tokens.indices[start...].first { place in
        depths[place] == 0 && keywords.contains { tokens[place].isKeyword($0) }
      }
    }
    guard let definition = first("as", from: 0), definition + 1 < tokens.count,
      tokens[definition + 1].isKeyword("select"), let from = first("from", from: definition + 2),
      first("distinct", "union", "intersect", "except", "group", "having", "limit", from: definition + 2)
        == nil
    else { return nil }
    var list = definition + 2
    if tokens[list].isKeyword("all") { list += 1 }
    guard let table = Self.table(in: tokens[(from + 1)...]) else { return nil }
    self.table = table
    var parts = [tokens[list..<list]]
    for place in list..<from {
      if depths[place] == 0, tokens[place] == .symbol(",") {
        parts.append(tokens[(place + 1)..<(place + 1)])
      } else {
        parts[parts.count - 1] = tokens[parts[parts.count - 1].startIndex...place]
      }
    }
    items = parts.map(Self.item)
  }

  /// Returns the number of open parentheses before each token, a closing one included.
  private static func depths(of tokens: [Token]) -> [Int] {
    var depth = 0
    return tokens.map { token in
      if token == .symbol(")") { depth -= 1 }
      defer { if token == .symbol("(") { depth += 1 } }
      return depth
    }
  }

  // MARK: FROM

  /// Returns the table of a `FROM` clause that has only one.
  private static func table(in tokens: ArraySlice<Token>) -> String? {
    guard var name = tokens.first?.name else { return nil }
    var rest = tokens.dropFirst()
    if rest.first == .symbol(".") {
      guard let last = rest.dropFirst().first?.name else { return nil }
      (name, rest) = (last, rest.dropFirst(2))
    }
    if rest.first?.isKeyword("as") ?? false {
      rest = rest.dropFirst(2)
    } else if let alias = rest.first, alias.name != nil, !isClause(alias), !isIndexing(rest) {
      rest = rest.dropFirst()
    }
    if isIndexing(rest) { rest = rest.dropFirst(rest.first?.isKeyword("indexed") ?? false ? 3 : 2) }
    return rest.first.map(isClause) ?? true ? name : nil
  }

  /// Whether a token begins the clause after the tables.
  private static func isClause(_ token: Token) -> Bool {
    token.isKeyword("where") || token.isKeyword("order")
  }

  /// Whether tokens begin with `INDEXED BY` or `NOT INDEXED`.
  private static func isIndexing(_ tokens: ArraySlice<Token>) -> Bool {
    let next = tokens.dropFirst().first
    return tokens.first?.isKeyword("indexed") ?? false && next?.isKeyword("by") ?? false
      || tokens.first?.isKeyword("not") ?? false && next?.isKeyword("indexed") ?? false
  }

  // MARK: Columns

  /// The words that aren't names of columns although a name may be in their place.
  private static let values = ["null", "current_date", "current_time", "current_timestamp", "not"]
  /// The words after a column that aren't its alias.
  private static let tests = ["isnull", "notnull"]

  private static func item(_ tokens: ArraySlice<Token>) -> Item {
    var path = tokens
    if path.count > 2, path[path.endIndex - 2].isKeyword("as"), path.last?.name != nil {
      path = path.dropLast(2)
    } else if path.count > 1, path[path.endIndex - 2].name != nil, let alias = path.last, alias.name != nil,
      !tests.contains(where: alias.isKeyword)
    {
      path = path.dropLast()
    }
    // The names of the schema and of the table may precede.
    while path.count > 2, path.first?.name != nil, path[path.startIndex + 1] == .symbol(".") {
      path = path.dropFirst(2)
    }
    guard path.count == 1, let token = path.first else { return .expression }
    switch token {
    case .symbol("*"): return .all
    case .word(let name) where !values.contains(where: token.isKeyword): return .column(name)
    case .quoted(let name): return .column(name)
    case .word, .string, .symbol: return .expression
    }
  }
}
