/// Splits the text of a query at its parameters: `:name` outside of texts, quoted names and comments.
///
/// Neither the colons of `x::type`, `f(a := 1)` nor those of the bounds of an array, `a[1:n]`, begin one.
struct ParameterScanner {
  enum Piece: Equatable {
    case text(String)
    case parameter(String)
    /// A semicolon, where statements are split.
    case separator
  }

  private let bytes: [UInt8]
  private let isPostgreSQL: Bool
  private let splitsStatements: Bool
  private var index = 0
  /// The number of brackets that are open.
  private var brackets = 0

  init(_ sql: String, _ syntax: QuerySyntax, splitsStatements: Bool = false) {
    bytes = Array(sql.utf8)
    self.splitsStatements = splitsStatements
    isPostgreSQL = syntax == .postgreSQL
  }

  /// Returns the next piece; nil at the end.
  mutating func next() -> Piece? {
    guard index < bytes.count else { return nil }
    let start = index
    while index < bytes.count {
      if splitsStatements, bytes[index] == UInt8(ascii: ";") {
        guard index == start else { return .text(text(start..<index)) }
        index += 1
        return .separator
      }
      guard let name = parameterName else {
        skipToken()
        continue
      }
      guard index == start else { return .text(text(start..<index)) }
      index = name.upperBound
      return .parameter(text(name))
    }
    return .text(text(start..<index))
  }

  /// Returns the place, in bytes, and the text of the next token, which may be white space or a comment; nil at the end.
  mutating func nextToken() -> (start: Int, text: String)? {
    guard index < bytes.count else { return nil }
    let start = index
    skipToken()
    return (start, text(start..<index))
  }

  /// Returns the first words of the rest, in lower case and without the quotes of names.
  mutating func words(upTo most: Int) -> [String] {
    var words: [String] = []
    while words.count < most, let (_, token) = nextToken() {
      guard let first = token.utf8.first else { break }
      if first == UInt8(ascii: "\"") {
        words.append(String(token.dropFirst().dropLast()).lowercased())
      } else if first.isOfName {
        words.append(token.lowercased())
      } else if !first.isSpace, !token.hasPrefix("--"), !token.hasPrefix("/*") {
        // Words behind anything else don't tell what the statement is.
        words.append(token)
      }
    }
    return words
  }

  /// The range of the name of a parameter whose colon is here; nil if there is none.
  private var parameterName: Range<Int>? {
    guard bytes[index] == UInt8(ascii: ":"), !isBound else { return nil }
    let name = (index + 1)..<end(from: index + 1, while: \.isOfName)
    return name.isEmpty ? nil : name
  }

  /// Whether the colon here is between the bounds of a part of an array: within brackets, after an operand.
  private var isBound: Bool {
    guard brackets > 0, let last = bytes[..<index].lastIndex(where: { !$0.isSpace }) else { return false }
    switch bytes[last] {
    case UInt8(ascii: ")"), UInt8(ascii: "]"), UInt8(ascii: "'"), UInt8(ascii: "\""), 0x30...0x39: return true
    // A word apart may be a keyword, such as `BETWEEN`.
    default: return bytes[last].isOfName && last == index - 1
    }
  }

  /// Skips a text, a quoted name, a comment, a word, or else one character.
  private mutating func skipToken() {
    let byte = bytes[index]
    switch byte {
    case UInt8(ascii: "'"): skipQuoted(by: byte)
    case UInt8(ascii: "\""): skipQuoted(by: byte)
    case UInt8(ascii: "`") where !isPostgreSQL: skipQuoted(by: byte)
    case UInt8(ascii: "[") where !isPostgreSQL: skip(through: "]")
    case UInt8(ascii: "["), UInt8(ascii: "]"):
      brackets = max(0, brackets + (byte == UInt8(ascii: "[") ? 1 : -1))
      index += 1
    case UInt8(ascii: "-") where follows("--"): skip(through: "\n")
    case UInt8(ascii: "/") where follows("/*"): skipComment()
    case UInt8(ascii: "$") where isPostgreSQL: skipDollarQuoted()
    // `::`, and `:` before anything but a name.
    case UInt8(ascii: ":"): index = end(from: index) { $0 == UInt8(ascii: ":") }
    case _ where byte.isOfName: skipWord()
    default: index += 1
    }
  }

  private mutating func skipWord() {
    let start = index
    index = end(from: index, while: \.isOfName)
    // PostgreSQL's texts with escapes: E'it\'s'.
    if isPostgreSQL, index - start == 1, bytes[start] | 0x20 == UInt8(ascii: "e"), follows("'") {
      skipQuoted(by: UInt8(ascii: "'"), escape: UInt8(ascii: "\\"))
    }
  }

  /// Skips to the end of what begins with a quote; a doubled quote begins the next part.
  private mutating func skipQuoted(by quote: UInt8, escape: UInt8? = nil) {
    repeat {
      index += 1
      while index < bytes.count, bytes[index] != quote { index += bytes[index] == escape ? 2 : 1 }
      index = min(index + 1, bytes.count)
      // The next part of a text with escapes has these, too.
    } while escape != nil && index < bytes.count && bytes[index] == quote
  }

  /// Skips a comment; those of PostgreSQL nest.
  private mutating func skipComment() {
    var depth = 0
    repeat {
      if follows("/*"), depth == 0 || isPostgreSQL {
        depth += 1
        index += 2
      } else if follows("*/") {
        depth -= 1
        index += 2
      } else {
        index += 1
      }
    } while depth > 0 && index < bytes.count
  }

  /// Skips a text between `$$` or `$tag$`, or else the `$`.
  private mutating func skipDollarQuoted() {
    let tag = index..<end(from: index + 1) { $0.isOfName && $0 != UInt8(ascii: "$") }
    // A tag doesn't begin with a digit: `$1` is a parameter.
    guard tag.upperBound < bytes.count, bytes[tag.upperBound] == UInt8(ascii: "$"),
      !(0x30...0x39).contains(bytes[tag.lowerBound + 1])
    else {
      index = tag.upperBound
      return
    }
    let quote = text(tag.lowerBound..<(tag.upperBound + 1))
    index = tag.upperBound + 1
    skip(through: quote)
  }

  private mutating func skip(through end: String) {
    while index < bytes.count, !follows(end) { index += 1 }
    index = min(index + end.utf8.count, bytes.count)
  }

  private func follows(_ text: String) -> Bool { bytes[index...].starts(with: text.utf8) }

  private func end(from start: Int, while isIncluded: (UInt8) -> Bool) -> Int {
    bytes[start...].firstIndex { !isIncluded($0) } ?? bytes.count
  }

  private func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }
}

extension UInt8 {
  /// Whether the byte can be part of a name without quotes.
  fileprivate var isOfName: Bool { isOfParameterName || self == UInt8(ascii: "$") || self >= 0x80 }

  fileprivate var isSpace: Bool { [0x20, 0x09, 0x0A, 0x0C, 0x0D].contains(self) }
}
