import KindredSQLSyntax
import KindredSQLite

/// A pattern for full-text search of versions 3 and 4 (<https://www.sqlite.org/fts3.html#full_text_index_queries>).
public struct FTS3Pattern: Hashable, Sendable {
  /// The pattern in SQLite's syntax.
  public let rawPattern: String

  /// Creates a pattern from SQLite's syntax.
  ///
  /// - Throws: `DatabaseError` if it is malformed.
  public init(rawPattern: String) throws {
    try FullTextWords.check(rawPattern, module: "fts3(content)")
    self.rawPattern = rawPattern
  }

  /// Creates a pattern that matches records with at least one of the words of a text; `nil` if the text has none.
  public init?(matchingAnyTokenIn text: String) { self.init(words: text) { $0.joined(separator: " OR ") } }

  /// Creates a pattern that matches records with all words of a text; `nil` if the text has none.
  public init?(matchingAllTokensIn text: String) { self.init(words: text) { $0.joined(separator: " ") } }

  /// Creates a pattern that matches records with words that begin as all words of a text do; `nil` if the text has none.
  public init?(matchingAllPrefixesIn text: String) {
    guard let words = FullTextWords(text)?.words else { return nil }
    // A star is no operator inside of quotes, so the words are in lower case, which no operator is.
    rawPattern = words.map { $0.lowercased() + "*" }.joined(separator: " ")
  }

  /// Creates a pattern that matches records with the words of a text in sequence; `nil` if the text has none.
  public init?(matchingPhrase text: String) {
    guard let words = FullTextWords(text)?.words else { return nil }
    rawPattern = "\"\(words.joined(separator: " "))\""
  }

  private init?(words text: String, _ join: ([String]) -> String) {
    guard let words = FullTextWords(text)?.words else { return nil }
    // Quoted, so that no word is taken for an operator.
    rawPattern = join(words.map { "\"\($0)\"" })
  }
}

extension FTS3Pattern: DatabaseValueConvertible {
  /// The pattern as a text.
  public var databaseValue: DatabaseValue { rawPattern.databaseValue }

  /// Returns the pattern of a text that is not malformed.
  public static func fromDatabaseValue(_ value: DatabaseValue) -> FTS3Pattern? {
    String.fromDatabaseValue(value).flatMap { try? FTS3Pattern(rawPattern: $0) }
  }
}

extension ColumnExpression {
  /// Returns whether a full-text column matches a pattern; false if the pattern is `nil`.
  public func match(_ pattern: FTS3Pattern?) -> SQLExpression {
    matches(rawPattern: pattern?.rawPattern)
  }

  func matches(rawPattern: String?) -> SQLExpression {
    guard let rawPattern else { return SQLExpression(.boolean(false)) }
    return .raw([.expression(sqlExpression), .text(" MATCH "), .expression(rawPattern.sqlExpression)])
  }
}

/// The words of a text that is searched for.
struct FullTextWords {
  let words: [String]

  /// Splits a text at everything that is no letter or digit; nil if it has no words.
  init?(_ text: String) {
    words = text.split { !$0.isLetter && !$0.isNumber }.map(String.init)
    if words.isEmpty { return nil }
  }

  /// Checks a pattern by searching an empty table.
  ///
  /// - Throws: `DatabaseError` if it is malformed.
  static func check(_ pattern: String, module: String) throws {
    let connection = try Connection(path: ":memory:", access: .readWriteCreate)
    try connection.execute("CREATE VIRTUAL TABLE document USING \(module)")
    try connection.withStatement("SELECT * FROM document WHERE document MATCH ?") { statement in
      try statement.bind([.text(pattern)])
      while try statement.step() {}
    }
  }
}
