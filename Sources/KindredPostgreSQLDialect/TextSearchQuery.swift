import KindredSQLSyntax

/// A full-text pattern for PostgreSQL's `to_tsquery`
/// (<https://www.postgresql.org/docs/current/textsearch-controls.html>).
///
/// Patterns are written as for FTS5 (<https://www.sqlite.org/fts5.html#full_text_query_syntax>): words, phrases in
/// double quotes or joined by `+`, prefixes with `*`, `AND`, `OR`, `NOT`, parentheses. Other constructs of FTS5 are
/// refused.
struct TextSearchQuery {
  /// The argument of `to_tsquery`.
  let text: String

  /// Returns the query in a text search configuration, by default the session's.
  func sql(in configuration: String?) -> SQL {
    "to_tsquery(\(Self.name(of: configuration)), \(SQL.bound(to: .value(.text(text)), as: "text")))"
  }

  /// Returns a text search configuration, by default the session's.
  static func name(of configuration: String?) -> SQL {
    configuration.map { SQL(trusted: "'\($0.replacing("'", with: "''"))'") } ?? "get_current_ts_config()"
  }

  /// The error of a malformed pattern.
  struct Failure: Error {
    package let message: String
  }

  init(_ pattern: String) throws(Failure) {
    var parser = Parser(tokens: try Self.tokens(of: pattern))
    text = try parser.alternatives(depth: 0)
    if let rest = parser.next { throw Failure(message: "`\(rest.written)` is unexpected") }
    guard text.utf8.count <= Parser.maximumLength else { throw Failure(message: "it is too long") }
  }

  private enum Token: Equatable {
    case word(String)
    case phrase([String])
    case symbol(Character)

    var written: String {
      switch self {
      case .word(let word): word
      case .phrase(let words): "\"\(words.joined(separator: " "))\""
      case .symbol(let symbol): String(symbol)
      }
    }
  }

  private static func tokens(of pattern: String) throws(Failure) -> [Token] {
    var tokens: [Token] = []
    var rest = pattern[...]
    while let first = rest.first {
      if isPart(ofWord: first) {
        let word = rest.prefix(while: isPart(ofWord:))
        tokens.append(.word(String(word)))
        rest = rest[word.endIndex...]
      } else if first == "\"" {
        tokens.append(.phrase(try phrase(&rest)))
      } else {
        if "()+*,".contains(first) {
          tokens.append(.symbol(first))
        } else if !first.isWhitespace {
          throw Failure(message: "`\(first)` can't be part of a word; put it in double quotes")
        }
        rest = rest.dropFirst()
      }
    }
    return tokens
  }

  /// Returns the words in double quotes; two double quotes in them stand for one.
  private static func phrase(_ rest: inout Substring) throws(Failure) -> [String] {
    rest = rest.dropFirst()
    var text = ""
    while let character = rest.popFirst() {
      if character == "\"" {
        guard rest.first == "\"" else { return text.split { !isPart(ofWord: $0) }.map(String.init) }
        rest = rest.dropFirst()
      }
      text.append(character)
    }
    throw Failure(message: "the closing double quote is missing")
  }

  private static func isPart(ofWord character: Character) -> Bool {
    character.isLetter || character.isNumber || character == "_"
  }

  private struct Parser {
    var tokens: [Token]
    var index = 0
    /// The length in bytes of the alternatives that the `NEAR`s so far are replaced by.
    var expandedLength = 0

    var next: Token? { tokens.indices.contains(index) ? tokens[index] : nil }

    private mutating func skip(_ token: Token) -> Bool {
      guard next == token else { return false }
      index += 1
      return true
    }

    /// Parses parts joined by `OR`.
    mutating func alternatives(depth: Int) throws(Failure) -> String {
      guard depth < 32 else { throw Failure(message: "its parentheses are nested too deeply") }
      var parts = [try conjunction(depth: depth)]
      while skip(.word("OR")) { parts.append(try conjunction(depth: depth)) }
      return parts.joined(separator: " | ")
    }

    /// Parses parts joined by `AND` or nothing, and those excluded by `NOT`.
    private mutating func conjunction(depth: Int) throws(Failure) -> String {
      var parts = [try primary(depth: depth)]
      while let token = next, token != .word("OR"), token != .symbol(")") {
        if skip(.word("NOT")) {
          parts.append("!\(try primary(depth: depth))")
        } else {
          _ = skip(.word("AND"))
          parts.append(try primary(depth: depth))
        }
      }
      return parts.joined(separator: " & ")
    }

    private mutating func primary(depth: Int) throws(Failure) -> String {
      if skip(.symbol("(")) {
        let inner = try alternatives(depth: depth + 1)
        guard skip(.symbol(")")) else { throw Failure(message: "a closing parenthesis is missing") }
        return "(\(inner))"
      }
      if next == .word("NEAR"), tokens.indices.contains(index + 1), tokens[index + 1] == .symbol("(") {
        index += 2
        return try near()
      }
      return try phrase()
    }

    /// Parses a sequence of words, the last of which may be a prefix.
    private mutating func phrase() throws(Failure) -> String {
      var words = try self.words()
      while skip(.symbol("+")) { words += try self.words() }
      guard !words.isEmpty else { throw Failure(message: "it contains a phrase without a word") }
      var lexemes = words.map { "'\($0)'" }
      if skip(.symbol("*")) { lexemes[lexemes.count - 1] += ":*" }
      return lexemes.count == 1 ? lexemes[0] : "(\(lexemes.joined(separator: " <-> ")))"
    }

    /// Parses the phrases of `NEAR(one two, 10)` after its parenthesis: both, with at most that many words in between.
    ///
    /// PostgreSQL only knows exact distances, so each distance is an alternative.
    private mutating func near() throws(Failure) -> String {
      let first = try phrase()
      guard next != .symbol(","), next != .symbol(")") else {
        throw Failure(message: "NEAR requires two words or phrases")
      }
      let second = try phrase()
      var distance = 10
      if skip(.symbol(",")) {
        guard case .word(let text)? = next, let number = Int(text),
          (0...Self.largestDistance).contains(number)
        else {
          throw Failure(message: "the distance of NEAR must be a number from 0 to \(Self.largestDistance)")
        }
        distance = number
        index += 1
      }
      guard skip(.symbol(")")) else {
        throw Failure(message: "NEAR requires two words or phrases and a distance; combine others with AND")
      }
      expandedLength += (first.utf8.count + second.utf8.count) * 2 * (distance + 1)
      guard expandedLength <= Self.maximumLength else {
        throw Failure(message: "the words of NEAR are too many for its distance")
      }
      let alternatives = (1...(distance + 1)).flatMap { step in
        ["\(first) <\(step)> \(second)", "\(second) <\(step)> \(first)"]
      }
      return "(\(alternatives.joined(separator: " | ")))"
    }

    /// The maximum length in bytes of a pattern after its `NEAR`s have been replaced by alternatives.
    static let maximumLength = 256 << 10
    /// The maximum distance, since each one adds two alternatives.
    private static let largestDistance = 100

    private mutating func words() throws(Failure) -> [String] {
      guard let token = next else { throw Failure(message: "a word is missing at the end") }
      index += 1
      switch token {
      case .phrase(let words): return words
      case .word(let word) where !["AND", "OR", "NOT", "NEAR"].contains(word): return [word]
      case .word, .symbol: throw Failure(message: "a word is missing before `\(token.written)`")
      }
    }
  }
}
