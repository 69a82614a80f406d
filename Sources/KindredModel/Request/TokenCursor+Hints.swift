/// Words of other query languages, and what to write instead: the hint repeats the client's own names and values.
extension TokenCursor {
  /// Returns the error of a word that no operator is; nil for other tokens, and words without a counterpart.
  func foreignWord() -> RequestError? {
    guard case .name(let name, isQuoted: false) = token.kind, let hint = hint(for: name.lowercased()) else {
      return nil
    }
    return RequestError(
      .invalidExpression, "`\(name)` is not valid here; \(hint.message)", at: origin,
      suggestions: [hint.suggestion])
  }

  /// Returns the error of a direction after the `:` of a sort term; nil for other tokens.
  func direction() -> RequestError? {
    guard case .name(let name, isQuoted: false) = token.kind, let order = order(name.lowercased()) else {
      return nil
    }
    return RequestError(
      .invalidExpression, "`\(name)` is not an option of a sort term; \(order.message)", at: origin,
      suggestions: [order.suggestion])
  }

  /// Returns the names before and from the position on as one name in double quotes; nil for other tokens.
  func nameWithSpaces() -> String? {
    guard index > 0, isPlainName(index), isPlainName(index - 1) else { return nil }
    let first = (0..<index).reversed().prefix(while: isPlainName).last ?? index
    let last = (index..<tokens.count).prefix(while: isPlainName).last ?? index
    return text(first..<last + 1).inDoubleQuotes
  }

  /// Whether a token is a name without quotes, and no keyword.
  private func isPlainName(_ index: Int) -> Bool {
    guard case .name(let name, isQuoted: false) = tokens[index].kind else { return false }
    return !Keywords.isReserved(name) && order(name.lowercased()) == nil
  }

  private typealias Hint = (message: String, suggestion: String)

  /// The operators by their names elsewhere.
  private static let operators = [
    "eq": "=", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">=", "ilike": "like", "rlike": "like",
    "regexp": "glob",
  ]

  private func hint(for word: String) -> Hint? {
    if isSort, let order = order(word) { return order }
    let (left, right) = (operand(before: index), operand(after: index))
    func comparison(_ sign: String, of left: String?) -> Hint {
      let text = [left, sign, right].compactMap(\.self).joined(separator: " ")
      return ("write `\(text)`", text)
    }
    switch word {
    case "contains": return pattern(left, beginning: "%")
    case "startswith": return pattern(left, beginning: "")
    case "from" where isWord("distinct", before: 1):
      let isNegated = isWord("not", before: 2)
      let test = isNegated ? 3 : 2
      guard isWord("is", before: test) else { return nil }
      return comparison(isNegated ? "is" : "is not", of: operand(before: index - test))
    default: return Self.operators[word].map { comparison($0, of: left) }
    }
  }

  private func order(_ word: String) -> Hint? {
    let term = item.hasPrefix("-") ? String(item.dropFirst()) : item
    return switch word {
    case "desc": ("write `-\(term)` for descending", "-\(term)")
    case "asc": ("write `\(term)`, as ascending is the default", term)
    default: nil
    }
  }

  private func pattern(_ left: String?, beginning: String) -> Hint {
    var content = "text"
    if case .text(let value) = token(at: 1)?.kind { content = value.replacing("'", with: "''") }
    let text = "\(left.map { "\($0) " } ?? "")like '\(beginning)\(content)%'"
    return ("write `\(text)`", text)
  }

  // MARK: The client's own text

  private var isSort: Bool { start.parameter?.split(separator: ".").last.map { $0 == "sort" } ?? true }

  private func isWord(_ word: String, before count: Int) -> Bool {
    guard index >= count, case .name(let name, isQuoted: false) = tokens[index - count].kind else {
      return false
    }
    return name.equalsIgnoringCase(word)
  }

  /// The item of a list up to here, without the `:` before an option.
  private var item: String {
    var (first, level) = (index, 0)
    while first > 0, level >= 0 {
      switch tokens[first - 1].kind {
      case .sign(.comma) where level == 0: return text(first..<index)
      case .sign(.rightParenthesis): level += 1
      case .sign(.leftParenthesis): level -= 1
      default: break
      }
      first -= 1
    }
    return text(first..<index)
  }

  /// The name or value that ends before a token; nil if there is another end.
  private func operand(before end: Int) -> String? {
    guard end > 0, end <= tokens.count, tokens[end - 1].isValue else { return nil }
    var first = end - 1
    while first >= 2, case .sign(.dot) = tokens[first - 1].kind, tokens[first - 2].isValue { first -= 2 }
    while first >= 1, case .sign(.parent) = tokens[first - 1].kind { first -= 1 }
    return text(first..<end)
  }

  /// The name or value that begins after a token; nil if there is another one.
  private func operand(after token: Int) -> String? {
    var end = token + 1
    while end < tokens.count, case .sign(.parent) = tokens[end].kind { end += 1 }
    guard end < tokens.count, tokens[end].isValue else { return nil }
    end += 1
    while end + 1 < tokens.count, case .sign(.dot) = tokens[end].kind, tokens[end + 1].isValue { end += 2 }
    return text(token + 1..<end)
  }

  /// Returns the text of tokens as it was written.
  private func text(_ range: Range<Int>) -> String {
    var range = range
    if let last = range.last, case .sign(.colon) = tokens[last].kind { range = range.dropLast() }
    guard let first = range.first, let last = range.last else { return "" }
    let scalars = written.unicodeScalars.dropFirst(tokens[first].position)
    return String(scalars.prefix(tokens[last].end - tokens[first].position))
  }
}

extension Token {
  /// Whether it is a name or a literal.
  fileprivate var isValue: Bool {
    switch kind {
    case .name, .text, .blob, .integer, .real, .integerMagnitude: true
    case .sign, .end: false
    }
  }
}
