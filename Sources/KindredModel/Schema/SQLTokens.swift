/// Splits SQL into names, strings and punctuation, without a grammar (<https://www.sqlite.org/lang.html>,
/// <https://www.postgresql.org/docs/current/sql-syntax-lexical.html>).
package struct SQLTokens {
  package enum Token: Hashable, Sendable {
    /// A keyword, a name or a number without quotes.
    case word(String)
    /// A name without its quotes, or a string in double quotes.
    case quoted(String)
    /// A string without its quotes, or a dollar-quoted one; escapes by a backslash are left as they are.
    case string(String)
    /// Any other character.
    case symbol(Character)

    /// The text of a word, a quoted name or a string.
    package var name: String? {
      switch self {
      case .word(let text), .quoted(let text), .string(let text): text
      case .symbol: nil
      }
    }

    package func isKeyword(_ keyword: String) -> Bool {
      if case .word(let word) = self { word.equalsIgnoringCase(keyword) } else { false }
    }
  }

  package let bytes: [UInt8]
  package private(set) var position = 0
  private let isPostgreSQL: Bool

  package init(_ sql: String, _ syntax: QuerySyntax = .sqlite) {
    bytes = Array(sql.utf8)
    isPostgreSQL = syntax == .postgreSQL
  }

  /// Returns all tokens of a text, without comments and white space.
  package static func all(in sql: String, _ syntax: QuerySyntax = .sqlite) -> [Token] {
    var tokens = SQLTokens(sql, syntax)
    var result: [Token] = []
    while let token = tokens.next() { result.append(token) }
    return result
  }

  /// Returns the next token; nil at the end.
  package mutating func next() -> Token? {
    skipSpace()
    guard position < bytes.count else { return nil }
    let byte = bytes[position]
    switch byte {
    case UInt8(ascii: "'"): return .string(quoted(until: byte))
    case UInt8(ascii: "\""): return .quoted(quoted(until: byte))
    case UInt8(ascii: "`") where !isPostgreSQL: return .quoted(quoted(until: byte))
    case UInt8(ascii: "[") where !isPostgreSQL: return .quoted(bracketed())
    case UInt8(ascii: "e"), UInt8(ascii: "E"):
      guard isPostgreSQL, bytes[(position + 1)...].first == UInt8(ascii: "'") else { return word() }
      position += 1
      return .string(quoted(until: UInt8(ascii: "'"), escape: UInt8(ascii: "\\")))
    case UInt8(ascii: "$") where isPostgreSQL: return dollarQuoted().map { .string($0) } ?? word()
    case _ where Self.isWord(byte): return word()
    default:
      position += 1
      return .symbol(Character(Unicode.Scalar(byte)))
    }
  }

  private mutating func word() -> Token { .word(text { !Self.isWord($0) }) }

  private mutating func skipSpace() {
    while position < bytes.count {
      let rest = bytes[position...]
      if [0x20, 0x09, 0x0A, 0x0C, 0x0D].contains(bytes[position]) {
        position += 1
      } else if rest.starts(with: "--".utf8) {
        position = rest.firstIndex(of: 0x0A) ?? bytes.endIndex
      } else if rest.starts(with: "/*".utf8) {
        skipComment()
      } else {
        return
      }
    }
  }

  /// Skips a comment; those of PostgreSQL nest.
  private mutating func skipComment() {
    var depth = 0
    repeat {
      let rest = bytes[position...]
      if rest.starts(with: "/*".utf8), depth == 0 || isPostgreSQL {
        depth += 1
        position += 2
      } else if rest.starts(with: "*/".utf8) {
        depth -= 1
        position += 2
      } else {
        position += 1
      }
    } while depth > 0 && position < bytes.count
  }

  /// Reads a text between `$$` or `$tag$`; nil if none begins here.
  private mutating func dollarQuoted() -> String? {
    let end = bytes[(position + 1)...].firstIndex { !Self.isWord($0) || $0 == UInt8(ascii: "$") }
    guard let end, bytes[end] == UInt8(ascii: "$"), !(0x30...0x39).contains(bytes[position + 1]) else {
      return nil
    }
    let quote = bytes[position...end]
    let start = end + 1
    position = start
    while position < bytes.count, !bytes[position...].starts(with: quote) { position += 1 }
    defer { position = min(position + quote.count, bytes.count) }
    return String(decoding: bytes[start..<position], as: UTF8.self)
  }

  /// Reads up to a quote that is not doubled.
  private mutating func quoted(until quote: UInt8, escape: UInt8? = nil) -> String {
    var text: [UInt8] = []
    position += 1
    while position < bytes.count {
      let byte = bytes[position]
      position += 1
      if byte == escape, position < bytes.count {
        text += [byte, bytes[position]]
        position += 1
        continue
      }
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
