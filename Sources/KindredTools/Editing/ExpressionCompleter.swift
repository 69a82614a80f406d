import KindredModel
import KindredPlanning
import KindredRequests

/// Completes the values of parameters that contain expressions or associations.
struct ExpressionCompleter {
  let parameter: RequestParameter
  let piece: RequestText.Piece
  let scope: NameScope
  let limits: RequestLimits

  /// - Parameter position: A position in the decoded value.
  func completions(at position: Int) -> [Completion] {
    let scalars = Array(piece.text.unicodeScalars)
    guard let typed = Self.typed(in: scalars, at: position) else { return [] }
    let expectations = Expectations()
    expect(String(String.UnicodeScalarView(scalars[..<typed.start])), expectations)
    let word = TypedWord(
      text: typed.text, range: piece.place(from: typed.start, to: typed.end),
      next: scalars.indices.contains(typed.end) ? scalars[typed.end] : nil)
    let before = String(String.UnicodeScalarView(scalars[..<typed.start]))
    if endsWithFilter(before), !typed.isQuoted { return word.completions(of: aggregates) { ".\($0.name)" } }
    let offered = candidates(for: expectations, typed: typed.text, after: before)
      .filter { !typed.isQuoted || $0.canBeQuoted }
    let names = word.completions(of: offered) {
      candidate in
      let isQuoted = typed.isQuoted || candidate.needsQuotes
      return URLCoding.readableValue(isQuoted ? candidate.name.inDoubleQuotes : candidate.name)
    }
    guard !typed.isQuoted else { return names }
    // Whether a keyword can follow without a space: it would merge with a name or a text before it.
    let isApart = typed.start == 0 || " (,:+-*/%|<>=".unicodeScalars.contains(scalars[typed.start - 1])
    let words = word.completions(of: tail(of: expectations)) {
      ($0.kind == .keyword && !isApart ? " " : "") + URLCoding.readableValue($0.name)
    }
    let others = words.filter { word in !names.contains { $0.text == word.text } }
    return Array((names + others).prefix(TypedWord.maximumItems))
  }

  // MARK: What is typed

  private struct Typed {
    var text: String
    var start: Int
    var end: Int
    var isQuoted = false
  }

  /// Returns the name around a position, or nil if there is something else, such as a text.
  private static func typed(in scalars: [Unicode.Scalar], at position: Int) -> Typed? {
    func string(_ range: Range<Int>) -> String { String(String.UnicodeScalarView(scalars[range])) }
    let (tokens, error) = Lexer.prefix(of: string(0..<position))
    if error != nil {
      // A quoted name without its closing quote.
      let start = tokens.last?.end ?? 0
      guard let quote = scalars[start..<position].firstIndex(where: { $0 != " " }), scalars[quote] == "\""
      else {
        return nil
      }
      let end = scalars[position...].firstIndex { $0 == "\"" || $0 == "," || $0 == ")" } ?? position
      let isClosed = end < scalars.count && scalars[end] == "\""
      return Typed(
        text: string(quote + 1..<position).replacing("\"\"", with: "\""), start: quote,
        end: isClosed ? end + 1 : position, isQuoted: true)
    }
    guard let last = tokens.dropLast().last, last.end == position else {
      return Typed(text: "", start: position, end: nameEnd(in: scalars, from: position))
    }
    switch last.kind {
    case .name(_, isQuoted: false):
      return Typed(
        text: string(last.position..<position), start: last.position,
        end: nameEnd(in: scalars, from: position))
    case .sign, .text, .name:
      return Typed(text: "", start: position, end: nameEnd(in: scalars, from: position))
    case .integer, .real, .integerMagnitude, .blob, .end:
      return nil
    }
  }

