import KindredModel

/// Resolves aggregates of associations: `books.count`, `books.filter(kind='novel').max(year)`, `maxBookYear`.
struct AggregateResolver {
  let state: PlanningState

  private typealias Function = Expression.AggregateFunction

  /// Returns the aggregate in a path after the key of an association.
  func resolve(
    _ keyed: KeyedAssociation, _ components: ArraySlice<Expression.Path.Component>, in context: NameContext,
    at origin: Origin
  ) throws -> ResolvedAggregate {
    var filters: [Expression] = []
    var rest = components
    while let component = rest.first, component.name == "filter", let arguments = component.arguments {
      filters += arguments
      rest = rest.dropFirst()
    }
    guard let last = rest.first else {
      throw RequestError(
        .invalidExpression, "`\(keyed.key).filter(…)` must be followed by an aggregate such as `count`",
        at: origin)
    }
    state.diagnostics?.note(.aggregate, at: last.origin)
    guard rest.count == 1, let function = Function(named: last.name) else {
      throw try noAggregate(last, of: keyed, rest, for: context.author, at: origin)
    }
    let arguments = last.arguments ?? []
    guard function.argumentCount.contains(arguments.count) else {
      let call = "\(keyed.key).\(last.name)"
      let fix =
        switch function.argumentCount.upperBound {
        case 0: "takes no arguments; write `\(call)`"
        case 1: "takes one argument; write `\(call)(column)`"
        default: "takes a value and a separator; write `\(call)(column, ', ')`"
        }
      throw RequestError(.invalidExpression, "`\(last.name)` \(fix)", at: last.origin)
    }
    return try resolve(
      function, of: keyed, filters: filters, arguments: arguments, in: context, at: origin)
  }

  /// Returns the aggregate that a default name stands for; nil if there is none.
  func resolve(
    defaultName name: String, in context: NameContext, at origin: Origin
  ) throws -> ResolvedAggregate? {
    guard
      let aggregate = try state.memory(of: context.scope).aggregate(named: name, for: context.author),
      let keyed = context.scope.association(aggregate.key, for: context.author)
    else { return nil }
    // This comes before the argument with the same origin, which is noted as a column.
    state.diagnostics?.note(.aggregate, at: origin)
    let arguments = aggregate.column.map { column in
      let component = Expression.Path.Component(name: column, arguments: nil, origin: origin)
      return [Expression(.path(.init(parents: 0, components: [component])), at: origin)]
    }
    return try resolve(
      aggregate.function, of: keyed, filters: [], arguments: arguments ?? [], in: context, at: origin)
  }

  /// Returns an aggregate of the records that an association leads to.
  func resolve(
    _ function: Expression.AggregateFunction, of keyed: KeyedAssociation, filters: [Expression],
    arguments: [Expression], in context: NameContext, at origin: Origin
  ) throws -> ResolvedAggregate {
    // Its subquery, and what its node demands, cost more than its expressions.
    try state.budget.charge(8, at: origin)
    let countsWays = (filters + arguments).contains(where: \.readsVia)
    let association = try AssociationResolver(state: state).resolve(
      keyed, in: context, countsWays: countsWays)
    var aggregate = ResolvedAggregate(
      function: function, association: association, countsWays: countsWays, origin: origin)
    var inside = context.moved(to: association.names)
    inside.isInAggregate = true
    let resolver = ExpressionResolver(state: state)
    aggregate.filters = try filters.map { try resolver.resolve($0, in: inside) }
    aggregate.arguments = try arguments.map { try resolver.resolve($0, in: inside) }
    if function == .concat {
      aggregate.sort = try association.names.node?.sort?.map { try resolver.resolve($0, in: inside) }
    }
    return aggregate
  }

  // MARK: Errors

  private func noAggregate(
    _ last: Expression.Path.Component, of keyed: KeyedAssociation,
    _ rest: ArraySlice<Expression.Path.Component>, for author: ExpressionAuthor, at origin: Origin
  ) throws -> RequestError {
    if rest.count == 1, last.arguments == nil,
      try state.model.resource(named: keyed.association.destination, for: author).column(named: last.name)
        != nil
    {
      return RequestError(
        .invalidExpression,
        "`\(keyed.key)` is to-many, so `\(last.name)` has many values; write an aggregate such as `\(keyed.key).max(\(last.name))`",
        at: origin)
    }
    if let nested = nested(keyed, rest) {
      return RequestError(
        .invalidExpression,
        "`\(keyed.key)` is to-many and must be followed by an aggregate; write `\(nested)`",
        at: origin)
    }
    let names = Function.allCases.map(\.rawValue)
    var error = RequestError.unknown(
      last.name, .unknownFunction,
      "`\(keyed.key)` is a to-many association, and `\(last.name)` is not an aggregate", among: names,
      at: last.origin)
    error.message += "; the aggregates are \(names.joined(separator: ", "))"
    return error
  }

  /// Returns the suggestion of an aggregate of aggregates; nil unless an association follows.
  private func nested(
    _ keyed: KeyedAssociation, _ rest: ArraySlice<Expression.Path.Component>
  ) -> String? {
    guard rest.count > 1, let next = rest.first, let last = rest.last,
      let resource = state.model.resources[keyed.association.destination],
      resource.associations[next.name] != nil, let function = Function(named: last.name)
    else { return nil }
    let inner = Expression(
      .path(Expression.Path(parents: 0, components: Array(rest))), at: next.origin)
    guard let text = try? ExpressionRenderer(literals: state.literals).text(of: inner) else { return nil }
    let outer = function == .count ? "sum" : function == .isEmpty ? "min" : function.rawValue
    return "\(keyed.key.asExpressionName).\(outer)(\(text))"
  }
}
