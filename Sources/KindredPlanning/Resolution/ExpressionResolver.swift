import KindredModel

/// Resolves the names in expressions.
struct ExpressionResolver {
  let state: PlanningState

  /// Returns an expression with resolved names.
  ///
  /// - Throws: `RequestError` if a name doesn't exist or the expression has no meaning.
  func resolve(_ expression: Expression, in context: NameContext) throws -> ResolvedExpression {
    try state.budget.enter(expression.origin)
    defer { state.budget.leave() }
    return ResolvedExpression(meaning: try meaning(of: expression, in: context), source: expression)
  }

  /// Returns an expression about a record with resolved names.
  ///
  /// - Parameters:
  ///   - isOfGroup: Whether aggregates of a group are allowed in it, and it has to have one value in each.
  ///   - prefersNames: Whether names that the request defines go before columns.
  func resolve(
    _ expression: Expression, of record: NameScope, by author: ExpressionAuthor, isOfGroup: Bool,
    prefersNames: Bool = false
  ) throws -> ResolvedExpression {
    var context = NameContext(scope: record, author: author, allowsGroupAggregates: isOfGroup)
    context.prefersNames = prefersNames
    let resolved = try resolve(expression, in: context)
    if isOfGroup { try noting(state.diagnostics) { try GroupCheck(state, of: record).check(resolved) } }
    return resolved
  }

  /// Returns a term of an order with resolved names.
  func resolve(_ term: SortTerm, in context: NameContext) throws -> ResolvedSortTerm {
    ResolvedSortTerm(expression: try resolve(term.expression, in: context), term: term)
  }

  private func resolve(
    _ expression: Expression, in context: NameContext, isComparedWith: Bool
  ) throws -> ResolvedExpression {
    var context = context
    context.isComparedWith = isComparedWith
    return try resolve(expression, in: context)
  }

  private func meaning(
    of expression: Expression, in context: NameContext
  ) throws -> ResolvedExpression.Meaning {
    try expression.kind.map(
      name: { path in
        let resolved = try noting(state.diagnostics) {
          try PathResolver(state: state).resolve(path, in: context, at: expression.origin)
        }
        return .path(resolved ?? .unknown)
      },
      call: { name, arguments, isDistinct in
        try noting(state.diagnostics) {
          try call(of: name, arguments, isDistinct: isDistinct, in: context, at: expression.origin)
        } ?? .path(.unknown)
      },
      part: { try resolve($0, in: context, isComparedWith: $1) })
  }

  // MARK: Functions

  private func call(
    of name: String, _ arguments: [Expression], isDistinct: Bool, in context: NameContext, at origin: Origin
  ) throws -> ResolvedExpression.Meaning {
    let key = name.lowercased()
    state.diagnostics?.note(.function, at: origin)
    if let aggregate = ExpressionFunctions.groupAggregate(key, argumentCount: arguments.count) {
      return try groupAggregate(
        aggregate, called: key, arguments, isDistinct: isDistinct, in: context, at: origin)
    }
    if let meaning = try SearchCallResolver(state: state).meaning(of: key, arguments, in: context, at: origin)
    {
      return meaning
    }
    guard let counts = ExpressionFunctions.scalars[key] else {
      let names = Set(
        ExpressionFunctions.scalarNames + ExpressionFunctions.aggregateNames
          + ExpressionFunctions.ofSearches.keys + ["cast"]
      ).sorted()
      var error = RequestError.unknown(
        name, .unknownFunction, "there is no function `\(name)`", among: names, at: origin)
      if let replacement = ExpressionFunctions.replacement(for: key, arguments) {
        error.message += ": \(replacement)"
      }
      error.message += "; the functions are \(names.joined(separator: ", "))"
      throw error
    }
    guard !isDistinct else {
      throw RequestError(
        .invalidExpression, "`distinct` is allowed only in an aggregate, such as `count(distinct x)`",
        at: origin)
    }
    guard counts.contains(arguments.count) else {
      let (low, high) = (counts.lowerBound, counts.upperBound)
      let number = low == high ? "\(low)" : high == 100 ? "\(low) or more" : "\(low) to \(high)"
      throw RequestError(
        .invalidExpression, "`\(key)` takes \(number) arguments, not \(arguments.count)", at: origin)
    }
    return .function(
      name: .scalar(key),
      arguments: try arguments.map { try resolve($0, in: context, isComparedWith: false) }, isDistinct: false)
  }

  private func groupAggregate(
    _ function: Expression.AggregateFunction, called name: String, _ arguments: [Expression],
    isDistinct: Bool, in context: NameContext, at origin: Origin
  ) throws -> ResolvedExpression.Meaning {
    guard context.allowsGroupAggregates else {
      throw RequestError(
        .invalidExpression,
        context.scope.isGrouped
          ? "`\(name)` of a group isn't available here; use `having`, or move it out of another aggregate"
          : "`\(name)` is an aggregate of a group\(otherField(in: context)); add `group=…`\(associationAggregate(name, arguments, in: context))",
        at: origin)
    }
    guard !arguments.isEmpty || (name == "count" && !isDistinct) else {
      throw RequestError(
        .invalidExpression,
        name == "concat"
          ? "`concat` takes a value and an optional separator" : "`\(name)` takes one argument",
        at: origin)
    }
    guard !isDistinct || arguments.count == 1 else {
      throw RequestError(.invalidExpression, "`\(name)(distinct x)` takes no separator", at: origin)
    }
    var inside = context
    (inside.allowsGroupAggregates, inside.isComparedWith, inside.isInAggregate) = (false, false, true)
    inside.prefersNames = false
    return .function(
      name: .aggregate(function), arguments: try arguments.map { try resolve($0, in: inside) },
      isDistinct: isDistinct)
  }

  /// Returns which field besides aggregates keeps the records from being one group.
  private func otherField(in context: NameContext) -> String {
    let fields = context.scope.node?.fields ?? []
    let others = fields.filter { !RequestNode.areGrouped([$0]) }
    guard others.count < fields.count, let other = others.first else { return "" }
    switch other {
    case .all: return ", but `*` isn't"
    case .expression(let field):
      let text = field.name ?? (try? ExpressionRenderer(literals: state.literals).text(of: field.expression))
      return text.map { ", but `\($0)` isn't" } ?? ""
    }
  }

  /// Returns the suggestion of an aggregate of an association, which may have been meant instead of one of a group.
  private func associationAggregate(
    _ name: String, _ arguments: [Expression], in context: NameContext
  ) -> String {
    let keys = context.scope.associationKeys.filter {
      context.scope.association($0, for: context.author)?.association.cardinality == .toMany
    }
    var key = keys.first
    if case .path(let path)? = arguments.first?.kind, let first = path.components.first,
      keys.contains(first.name)
    {
      key = first.name
    }
    guard let key else { return "" }
    let call = name == "count" ? "count" : "\(name == "avg" ? "average" : name)(…)"
    return ", or write an aggregate of an association, such as `\(key.asExpressionName).\(call)`"
  }
}