  private static func nameEnd(in scalars: [Unicode.Scalar], from position: Int) -> Int {
    scalars[position...].firstIndex { scalar in
      !(scalar.value >= 0x80 || scalar == "_" || scalar == "$" || ("0"..."9").contains(scalar)
        || ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar))
    } ?? scalars.count
  }

  // MARK: What the grammar accepts

  /// Parses the text before the word, to record what may follow it.
  private func expect(_ text: String, _ expectations: Expectations) {
    do {
      var parser = try ExpressionParser(
        text, at: Origin(parameter: parameter.name), maximumDepth: limits.expressionDepth,
        expectations: expectations)
      switch parameter.value {
      case .includes: _ = try parser.parseIncludes()
      case .namedExpressions: _ = try parser.parseNamedExpressions()
      case .fields: _ = try parser.parseFields()
      case .expression: _ = try parser.parseExpression()
      case .expressions: _ = try parser.parseExpressions()
      case .sort: _ = try parser.parseSort()
      case .boolean, .count, .pattern, .cursor, .words: break
      }
    } catch {
      // An error is expected, because the text is incomplete; what counts is what the parser expected at its end.
    }
  }

  /// Returns whether a text ends with the `filter(…)` of an association, to which an aggregate must be applied.
  private func endsWithFilter(_ text: String) -> Bool {
    let tokens = Lexer.prefix(of: text).tokens.filter { $0.kind != .end }
    guard tokens.last?.kind == .sign(.rightParenthesis), text.unicodeScalars.last == ")" else { return false }
    var depth = 0
    let start = tokens.indices.reversed().first { place in
      if tokens[place].kind == .sign(.rightParenthesis) { depth += 1 }
      if tokens[place].kind == .sign(.leftParenthesis) { depth -= 1 }
      return depth == 0
    }
    guard let start, start > 1 else { return false }
    return tokens[start - 1].kind == .name("filter", isQuoted: false) && tokens[start - 2].kind == .sign(.dot)
  }

  /// Returns the keywords and operators that may follow.
  private func tail(of expectations: Expectations) -> [Candidate] {
    let operators = Expression.BinaryOperator.allCases.filter { $0 != .member && $0 != .memberValue }
      .map(\.rawValue)
    var isOperand = false
    if case .operand = expectations.name { isOperand = true }
    let keywords = expectations.keywords.filter { $0 != "distinct" || isOperand }
    return keywords.map { Candidate(name: $0, kind: .keyword) }
      + (isOperand
        ? [] : operators.filter(expectations.signs.contains).map { Candidate(name: $0, kind: .operator) })
  }

  /// - Parameter text: The text before the word.
  private func candidates(for expectations: Expectations, typed: String, after text: String) -> [Candidate] {
    switch expectations.name {
    case nil: return []
    case .key(let keys, let isRenamed): return self.keys(below: keys, isRenamed: isRenamed)
    case .operand(let calls):
      guard let scope = scope(in: calls) else { return [] }
      var operands = operands(
        in: scope, typed: typed, takesAggregates: takesGroupAggregates(in: calls, after: text))
      // An item needs a name, which a constant doesn't have.
      if ["fields", "annotate"].contains(parameter.name), isBeginningOfItem(after: text) {
        operands.removeAll { $0.kind == .keyword }
      }
      // Annotating a plain column that is selected anyway would repeat its name.
      guard parameter.name == "annotate", self.scope.node?.fields == nil, isBeginningOfItem(after: text)
      else {
        return operands
      }
      return operands.filter { $0.kind != .column }
    case .member(let path, let calls):
      return scope(in: calls).map { members(of: path, in: $0, typed: typed) } ?? []
    }
  }

  /// Returns whether aggregates of a group are allowed within calls, by the rules of the planner.
  private func takesGroupAggregates(in calls: [Expression.Path], after text: String) -> Bool {
    let aggregates = ExpressionFunctions.aggregateNames
    let isInAggregate = calls.contains { call in
      call.components.count > 1 || call.components.contains { aggregates.contains($0.name.lowercased()) }
    }
    guard !isInAggregate, let node = scope.node else { return false }
    switch parameter.name {
    case "annotate", "having", "sort": return node.isGrouped
    case "values": return !node.group.isEmpty
    case "fields": return !node.group.isEmpty || areGroupAggregates(itemsOf: text)
    default: return false
    }
  }

  /// Returns whether all items of `fields` before the last comma are aggregates of a group, which all of them must be
  /// if there is no `group`.
  private func areGroupAggregates(itemsOf text: String) -> Bool {
    guard let comma = lastComma(in: text) else { return true }
    let items = String(String.UnicodeScalarView(text.unicodeScalars.prefix(comma)))
    guard
      var parser = try? ExpressionParser(
        items, at: Origin(parameter: parameter.name), maximumDepth: limits.expressionDepth),
      let fields = try? parser.parseFields()
    else { return false }
    return RequestNode.areGrouped(fields)
  }

  /// Returns whether a word after `text` is the first of an item.
  private func isBeginningOfItem(after text: String) -> Bool {
    let tokens = Lexer.prefix(of: text).tokens.filter { $0.kind != .end }
    return tokens.isEmpty
      || tokens.last?.kind == .sign(.comma) && lastComma(in: text) == tokens.last?.position
  }

  /// Returns the position of the last comma outside parentheses.
  private func lastComma(in text: String) -> Int? {
    var depth = 0
    var comma: Int?
    for token in Lexer.prefix(of: text).tokens {
      switch token.kind {
      case .sign(.leftParenthesis): depth += 1
      case .sign(.rightParenthesis): depth -= 1
      case .sign(.comma) where depth == 0: comma = token.position
      default: break
      }
    }
    return comma
  }

  // MARK: Names

  private func keys(below keys: [String], isRenamed: Bool) -> [Candidate] {
    var scope: NameScope? = scope
    for key in keys { scope = scope?.associated(key) }
    guard let scope else { return [] }
    if isRenamed { return scope.resource.associations.values.map { Candidate($0, as: $0.key) } }
    return scope.associations.map { Candidate($0.association, as: $0.key) }
  }

  private func scope(in calls: [Expression.Path]) -> NameScope? {
    calls.reduce(scope) { $0?.arguments(of: $1) }
  }

  private func members(of path: Expression.Path, in scope: NameScope, typed: String) -> [Candidate] {
    switch scope.target(of: path) {
    case nil: return []
    case .via(let resource): return columns(of: resource)
    case .records: return aggregates
    case .record(let record): return names(of: record, typed: typed)
    }
  }

  /// What may be applied to associated records.
  private var aggregates: [Candidate] {
    let functions = Expression.AggregateFunction.allCases.map {
      Candidate(name: $0.rawValue, kind: .aggregate, ending: $0.takesArgument ? "(" : "")
    }
    return functions + [Candidate(name: "filter", kind: .function, ending: "(")]
  }

  private func operands(in scope: NameScope, typed: String, takesAggregates: Bool) -> [Candidate] {
    var candidates = names(of: scope, typed: typed)
    if scope.via != nil { candidates.append(Candidate(name: "via", kind: .association, ending: ".")) }
    let names =
      ExpressionFunctions.scalarNames + (takesAggregates ? ExpressionFunctions.aggregateNames : [])
      + (scope.node.map { $0.searches.isEmpty } ?? true ? [] : Array(ExpressionFunctions.ofSearches.keys))
    candidates += Set(names).sorted().map { Candidate(name: $0, kind: .function, ending: "(") }
    candidates += Keywords.constants.map { Candidate(name: $0, kind: .keyword) }
    if scope.parent != nil { candidates.append(Candidate(name: "../", kind: .operator)) }
    return candidates
  }

  private func columns(of resource: Resource) -> [Candidate] {
    resource.columns.map { Candidate($0) }
  }

  /// Returns the names that apply to a record: plain ones before those of aggregates.
  private func names(of scope: NameScope, typed: String) -> [Candidate] {
    var candidates = columns(of: scope.resource)
    candidates += scope.names.map { Candidate(name: $0, kind: .name) }
    let associations = scope.associations
    candidates += associations.map { Candidate($0.association, as: $0.key, ending: ".") }
    var defaults: [(key: String, names: (plain: [String], ofColumns: [String]))] = []
    var count = 0
    // A table to which hundreds refer has tens of thousands of them.
    for (key, _) in associations where count < NameSuggestion.maximumCount {
      defaults.append((key, scope.defaultNames(of: key)))
      count += defaults.last?.names.ofColumns.count ?? 0
    }
    for (key, names) in defaults {
      candidates += names.plain.map { Candidate(name: $0, kind: .aggregate, detail: key) }
    }
    // There are many of these, so they are offered only once something has been typed.
    guard !typed.isEmpty else { return candidates }
    for (key, names) in defaults {
      candidates += names.ofColumns.map { Candidate(name: $0, kind: .aggregate, detail: key) }
    }
    return candidates
  }
}

extension Candidate {
  /// Whether it is a name, which may stand in quotes.
  fileprivate var canBeQuoted: Bool {
    switch kind {
    case .column, .name, .association, .key, .aggregate: ending != "("
    case .resource, .function, .keyword, .operator, .parameter, .node, .value: false
    }
  }

  /// Whether the name must be quoted to be parsed as a name.
  fileprivate var needsQuotes: Bool {
    switch kind {
    case .column, .name, .association, .key, .aggregate: name.asExpressionName != name
    case .resource, .function, .keyword, .operator, .parameter, .node, .value: false
    }
  }
}
