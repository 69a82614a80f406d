/// A text of SQL that is divided into the statements of PostgreSQL
/// (<https://www.postgresql.org/docs/current/sql-syntax-lexical.html>).
///
/// A semicolon ends a statement unless it is in a text, a quoted name, a comment, parentheses, or the body of a function
/// that `BEGIN ATOMIC` begins.
struct PostgreSQLScript: Sequence, IteratorProtocol {
  /// A statement without the white space and comments before it, and without its semicolon.
  struct Statement {
    let text: String
    /// The line at which it begins, from 1.
    let line: Int
    /// Its first words in upper case, without comments.
    let words: [String]

    /// Returns the line of a character, counted from 1.
    func line(ofCharacter offset: Int?) -> Int {
      guard let offset else { return line }
      return line + text.unicodeScalars.prefix(offset - 1).count { $0 == "\n" }
    }
  }

  private let bytes: [UInt8]
  private var position = 0
  /// The line at the position.
  private var line = 1

  init(_ text: String) {
    bytes = Array(text.utf8)
    // A byte order mark at the beginning is none of the text.
    if bytes.starts(with: "\u{FEFF}".utf8) { position = 3 }
  }

  /// Returns the next statement; nil if only white space, comments and semicolons are left.
  mutating func next() -> Statement? {
    while true {
      skipSpace()
      guard position < bytes.count else { return nil }
      guard at(";") else { break }
      advance(1)
    }
    let (start, firstLine) = (position, line)
    var (words, parentheses, blocks) = ([] as [String], 0, 0)
    while position < bytes.count, !(at(";") && parentheses == 0 && blocks == 0) {
      if let word = takeWord() {
        if words.count < Self.wordCount { words.append(word) }
        if Self.isOfRoutine(words), parentheses == 0 { blocks += Self.step(word, in: blocks) }
      } else if at("(") || at(")") {
        parentheses = Swift.max(0, parentheses + (at("(") ? 1 : -1))
        advance(1)
      } else if !takeQuoted() {
        // White space and comments are a part of the statement.
        let before = position
        skipSpace()
        if position == before { advance(1) }
      }
    }
    return Statement(
      text: String(decoding: bytes[start..<position], as: UTF8.self), line: firstLine, words: words)
  }

  /// The number of first words that tell what a statement is.
  private static let wordCount = 4

  /// Whether these words begin the definition of a function or procedure.
  private static func isOfRoutine(_ words: [String]) -> Bool {
    words.first == "CREATE" && words.dropFirst().contains { $0 == "FUNCTION" || $0 == "PROCEDURE" }
  }

  /// Returns by how many a word changes the number of blocks that are open in the body of a function.
  private static func step(_ word: String, in blocks: Int) -> Int {
    switch word {
    case "BEGIN": 1
    case "CASE": blocks > 0 ? 1 : 0
    case "END": blocks > 0 ? -1 : 0
    default: 0
    }
  }

  // MARK: Tokens

  private func at(_ text: StaticString) -> Bool {
    bytes[position...].starts(with: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  private mutating func advance(_ count: Int) {
    let end = Swift.min(position + count, bytes.count)
    while position < end {
      if bytes[position] == UInt8(ascii: "\n") { line += 1 }
      position += 1
    }
  }

  /// Skips white space and comments, which may contain each other.
  private mutating func skipSpace() {
    while position < bytes.count {
      if at("--") {
        while position < bytes.count, !at("\n") { advance(1) }
      } else if at("/*") {
        var depth = 0
        repeat {
          if at("/*") { depth += 1 } else if at("*/") { depth -= 1 } else { advance(1); continue }
          advance(2)
        } while position < bytes.count && depth > 0
      } else if bytes[position] <= UInt8(ascii: " ") {
        advance(1)
      } else {
        return
      }
    }
  }

  private static func isOfWord(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "$"), 0x80...: true
    default: false
    }
  }

  /// Takes a word or a number, in upper case; nil if there is none.
  private mutating func takeWord() -> String? {
    // A dollar sign begins no word, but may be in one.
    guard !at("$"), Self.isOfWord(bytes[position]) else { return nil }
    let word = bytes[position...].prefix(while: Self.isOfWord)
    let text = String(decoding: word, as: UTF8.self).uppercased()
    advance(word.count)
    // Of a text with escapes, this is the prefix.
    if text == "E", position < bytes.count, at("'") { takeQuoted(by: "'", hasEscapes: true) }
    return text
  }

  /// Takes a text or a quoted name; returns false if there is none.
  private mutating func takeQuoted() -> Bool {
    if at("'") {
      takeQuoted(by: "'")
    } else if at("\"") {
      takeQuoted(by: "\"")
    } else if at("$") {
      let name = bytes[(position + 1)...].prefix { Self.isOfWord($0) && $0 != UInt8(ascii: "$") }
      // `$1` is a parameter.
      guard name.endIndex < bytes.count, bytes[name.endIndex] == UInt8(ascii: "$"),
        !(name.first.map { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ?? false)
      else { return false }
      let tag = bytes[position...name.endIndex]
      advance(tag.count)
      while position < bytes.count, !bytes[position...].starts(with: tag) { advance(1) }
      advance(tag.count)
    } else {
      return false
    }
    return true
  }

  /// Takes a text that ends at a quotation mark; two of them stand for one, which is as two texts to this.
  private mutating func takeQuoted(by mark: StaticString, hasEscapes: Bool = false) {
    advance(1)
    while position < bytes.count {
      if hasEscapes, at("\\") {
        advance(2)
      } else if at(mark) {
        advance(1)
        guard position < bytes.count, at(mark) else { return }
        advance(1)
      } else {
        advance(1)
      }
    }
  }
}
