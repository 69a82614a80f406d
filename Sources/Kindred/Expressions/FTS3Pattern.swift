/// A pattern of a full-text search (<https://www.sqlite.org/fts3.html#full_text_index_queries>).
public struct FTS3Pattern: Hashable, Sendable {
  /// The pattern as SQLite reads it.
  public let rawPattern: String

  /// A pattern in SQLite's own syntax, which is checked when the request runs.
  public init(rawPattern: String) {
    self.rawPattern = rawPattern
  }

  /// The records that have one of the words of a text; `nil` where it has none.
  public init?(matchingAnyTokenIn text: String) { self.init(words: text, separator: " OR ") }

  /// The records that have all words of a text; `nil` where it has none.
  public init?(matchingAllTokensIn text: String) { self.init(words: text, separator: " ") }

  /// The records that have the words of a text, one after the other; `nil` where it has none.
  public init?(matchingPhrase text: String) {
    self.init(words: text, separator: " ")
    self.init(rawPattern: "\"\(rawPattern.filter { $0 != "\"" })\"")
  }

  private init?(words text: String, separator: String) {
    let words = text.split { !$0.isLetter && !$0.isNumber }
    guard !words.isEmpty else { return nil }
    // In quotes, no word is an operator.
    rawPattern = words.map { "\"\($0)\"" }.joined(separator: separator)
  }
}
