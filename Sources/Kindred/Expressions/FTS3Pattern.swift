/// A pattern for full-text search (<https://www.sqlite.org/fts3.html#full_text_index_queries>).
public struct FTS3Pattern: Hashable, Sendable {
  /// The pattern in SQLite's syntax.
  public let rawPattern: String

  /// Creates a pattern from SQLite's syntax, which is checked when the request runs.
  public init(rawPattern: String) {
    self.rawPattern = rawPattern
  }

  /// Creates a pattern that matches records with at least one of the words of a text; `nil` if the text has none.
  public init?(matchingAnyTokenIn text: String) { self.init(words: text, separator: " OR ") }

  /// Creates a pattern that matches records with all words of a text; `nil` if the text has none.
  public init?(matchingAllTokensIn text: String) { self.init(words: text, separator: " ") }

  /// Creates a pattern that matches records with the words of a text in sequence; `nil` if the text has none.
  public init?(matchingPhrase text: String) {
    self.init(words: text, separator: " ")
    self.init(rawPattern: "\"\(rawPattern.filter { $0 != "\"" })\"")
  }

  private init?(words text: String, separator: String) {
    let words = text.split { !$0.isLetter && !$0.isNumber }
    guard !words.isEmpty else { return nil }
    // Quoted, so that no word is taken for an operator.
    rawPattern = words.map { "\"\($0)\"" }.joined(separator: separator)
  }
}
