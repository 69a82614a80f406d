import KindredAssociations
import KindredSQLSyntax
import KindredSQLite

/// Reads SQL as far as to tell its parameters and commas from what stands in strings, names and comments
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
    var parts: [SQLExpression.RawPart] = []
    var positional = arguments.positional.makeIterator()
    var plain = ""
    var failure: DatabaseError?
    let sql = String(text)
    while let character = next() {
      guard character.count == 1, let first = character.first, "?:@$".contains(first) else {
        plain += character
        continue
      }
      let name = takeName()
      if first != "?", name.isEmpty {
        plain += character
        continue
      }
      guard let value = (first == "?" ? nil : arguments.named[name]) ?? positional.next() else {
        failure = DatabaseError.misuse("a parameter has no value", sql: sql)
        continue
      }
      parts += [.text(plain), .expression(SQLExpression(.value(value)))]
      plain = ""
    }
    if positional.next() != nil {
      failure = DatabaseError.misuse("there are more values than parameters", sql: sql)
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

  /// A character, or all of a string, a quoted name or a comment.
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
      while index < text.count, !(text[index] == "/" && text[index - 1] == "*") { index += 1 }
      index = min(index + 1, text.count)
    default: break
    }
    return String(text[start..<index])
  }

  private mutating func skip(past end: Character) {
    while index < text.count, text[index] != end { index += 1 }
    index = min(index + 1, text.count)
  }

  private mutating func takeName() -> String {
    let start = index
    while index < text.count, text[index].isLetter || text[index].isNumber || text[index] == "_" {
      index += 1
    }
    return String(text[start..<index])
  }
}
