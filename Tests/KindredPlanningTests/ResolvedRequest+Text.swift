import KindredSQLSyntax

@testable import KindredModel
@testable import KindredPlanning

extension ResolvedRequest {
  /// Returns the request as text: each node with its members, conditions and order, in which names stand for what they
  /// mean.
  ///
  ///     authors
  ///       name: name
  ///       n: books.count
  ///       books: to-many
  ///         title: title
  ///         where year > 1900
  ///
  /// - Parameter literals: The values of the request.
  func text(literals: [SQLValue]) -> String {
    let text = ResolvedText(renderer: ExpressionRenderer(literals: literals))
    let steps = (path + [records]).map { text.step($0) }
    return ([steps.joined(separator: "/")] + text.lines(of: root).map { "  \($0)" }).joined(separator: "\n")
  }
}

/// Writes what a request means.
private struct ResolvedText {
  let renderer: ExpressionRenderer

  func step(_ records: ResolvedRecords) -> String {
    let name = records.association?.key ?? records.names.resource.name
    return ([name] + (records.key ?? []).map(text)).joined(separator: "/")
  }

  func lines(of node: ResolvedNode) -> [String] {
    var lines: [String] = []
    switch node.content {
    case .value(let value): lines.append(text(value))
    case .members(let members): lines += members.map { "\($0.name): \(text($0.value))" }
    }
    for child in node.children {
      lines.append("\(child.node.key): \(description(of: child))")
      lines += self.lines(of: child).map { "  \($0)" }
    }
    if case .level(let next)? = node.repetition {
      lines.append("\(next.node.key), the levels below:")
      lines += self.lines(of: next).map { "  \($0)" }
    }
    let conditions = node.ways.isEmpty ? node.conditions : node.association?.conditions
    lines += conditions.map(self.lines) ?? []
    if let group = node.group {
      lines.append("group by \(group.expressions.map(text).joined(separator: ", "))")
      lines += group.havings.map { "having \(text($0))" }
    }
    if let sort = node.sort { lines.append("order by \(sort.map(text).joined(separator: ", "))") }
    return lines
  }

  private func description(of node: ResolvedNode) -> String {
    var words = [node.node.isOneRecord ? "to-one" : "to-many"]
    if node.ways.count > 1 {
      words.append("through \(node.ways.dropLast().map(\.key).joined(separator: ", "))")
    }
    if !node.node.isIncluded { words.append("joined") }
    if node.node.isRequired { words.append("required") }
    if node.node.isDistinct { words.append("distinct") }
    if let levels = node.node.recursion { words.append("\(levels) levels") }
    return words.joined(separator: ", ")
  }

  private func lines(of conditions: ResolvedConditions) -> [String] {
    conditions.equalities.map { "where \(text($0))" }
      + (conditions.filters + conditions.havings).map { "where \(text($0))" }
      + conditions.searches.map { "where \($0.fullText.table) matches" }
      + conditions.required.map { "where there is a record of \($0.key)" }
  }

  private func text(_ equality: ResolvedEquality) -> String {
    let literals = equality.column.literals.map { text(Expression(.literal($0), at: Origin())) }
    return "\(equality.column.name) = \(literals.joined(separator: " or "))"
  }

  private func text(_ value: ResolvedMember.Value) -> String {
    switch value {
    case .column(let column): column.name
    case .expression(let expression): text(expression.definition)
    }
  }

  private func text(_ expression: ResolvedExpression) -> String { text(expression.renamed) }

  private func text(_ term: ResolvedSortTerm) -> String {
    var renamed = term.term
    renamed.expression = term.expression.renamed
    return (try? renderer.text(of: renamed)) ?? "…"
  }

  /// Expressions of programs have no text.
  private func text(_ expression: Expression) -> String { (try? renderer.text(of: expression)) ?? "…" }
}

extension ResolvedExpression {
  /// The expression with one name for each meaning, whichever the request uses.
  fileprivate var renamed: Expression {
    var renamed = Expression(
      meaning.map(
        name: { .path($0.renamed) },
        call: { function, arguments, isDistinct in
          .function(name: function.name, arguments: arguments.map(\.renamed), isDistinct: isDistinct)
        }, part: { part, _ in part.renamed }), at: source.origin)
    renamed.digits = source.digits
    return renamed
  }
}

extension ResolvedFunction {
  fileprivate var name: String {
    switch self {
    case .scalar(let name): name
    case .aggregate(let function): function.nameOfGroup
    case .search(.rank): "rank"
    case .search(.highlight): "highlight"
    case .search(.snippet): "snippet"
    }
  }
}

extension ResolvedPath {
  fileprivate var renamed: Expression.Path { Expression.Path(parents: parents, components: components) }

  private var parents: Int { if case .above(let levels, _) = self { levels } else { 0 } }

  private var components: [Expression.Path.Component] {
    func name(_ name: String, _ arguments: [ResolvedExpression]? = nil) -> Expression.Path.Component {
      Expression.Path.Component(name: name, arguments: arguments?.map(\.renamed), origin: Origin())
    }
    switch self {
    case .column(let column): return [name(column.name)]
    case .computed(let computed): return [name(computed.name)]
    case .named(let named): return [name(named.name)]
    case .via(let path): return [name("via")] + path.components
    case .above(_, let path): return path.components
    case .joined(let association, let path): return [name(association.key)] + path.components
    case .aggregate(let aggregate):
      let filters = aggregate.filters.map { name("filter", [$0]) }
      let arguments = aggregate.arguments.isEmpty ? nil : aggregate.arguments
      return [name(aggregate.association.key)] + filters + [name(aggregate.function.rawValue, arguments)]
    case .claim(let claim): return [name("auth"), name(claim)]
    case .unknown: return [name("?")]
    }
  }
}
