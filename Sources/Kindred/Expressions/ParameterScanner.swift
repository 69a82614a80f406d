import KindredAssociations
import KindredSQLSyntax
import KindredSQLite

/// Reads SQL as far as to tell its words, parameters and commas from what stands in strings, names and comments
/// (<https://www.sqlite.org/lang_expr.html#varparam>).
struct ParameterScanner {
  private let text: [Character]
  private var index = 0

  init(_ text: String) {
    self.text = Array(text)
  }

  /// The text with a value in the place of each parameter.
  mutating func parts(
    _ arguments: StatementArguments
  ) -> (parts: [SQLExpression.RawPart], failure: DatabaseError?) {
    var numbering = ParameterNumbering()
    // Texts, and the numbers of the parameters between them.
    var pieces: [(text: String, parameter: Int)] = []
    var plain = ""
    while let token = next() {
      guard let parameter = takeParameter(after: token) else {
        plain += token
        continue
      }
      guard let number = numbering.number(of: parameter) else {
        return ([], DatabaseError.misuse("no parameter has such a number", sql: String(text)))
      }
      pieces.append((plain, number))
      plain = ""
    }
    var failure: DatabaseError?
    let values = numbering.values(arguments, sql: String(text), &failure)
    var parts: [SQLExpression.RawPart] = pieces.flatMap { piece -> [SQLExpression.RawPart] in
      [.text(piece.text)] + (values[piece.parameter].map { [.expression(SQLExpression(.value($0)))] } ?? [])
    }
    if !plain.isEmpty { parts.append(.text(plain)) }
    return (parts, failure)
  }

  /// The text in pieces, as divided by the commas outside of parentheses.
  mutating func splitAtCommas(depth: inout Int) -> [String] {
    var pieces = [""]
    while let token = next() {
      if token == "(" { depth += 1 }
      if token == ")" { depth -= 1 }
      if token == ",", depth == 0 { pieces.append("") } else { pieces[pieces.count - 1] += token }
    }
    return pieces
  }

  /// The words, strings, quoted names, comments and white spaces; everything else one character each.
  mutating func tokens() -> [String] {
    var tokens: [String] = []
    while let token = next() { tokens.append(token) }
    return tokens
  }

  private mutating func next() -> String? {
    guard index < text.count else { return nil }
    let start = index
    let character = text[index]
    index += 1
    switch character {
    case "'", "\"", "`": skip(past: character)
    case "[": skip(past: "]")
    case "-" where index < text.count && text[index] == "-": skip(past: "\n")
    case "/" where index < text.count && text[index] == "*":
      index += 1
      while index < text.count, !(text[index] == "/" && text[index - 1] == "*" && index > start + 2) {
        index += 1
      }
      index = min(index + 1, text.count)
    case _ where character.isWhitespace: skip(while: \.isWhitespace)
    case _ where character.isOfSQLWord: skip(while: \.isOfSQLWord)
    default: break
    }
    return String(text[start..<index])
  }

  private mutating func skip(past end: Character) {
    while index < text.count, text[index] != end { index += 1 }
    index = min(index + 1, text.count)
  }

  private mutating func skip(while isIncluded: (Character) -> Bool) {
    while index < text.count, isIncluded(text[index]) { index += 1 }
  }

  /// The parameter that begins with a token that has been read: `?`, `?1`, `:name`, `@name` or `$name`.
  private mutating func takeParameter(after token: String) -> String? {
    switch token {
    case "?":
      return token + taken { $0.isASCII && $0.isNumber }
    case ":", "@", "$":
      let name = taken(while: \.isOfSQLWord)
      return name.isEmpty ? nil : token + name
    default:
      return nil
    }
  }

  private mutating func taken(while isIncluded: (Character) -> Bool) -> String {
    let start = index
    skip(while: isIncluded)
    return String(text[start..<index])
  }
}

/// The numbers that SQLite gives to the parameters of a statement.
private struct ParameterNumbering {
  private var names: [Int: String] = [:]
  private var numbers: [String: Int] = [:]
  private var last = 0

  /// The highest number that any SQLite is built for.
  private static let maximum = 250_000

  /// The number of a parameter; nil where it can't have one.
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

  /// The values by numbers, as `StatementArguments.bind(to:)` finds them.
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
      failure = DatabaseError.misuse("there are more values than parameters", sql: sql)
    }
    return values
  }
}

extension Character {
  /// Whether it belongs to keywords and names without quotes.
  fileprivate var isOfSQLWord: Bool { isLetter || isNumber || self == "_" }
}

extension String {
  /// Whether a token is nothing to SQLite.
  var isWhiteSpaceOrComment: Bool {
    first?.isWhitespace ?? true || hasPrefix("--") || hasPrefix("/*")
  }

  /// The name that a token is, without its quotes.
  var unquotedIdentifier: String {
    let pairs: [Character: Character] = ["\"": "\"", "`": "`", "[": "]", "'": "'"]
    guard let first, count > 1, let end = pairs[first], last == end else { return self }
    return String(dropFirst().dropLast()).replacing("\(end)\(end)", with: "\(end)")
  }
}
