import KindredModel
import KindredPlanning
import KindredSQLSyntax

/// What the text of a definition calls and names, as far as tokens tell: for definitions of which PostgreSQL gives no
/// tree.
struct DefinitionText {
  /// Every word and name in it; words without quotes in lower case.
  private(set) var names: Set<String> = []
  /// Those of the names that a parenthesis follows.
  private(set) var calls: Set<String> = []
  /// The types that something other than a constant is converted to.
  private(set) var castTypes: Set<String> = []
  /// The names between DECLARE and BEGIN.
  private(set) var declared: Set<String> = []
  /// Whether it reads the clock by a keyword or a text, or can't be known.
  private(set) var readsClock = false
  private let sql: String

  /// The keywords that read the clock, take a random sample, run another text, or read texts as values of any type.
  private static let clocks: Set = [
    "current_date", "current_time", "current_timestamp", "localtime", "localtimestamp", "tablesample",
    "execute",
    "json_table", "json_value", "json_query", "xmltable", "rowtype", "information_schema",
  ]

  init(_ sql: String) {
    self.sql = sql
    let tokens = Self.withoutParameters(SQLTokens.all(in: sql, .postgreSQL))
    var isDeclaring = false
    for (index, token) in tokens.enumerated() {
      let next = index + 1 < tokens.count ? tokens[index + 1] : nil
      switch token {
      case .string(let text):
        // An escape may hide a letter.
        readsClock = readsClock || text.contains("\\") || SQLValue.text(text).mayNameTime
      case .symbol(":"):
        guard next == .symbol(":"), index > 0, tokens[index - 1] != .symbol(":") else { continue }
        if !Self.isConstant(tokens[index - 1]) { castTypes.formUnion(Self.type(in: tokens[(index + 2)...])) }
      case .symbol: continue
      case .word, .quoted:
        guard let name = Self.name(token) else { continue }
        names.insert(name)
        if next == .symbol("(") { calls.insert(name) }
        guard case .word = token else { continue }
        readsClock = readsClock || Self.clocks.contains(name) || name.hasPrefix("pg_") && name != "pg_catalog"
        // `x.column%TYPE`
        if name == "type", index > 0, tokens[index - 1] == .symbol("%") { readsClock = true }
        if name == "cast", next == .symbol("(") { addCast(tokens[(index + 2)...]) }
        if name == "declare" { isDeclaring = true } else if name == "begin" { isDeclaring = false }
        if isDeclaring { declared.insert(name) }
      }
    }
  }

  /// Whether an operator of this name may be in it.
  func contains(operator name: String) -> Bool { sql.contains(name) }

  /// Adds the type of `CAST(value AS type)`, of which the tokens follow the parenthesis.
  private mutating func addCast(_ tokens: ArraySlice<SQLTokens.Token>) {
    guard let first = tokens.first else { return }
    if Self.isConstant(first), tokens.dropFirst().first?.isKeyword("as") ?? false { return }
    var depth = 0
    for index in tokens.indices {
      switch tokens[index] {
      case .symbol("("): depth += 1
      case .symbol(")"):
        depth -= 1
        if depth < 0 { return }
      case let token where depth == 0 && token.isKeyword("as"):
        castTypes.formUnion(Self.type(in: tokens[(index + 1)...]))
      default: break
      }
    }
  }

  /// Returns the names of the type that tokens begin with: its own one, and that of its schema.
  private static func type(in tokens: ArraySlice<SQLTokens.Token>) -> [String] {
    guard let first = tokens.first.flatMap(name) else { return [] }
    let rest = tokens.dropFirst()
    guard rest.first == .symbol("."), let second = rest.dropFirst().first.flatMap(name) else {
      return [first]
    }
    return [first, second]
  }

  /// Whether a token is a value that is looked at by itself: a text, which is here, or a parameter, where it is bound.
  private static func isConstant(_ token: SQLTokens.Token) -> Bool {
    switch token {
    case .string: true
    case .word(let word): word == parameter || word.utf8.first.map { (0x30...0x39).contains($0) } ?? false
    case .quoted, .symbol: false
    }
  }

  private static func name(_ token: SQLTokens.Token) -> String? {
    switch token {
    case .word(let word): word.lowercased()
    case .quoted(let name): name
    case .string, .symbol: nil
    }
  }

  /// Stands for a parameter; no word without quotes is like it.
  private static let parameter = "?"

  /// Returns the tokens with a word for each `(SELECT NULL::type)`, which the text of a query has in the place of a
  /// parameter.
  private static func withoutParameters(_ tokens: [SQLTokens.Token]) -> [SQLTokens.Token] {
    var result: [SQLTokens.Token] = []
    var index = 0
    while index < tokens.count {
      let rest = tokens[index...]
      if rest.first == .symbol("("), rest.dropFirst().first?.isKeyword("select") ?? false,
        rest.dropFirst(2).first?.isKeyword("null") ?? false,
        rest.dropFirst(3).prefix(2).elementsEqual([.symbol(":"), .symbol(":")])
      {
        let type = rest.dropFirst(5).prefix { if case .word = $0 { true } else { false } }
        if !type.isEmpty, tokens[type.endIndex...].first == .symbol(")") {
          result.append(.word(parameter))
          index = type.endIndex + 1
          continue
        }
      }
      result.append(tokens[index])
      index += 1
    }
    return result
  }
}
