import KindredModel
import KindredSQLSyntax

/// Resolves the functions of a search: `rank()`, `highlight(title, '<b>', '</b>')`, `snippet(body, '<b>', '</b>', 20)`.
struct SearchCallResolver {
  let state: PlanningState

  /// The largest length of a mark in bytes: PostgreSQL keeps it in 16 bits.
  private static let maximumMarkLength = 1000
  private static let words: ClosedRange<Int64> = 1...64

  /// Returns the meaning of a call; nil if the function is not one of a search.
  func meaning(
    of name: String, _ arguments: [Expression], in context: NameContext, at origin: Origin
  ) throws -> ResolvedExpression.Meaning? {
    guard let counts = ExpressionFunctions.ofSearches[name] else { return nil }
    func refusal(_ message: String) -> RequestError { RequestError(.invalidExpression, message, at: origin) }
    guard context.author == .request else {
      throw refusal("`\(name)` is of a search, which an expression of the model file has not")
    }
    guard context.scope.node.map({ !$0.searches.isEmpty }) ?? false else {
      throw refusal("`\(name)` is of a search; add `search=…` for \(context.scope.resource.name)")
    }
    guard !context.isInAggregate, !context.scope.isGrouped else {
      throw refusal("`\(name)` is of a record, so it stands neither in an aggregate nor beside groups")
    }
    guard counts.contains(arguments.count) else {
      let form =
        switch name {
        case "rank": "rank()"
        case "highlight": "highlight(column, '<b>', '</b>')"
        default: "snippet(column, '<b>', '</b>', 20)"
        }
      throw refusal("`\(name)` is written `\(form)`")
    }
    return .function(
      name: .search(try call(of: name, arguments, in: context)), arguments: [], isDistinct: false)
  }

  private func call(
    of name: String, _ arguments: [Expression], in context: NameContext
  ) throws -> SearchCall {
    guard name != "rank" else { return .rank }
    let column = try column(arguments[0], of: name, in: context)
    let (opening, closing) = (try mark(arguments[1]), try mark(arguments[2]))
    guard name == "snippet" else { return .highlight(column, opening: opening, closing: closing) }
    guard case .integer(let words)? = value(of: arguments[3]), Self.words.contains(words) else {
      throw RequestError(
        .invalidExpression,
        "the number of words must be from \(Self.words.lowerBound) to \(Self.words.upperBound)",
        at: arguments[3].origin)
    }
    return .snippet(column, opening: opening, closing: closing, words: Int(words))
  }

  private func column(
    _ expression: Expression, of name: String, in context: NameContext
  ) throws -> Column {
    let resolved = try ExpressionResolver(state: state).resolve(expression, in: context)
    if case .path(.column(let column)) = resolved.meaning { return column }
    throw RequestError(
      .invalidExpression, "`\(name)` is of a column of the record that is searched", at: expression.origin)
  }

  private func mark(_ expression: Expression) throws -> String {
    guard case .text(let text)? = value(of: expression) else {
      throw RequestError(
        .invalidExpression, "a mark must be a text in single quotes, such as '<b>'", at: expression.origin)
    }
    guard text.utf8.count <= Self.maximumMarkLength, !text.utf8.contains(0) else {
      throw RequestError(
        .invalidExpression, "a mark may have at most \(Self.maximumMarkLength) bytes, none of them zero",
        at: expression.origin)
    }
    return text
  }

  /// Returns the value of a literal, which the plan then depends on; nil for other expressions.
  private func value(of expression: Expression) -> SQLValue? {
    switch expression.kind {
    case .literal(let number):
      state.readsLiterals = true
      return state.literals[number]
    case .value(let value): return value
    default: return nil
    }
  }
}
