import KindredModel
import KindredSQLSyntax
import KindredSQLite

/// Splits SQL into tokens just far enough to tell words, parameters and commas from the contents of strings, quoted
/// names and comments (<https://www.sqlite.org/lang_expr.html#varparam>).
///
/// It works on bytes, as SQLite does: Swift treats a carriage return with a line feed, or a quote with a combining
/// accent, as one character.
struct ParameterScanner {
  private let sql: String
  private let text: [UInt8]
  private var index = 0

  init(_ sql: String) {
    self.sql = sql
    text = Array(sql.utf8)
  }

  /// Returns the text with each parameter replaced by its value.
  mutating func parts(
    _ arguments: StatementArguments
  ) -> (parts: [SQLExpression.RawPart], failure: DatabaseError?) {
    var numbering = ParameterNumbering()
    // Each piece of text with the number of the parameter that follows it.
    var pieces: [(text: String, parameter: Int)] = []
    var plain = ""
    while let token = next() {
      guard let parameter = takeParameter(after: token) else {
        plain += token
        continue
      }
      guard let number = numbering.number(of: parameter) else {
        return ([], DatabaseError.misuse("the number of a parameter is out of range", sql: sql))
      }
      pieces.append((plain, number))
      plain = ""
    }
    var failure: DatabaseError?
    let values = numbering.values(arguments, sql: sql, &failure)
    var parts: [SQLExpression.RawPart] = pieces.flatMap { piece -> [SQLExpression.RawPart] in
      [.text(piece.text)] + (values[piece.parameter].map { [.expression(SQLExpression(.value($0)))] } ?? [])
    }
    if !plain.isEmpty { parts.append(.text(plain)) }
    return (parts, failure)
  }

  /// Returns the pieces of the text between commas outside parentheses.
  mutating func splitAtCommas(depth: inout Int) -> [String] {
    var pieces = [""]
    while let token = next() {
      if token == "(" { depth += 1 }
      if token == ")" { depth -= 1 }
      if token == ",", depth == 0 { pieces.append("") } else { pieces[pieces.count - 1] += token }
    }
    return pieces
  }

  /// Returns the words, strings, quoted names, comments and white space of the text; any other character by itself.
  mutating func tokens() -> [String] {
    var tokens: [String] = []
    while let token = next() { tokens.append(token) }
    return tokens
  }

  private mutating func next() -> String? {
    guard index < text.count else { return nil }
    let start = index
    let byte = text[index]
    index += 1
    let next = index < text.count ? text[index] : 0
    switch byte {
    case UInt8(ascii: "'"), UInt8(ascii: "\""), UInt8(ascii: "`"): skip(past: byte)
    case UInt8(ascii: "["): skip(past: UInt8(ascii: "]"))
    case UInt8(ascii: "-") where next == UInt8(ascii: "-"): skip(past: UInt8(ascii: "\n"))
    case UInt8(ascii: "/") where next == UInt8(ascii: "*"):
      index += 1
      while index < text.count, !text[start..<index].endsComment { index += 1 }
    case _ where byte.isSQLSpace: skip(while: \.isSQLSpace)
    case UInt8(ascii: "$"): break
    case _ where byte.isOfSQLWord: skip(while: \.isOfSQLWord)
    default: break
    }
    return String(decoding: text[start..<index], as: UTF8.self)
  }

  private mutating func skip(past end: UInt8) {
    while index < text.count, text[index] != end { index += 1 }
    index = min(index + 1, text.count)
  }

  private mutating func skip(while isIncluded: (UInt8) -> Bool) {
    while index < text.count, isIncluded(text[index]) { index += 1 }
  }

  /// Reads the rest of a parameter that begins with `token`: `?`, `?1`, `:name`, `@name` or `$name`.
  private mutating func takeParameter(after token: String) -> String? {
    switch token {
    case "?":
      return token + taken { (0x30...0x39).contains($0) }
    case ":", "@", "$":
      let name = taken(while: \.isOfSQLWord)
      return name.isEmpty ? nil : token + name
    default:
      return nil
    }
  }

  private mutating func taken(while isIncluded: (UInt8) -> Bool) -> String {
    let start = index
    skip(while: isIncluded)
    return String(decoding: text[start..<index], as: UTF8.self)
  }
}

/// Numbers the parameters of a statement as SQLite does.
private struct ParameterNumbering {
  private var names: [Int: String] = [:]
  private var numbers: [String: Int] = [:]
  private var last = 0

  /// The greatest parameter number that any build of SQLite accepts.
  private static let maximum = 250_000

  /// Returns the number of a parameter; nil if it is outside the valid range.
  mutating func number(of parameter: String) -> Int? {
    if parameter == "?" {
      last += 1
      return last
    }
    if let number = numbers[parameter] { return number }
    var number = last + 1
    if parameter.hasPrefix("?") {
      guard let explicit = Int(parameter.dropFirst()), (1...Self.maximum).contains(explicit) else {
        return nil
      }
      number = explicit
    }
    last = max(last, number)
    numbers[parameter] = number
    names[number] = String(parameter.dropFirst())
    return number
  }

  /// Returns the values by parameter numbers, assigned as by `StatementArguments.bind(to:)`.
  func values(
    _ arguments: StatementArguments, sql: String, _ failure: inout DatabaseError?
  ) -> [Int: SQLValue] {
    var values: [Int: SQLValue] = [:]
    var positional = arguments.positional.makeIterator()
    for number in 1..<(last + 1) {
      if let value = names[number].flatMap({ arguments.named[$0] }) ?? positional.next() {
        values[number] = value
      } else {
        failure = DatabaseError.misuse("a parameter has no value", sql: sql)
      }
    }
    if positional.next() != nil {
      failure = DatabaseError.misuse("there are more arguments than parameters", sql: sql)
    }
    return values
  }
}

extension UInt8 {
  /// Whether the byte can be part of a keyword or an unquoted name: letters, digits, `_`, `$` and all non-ASCII
  /// bytes.
  fileprivate var isOfSQLWord: Bool {
    switch self {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x5F, 0x24, 0x80...: true
    default: false
    }
  }

  /// Whether SQLite treats the byte as white space.
  fileprivate var isSQLSpace: Bool { [0x20, 0x09, 0x0A, 0x0C, 0x0D].contains(self) }
}

extension ArraySlice<UInt8> {
  /// Whether these bytes, which begin with `/*`, are a complete comment.
  fileprivate var endsComment: Bool { count >= 4 && suffix(2).elementsEqual("*/".utf8) }
}

extension String {
  /// Whether the token is white space or a comment, which SQLite ignores.
  var isWhiteSpaceOrComment: Bool {
    utf8.first?.isSQLSpace ?? true || isComment
  }

  private var isComment: Bool { utf8.starts(with: "--".utf8) || utf8.starts(with: "/*".utf8) }

  /// The text that ends the comment if the token is one that is not closed; else nil.
  var endOfComment: String? {
    guard isComment else { return nil }
    if utf8.starts(with: "--".utf8) { return utf8.last == UInt8(ascii: "\n") ? nil : "\n" }
    return Array(utf8)[...].endsComment ? nil : "*/"
  }

  /// The name that the token stands for, without its quotes.
  var unquotedIdentifier: String {
    let pairs: [Unicode.Scalar: Unicode.Scalar] = ["\"": "\"", "`": "`", "[": "]", "'": "'"]
    let scalars = unicodeScalars
    guard let first = scalars.first, scalars.count > 1, let end = pairs[first], scalars.last == end else {
      return self
    }
    return String(
      String.UnicodeScalarView(scalars.dropFirst().dropLast()).replacing([end, end], with: [end]))
  }
}
