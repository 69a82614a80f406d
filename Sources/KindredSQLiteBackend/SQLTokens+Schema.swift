import KindredModel

extension SQLTokens {
  /// Returns the expressions of the generated columns that a `CREATE TABLE` defines, by the names of the columns in lower
  /// case (<https://www.sqlite.org/gencol.html>).
  static func generations(in sql: String) -> [String: String] {
    var tokens = SQLTokens(sql)
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

  /// Returns the `CHECK` constraints that a `CREATE TABLE` defines, in order, with their names where they have any.
  static func checks(in sql: String) -> [(name: String?, expression: String)] {
    var tokens = SQLTokens(sql)
    var checks: [(name: String?, expression: String)] = []
    var before: [Token] = []
    while let token = tokens.next() {
      guard token == .symbol("("), before.last?.isKeyword("check") ?? false else {
        before = before.suffix(2) + [token]
        continue
      }
      let start = tokens.position
      var depth = 1
      while depth > 0, let inner = tokens.next() {
        if inner == .symbol("(") { depth += 1 }
        if inner == .symbol(")") { depth -= 1 }
      }
      let isNamed = before.count == 3 && before[0].isKeyword("constraint")
      let end = depth == 0 ? tokens.position - 1 : tokens.position
      checks.append(
        (isNamed ? before[1].name : nil, String(decoding: tokens.bytes[start..<end], as: UTF8.self)))
      before = []
    }
    return checks
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
