import KindredAssociations
import KindredSQLite
import KindredSQLSyntax

/// The views and common table expressions whose definitions have certain words, directly or in what they read.
///
/// A word with another meaning only makes a table count that would not.
struct DefinitionWords {
  /// Those of SELECTs that consist of several (`UNION ALL` and the like).
  static let compound: Set = ["union", "intersect", "except"]
  /// Those of definitions whose rows depend on the clock, or on random numbers.
  ///
  /// The text 'now' counts, and no column of that name.
  static let clock: Set = [
    "'now", "current_date", "current_time", "current_timestamp", "random", "randomblob",
  ]

  private var definitions: [(name: String, words: Set<String>)]

  /// Reads the views of a database, and the given definitions.
  init(_ connection: Connection, database: String = "main", _ definitions: [(name: String, sql: String)] = [])
    throws
  {
    let views = try connection.rows(
      "SELECT name, sql FROM \(SQL.quoted(database)).sqlite_schema WHERE type = 'view'"
    ) { (name: $0.text(0) ?? "", sql: $0.text(1) ?? "") }
    self.definitions = (views + definitions).map { definition in
      (
        name: definition.name.foldingASCIICase,
        words: Self.words(in: Array(SQLTokens.all(in: definition.sql)))
      )
    }
  }

  /// The functions that read the clock without an argument.
  private static let clocks: Set = ["date", "time", "datetime", "julianday", "unixepoch"]

  private static func words(in tokens: [SQLTokens.Token]) -> Set<String> {
    let call = zip(tokens, zip(tokens.dropFirst(), tokens.dropFirst(2))).contains { name, parentheses in
      guard case .word(let name) = name else { return false }
      return clocks.contains(name.foldingASCIICase) && parentheses == (.symbol("("), .symbol(")"))
    }
    return Set(tokens.flatMap(words(of:))).union(call ? ["'now"] : [])
  }

  private static func words(of token: SQLTokens.Token) -> [String] {
    switch token {
    case .word(let text): [text.foldingASCIICase]
    case .quoted(let text): [text.foldingASCIICase, "'" + text.foldingASCIICase]
    case .symbol: []
    }
  }

  /// Returns the names of the definitions with one of these words, in lower case.
  func names(with words: Set<String>) -> Set<String> {
    var (words, others, names) = (words, definitions, Set<String>())
    while !words.isEmpty {
      let found = others.filter { !$0.words.isDisjoint(with: words) }.map(\.name)
      others.removeAll { found.contains($0.name) }
      words = Set(found)
      names.formUnion(found)
    }
    return names
  }
}
