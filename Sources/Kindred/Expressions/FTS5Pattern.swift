import KindredSQLSyntax

/// A pattern for full-text search of version 5 (<https://www.sqlite.org/fts5.html#full_text_query_syntax>).
public struct FTS5Pattern: Hashable, Sendable {
  /// The pattern in SQLite's syntax.
  public let rawPattern: String

  /// Creates a pattern from SQLite's syntax.
  ///
  /// - Parameters:
  ///   - rawPattern: The pattern.
  ///   - allowedColumns: The columns that it may name.
  /// - Throws: `DatabaseError` if it is malformed, or names another column.
  public init(rawPattern: String, allowedColumns: [String] = []) throws {
    // A table has columns, though the pattern may name none.
    let columns = allowedColumns.isEmpty ? ["__kindred__"] : allowedColumns
    let list = columns.map { SQLText.quoted($0) }.joined(separator: ", ")
    try FullTextWords.check(rawPattern, module: "fts5(\(list))")
    self.rawPattern = rawPattern
  }

  /// Creates a pattern that matches records with at least one of the words of a text; `nil` if the text has none.
  public init?(matchingAnyTokenIn text: String) { self.init(words: text) { $0.joined(separator: " OR ") } }

  /// Creates a pattern that matches records with all words of a text; `nil` if the text has none.
  public init?(matchingAllTokensIn text: String) { self.init(words: text) { $0.joined(separator: " ") } }

  /// Creates a pattern that matches records with words that begin as all words of a text do; `nil` if the text has none.
  public init?(matchingAllPrefixesIn text: String) {
    self.init(words: text) { $0.map { $0 + "*" }.joined(separator: " ") }
  }

  /// Creates a pattern that matches records with the words of a text in sequence; `nil` if the text has none.
  public init?(matchingPhrase text: String) {
    guard let words = FullTextWords(text)?.words else { return nil }
    rawPattern = "\"\(words.joined(separator: " "))\""
  }

  /// Creates a pattern that matches records that begin with the words of a text in sequence; `nil` if the text has none.
  public init?(matchingPrefixPhrase text: String) {
    guard let phrase = FTS5Pattern(matchingPhrase: text) else { return nil }
    rawPattern = "^" + phrase.rawPattern
  }

  private init?(words text: String, _ join: ([String]) -> String) {
    guard let words = FullTextWords(text)?.words else { return nil }
    // Quoted, so that no word is taken for an operator.
    rawPattern = join(words.map { "\"\($0)\"" })
  }
}

extension FTS5Pattern: DatabaseValueConvertible {
  /// The pattern as a text.
  public var databaseValue: DatabaseValue { rawPattern.databaseValue }

  /// Returns the pattern of a text that is not malformed, and names no column.
  public static func fromDatabaseValue(_ value: DatabaseValue) -> FTS5Pattern? {
    String.fromDatabaseValue(value).flatMap { try? FTS5Pattern(rawPattern: $0) }
  }
}

extension Database {
  /// Returns a pattern from SQLite's syntax that may name the columns of a table.
  ///
  /// - Throws: `DatabaseError` if it is malformed, or names another column.
  public func makeFTS5Pattern(rawPattern: String, forTable table: String) throws -> FTS5Pattern {
    try FTS5Pattern(rawPattern: rawPattern, allowedColumns: columns(in: table).map(\.name))
  }
}

extension RequestSource {
  /// Keeps only records that are found by a pattern in the full-text index of their table; none if it is `nil`.
  @_disfavoredOverload
  public func matching(_ pattern: FTS5Pattern?) -> Refined {
    matching(rawPattern: pattern?.rawPattern)
  }
}

extension TableRecord {
  /// Returns a request of the records that are found by a pattern in the full-text index of their table; of none if it
  /// is `nil`.
  @_disfavoredOverload
  public static func matching(_ pattern: FTS5Pattern?) -> QueryInterfaceRequest<Self> {
    all().matching(pattern)
  }
}

extension ColumnExpression {
  /// Returns whether a full-text column matches a pattern; false if the pattern is `nil`.
  @_disfavoredOverload
  public func match(_ pattern: FTS5Pattern?) -> SQLExpression {
    matches(rawPattern: pattern?.rawPattern)
  }
}
