import KindredModel
import KindredSQLite
import KindredSQLSyntax

/// The views and common table expressions whose definitions have certain words, directly or in what they read.
///
/// A false positive, from a word with another meaning, is harmless.
struct DefinitionWords {
  /// The words of compound SELECTs (`UNION ALL` and the like).
  static let compound: Set = ["union", "intersect", "except"]
  /// The words of definitions whose rows depend on the clock, or on random numbers.
  ///
  /// The text 'now' counts, but not a column of that name.
  static let clock: Set = [
    "'now", "current_date", "current_time", "current_timestamp", "random", "randomblob",
  ]
  /// The words of definitions whose rows may depend on more than the database.
  ///
  /// Date functions count whatever their arguments, since a column may hold the text 'now'.
  static let volatile: Set = [
    "date(", "time(", "datetime(", "julianday(", "strftime(", "unixepoch(", "timediff(",
    "current_date", "current_time", "current_timestamp", "random(", "randomblob(",
    "changes(", "total_changes(", "last_insert_rowid(", unknownModule,
  ]
  /// The word of virtual tables, which may return arbitrary rows.
  private static let unknownModule = "using("
  /// The modules whose tables return only data of the database.
  private static let storedModules: Set = [
    "fts3", "fts4", "fts4aux", "fts5", "fts5vocab", "rtree", "rtree_i32", "geopoly",
  ]

  private var definitions: [(name: String, words: Set<String>)]

  /// Reads the views and virtual tables of a database, and the given definitions.
  init(_ connection: Connection, database: String = "main", _ definitions: [(name: String, sql: String)] = [])
    throws
  {
    let views = try connection.rows(
      "SELECT name, sql FROM \(SQL.quoted(database)).sqlite_schema WHERE type = 'view'"
    ) { (name: $0.text(0) ?? "", sql: $0.text(1) ?? "") }
    let virtual = try connection.rows(
      "SELECT name, sql FROM \(SQL.quoted(database)).sqlite_schema WHERE type = 'table' AND rootpage = 0"
    ) { (name: $0.text(0) ?? "", module: VirtualTableDeclaration($0.text(1) ?? "")?.module) }
    self.definitions = (views + definitions).map { definition in
      (
        name: definition.name.foldingASCIICase,
        words: Self.words(in: SQLTokens.all(in: definition.sql))
      )
    }
    for table in virtual where !(table.module.map(Self.storedModules.contains) ?? false) {
      self.definitions.append((name: table.name.foldingASCIICase, words: [Self.unknownModule]))
    }
  }

  /// The functions that read the clock without an argument.
  private static let clocks: Set = ["date", "time", "datetime", "julianday", "unixepoch"]

  private static func words(in tokens: [SQLTokens.Token]) -> Set<String> {
    let call = tokens.indices.contains { index in
      guard case .word(let name) = tokens[index] else { return false }
      // `strftime` has a format before the time.
      let isFormatted = name.foldingASCIICase == "strftime"
      let rest = tokens[(index + 1)...].prefix(isFormatted ? 3 : 2)
      return (isFormatted || clocks.contains(name.foldingASCIICase)) && rest.first == .symbol("(")
        && rest.last == .symbol(")") && rest.count == (isFormatted ? 3 : 2)
    }
    let calls = zip(tokens, tokens.dropFirst()).compactMap { name, symbol in
      symbol == .symbol("(") ? name.name.map { $0.foldingASCIICase + "(" } : nil
    }
    return Set(tokens.flatMap(words(of:)) + calls).union(call ? ["'now"] : [])
  }

  private static func words(of token: SQLTokens.Token) -> [String] {
    switch token {
    case .word(let text): [text.foldingASCIICase]
    case .quoted(let text), .string(let text): [text.foldingASCIICase, "'" + text.foldingASCIICase]
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
