/// Finds the columns that an FTS5 pattern names (<https://www.sqlite.org/fts5.html#full_text_query_syntax>).
struct FullTextPattern {
  private enum Token: Equatable {
    case word(String)
    case symbol(Unicode.Scalar)
  }

  private var tokens: [Token] = []

  /// SQLite parses a pattern in a time that grows with the square of its length, and can't be interrupted meanwhile.
  static let maximumTokenCount = 1000

  /// The number of words, phrases and operators.
  var tokenCount: Int { tokens.count }

  init(_ pattern: String) {
    var rest = pattern.unicodeScalars[...]
    while let first = rest.first {
      if first == "\"" {
        rest.removeFirst()
        tokens.append(.word(Self.string(&rest)))
      } else if Self.isWord(first) {
        let word = rest.prefix(while: Self.isWord)
        tokens.append(.word(String(word)))
        rest = rest[word.endIndex...]
      } else {
        if !" \t\r\n".unicodeScalars.contains(first) { tokens.append(.symbol(first)) }
        rest.removeFirst()
      }
    }
  }

  /// The names before colons: one, or several in braces.
  var columns: [String] {
    tokens.indices.filter { $0 > 0 && tokens[$0] == .symbol(":") }.flatMap { colon -> [String] in
      switch tokens[colon - 1] {
      case .word(let name): return [name]
      case .symbol("}"):
        return tokens[..<(colon - 1)].reversed().prefix { $0 != .symbol("{") }.compactMap { token in
          if case .word(let name) = token { name } else { nil }
        }
      case .symbol: return []
      }
    }
  }

  /// Reads the text up to a quote that isn't doubled.
  private static func string(_ rest: inout Substring.UnicodeScalarView) -> String {
    var text = ""
    while let next = rest.popFirst() {
      if next == "\"" {
        guard rest.first == "\"" else { break }
        rest.removeFirst()
      }
      text.unicodeScalars.append(next)
    }
    return text
  }

  /// Whether a scalar belongs to a bareword: a letter, digit, `_`, the substitute character, or anything beyond ASCII.
  private static func isWord(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x5F, 0x1A, 0x80...: true
    default: false
    }
  }
}
