import KindredModel

/// Splits SQL into names, strings and punctuation, without a grammar (<https://www.sqlite.org/lang.html>).
struct SQLTokens {
  enum Token: Hashable {
    /// A keyword, a name or a number without quotes.
    case word(String)
    /// A name without its quotes, or a string in double quotes.
    case quoted(String)
    /// A string in single quotes, without these.
    case string(String)
    /// Any other character.
    case symbol(Character)

    /// The text of a word, a quoted name or a string.
    var name: String? {
      switch self {
      case .word(let text), .quoted(let text), .string(let text): text
      case .symbol: nil
      }
    }

    func isKeyword(_ keyword: String) -> Bool {
      if case .word(let word) = self { word.equalsIgnoringCase(keyword) } else { false }
    }
  }

  let bytes: [UInt8]
  private(set) var position = 0

  /// Returns all tokens of a text, without comments and white space.
  static func all(in sql: String) -> [Token] {
    var tokens = SQLTokens(bytes: Array(sql.utf8))
    var result: [Token] = []
    while let token = tokens.next() { result.append(token) }
    return result
  }

  /// Returns the expressions of the generated columns that a `CREATE TABLE` defines, by the names of the columns in lower
  /// case (<https://www.sqlite.org/gencol.html>).
  static func generations(in sql: String) -> [String: String] {
    var tokens = SQLTokens(bytes: Array(sql.utf8))
    var generations: [String: String] = [:]
    var (depth, column, isAfterAs): (Int, String?, Bool) = (0, nil, false)
    // Where the expression of the column begins.
    var start: Int?
    while let token = tokens.next() {
      switch token {
      case .symbol("("):
        depth += 1
        if depth == 2, isAfterAs { start = tokens.position }
      case .symbol(")"):
        depth -= 1
        if depth == 1, let from = start, let column {
          generations[column] = String(decoding: tokens.bytes[from..<(tokens.position - 1)], as: UTF8.self)
          start = nil
        }
        if depth == 0 { return generations }
      case .symbol(",") where depth == 1: column = nil
      default: if depth == 1, column == nil { column = token.name?.foldingASCIICase }
      }
      // Outside parentheses, only the clause of a generated column has this keyword.
      isAfterAs = depth == 1 && token.isKeyword("as")
    }
    return generations
  }

  /// Returns for each foreign key that a `CREATE TABLE` declares, in order, whether it is
  /// `DEFERRABLE INITIALLY DEFERRED` (<https://www.sqlite.org/foreignkeys.html#fk_deferred>).
  static func deferredReferences(in sql: String) -> [Bool] {
    let tokens = all(in: sql)
    let starts = tokens.indices.filter { tokens[$0].isKeyword("references") }
    return starts.enumerated().map { number, start in
      let end = number + 1 < starts.count ? starts[number + 1] : tokens.endIndex
      // Where the keyword stands before those of another clause, it is this one's.
      let clause = tokens[start..<end].firstIndex { $0.isKeyword("deferrable") }
      guard let clause, !tokens[clause - 1].isKeyword("not"), clause + 2 < end else { return false }
      return tokens[clause + 1].isKeyword("initially") && tokens[clause + 2].isKeyword("deferred")
    }
  }

  private mutating func next() -> Token? {
    skipSpace()
    guard position < bytes.count else { return nil }
    let byte = bytes[position]
    switch byte {
    case UInt8(ascii: "'"): return .string(quoted(until: byte))
    case UInt8(ascii: "\""), UInt8(ascii: "`"): return .quoted(quoted(until: byte))
    case UInt8(ascii: "["): return .quoted(bracketed())
    case _ where Self.isWord(byte): return .word(text { !Self.isWord($0) })
    default:
      position += 1
      return .symbol(Character(Unicode.Scalar(byte)))
    }
  }

  private mutating func skipSpace() {
    while position < bytes.count {
      let rest = bytes[position...]
      if [0x20, 0x09, 0x0A, 0x0C, 0x0D].contains(bytes[position]) {
        position += 1
      } else if rest.starts(with: "--".utf8) {
        position = rest.firstIndex(of: 0x0A) ?? bytes.endIndex
      } else if rest.starts(with: "/*".utf8) {
        position += 2
        while position < bytes.count, !bytes[position...].starts(with: "*/".utf8) { position += 1 }
        position = min(position + 2, bytes.count)
      } else {
        return
      }
    }
  }

  /// Reads up to a quote that is not doubled.
  private mutating func quoted(until quote: UInt8) -> String {
    var text: [UInt8] = []
    position += 1
    while position < bytes.count {
      let byte = bytes[position]
      position += 1
      if byte == quote {
        guard position < bytes.count, bytes[position] == quote else { break }
        position += 1
      }
      text.append(byte)
    }
    return String(decoding: text, as: UTF8.self)
  }

  private mutating func bracketed() -> String {
    position += 1
    let text = text { $0 == UInt8(ascii: "]") }
    position = min(position + 1, bytes.count)
    return text
  }

  private mutating func text(until isEnd: (UInt8) -> Bool) -> String {
    let end = bytes[position...].firstIndex(where: isEnd) ?? bytes.endIndex
    defer { position = end }
    return String(decoding: bytes[position..<end], as: UTF8.self)
  }

  /// Returns whether a byte can be part of a word: letters, digits, `_`, `$` and all non-ASCII bytes.
  private static func isWord(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x5F, 0x24, 0x80...: true
    default: false
    }
  }
}

extension [SQLTokens.Token] {
  /// Whether they have `ON CONFLICT REPLACE`.
  var replacesOnConflict: Bool {
    indices.contains { index in
      self[index...].prefix(3).map(\.name).elementsEqual(["on", "conflict", "replace"]) { name, keyword in
        name?.equalsIgnoringCase(keyword) ?? false
      }
    }
  }
}
