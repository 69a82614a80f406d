import KindredModel

/// Resolves paths: to names of the record itself, of a record above, or of one that a to-one association leads to.
struct PathResolver {
  let state: PlanningState

  private typealias PathComponent = Expression.Path.Component

  /// - Throws: `RequestError`
  func resolve(
    _ path: Expression.Path, in context: NameContext, at origin: Origin
  ) throws -> ResolvedPath {
    var target = context.scope
    for _ in 0..<path.parents {
      guard let parent = context.parent(of: target) else {
        throw RequestError(
          .invalidExpression, "`../` is not available here: \(context.parentRefusal(of: target))", at: origin)
      }
      target = parent
    }
    guard path.parents > 0 else { return try resolve(path.components[...], in: context) }
    do {
      return .above(path.parents, try resolve(path.components[...], in: context.moved(to: target)))
    } catch let error as RequestError where error.code == .unknownColumn {
      throw pointingUp(error, path, from: target, in: context)
    }
  }

  private func resolve(
    _ components: ArraySlice<PathComponent>, in context: NameContext
  ) throws -> ResolvedPath {
    guard let first = components.first else {
      throw RequestError(.invalidExpression, "a name is missing")
    }
    let (scope, author) = (context.scope, context.author)
    let rest = components.dropFirst()
    guard let next = rest.first else { return try resolveName(first, in: context) }
    if author == .rule, let claim = Expression.claim(.init(parents: 0, components: Array(components))) {
      return .claim(claim)
    }
    if let keyed = scope.association(first.name, for: author) {
      state.diagnostics?.note(keyed.node == nil ? .association : .name, at: first.origin)
      guard first.arguments == nil else {
        throw RequestError(
          .invalidExpression, "`\(first.name)` is an association, which takes no arguments", at: first.origin)
      }
      if keyed.association.cardinality == .toMany {
        return .aggregate(
          try AggregateResolver(state: state).resolve(keyed, rest, in: context, at: first.origin))
      }
      let joined = try AssociationResolver(state: state).toOne(keyed, in: context)
      return .joined(joined, try resolve(rest, in: context.moved(to: joined.names)))
    }
    if first.name == "via", let via = state.memory(of: scope).via, rest.count == 1 {
      state.diagnostics?.note(.association, at: first.origin)
      let column = try column(next, of: via.resource, in: context) { via.resource.columns.map(\.name) }
      return .via(try path(to: column, of: via))
    }
    try scope.checkPermission(first.name, for: author, at: first.origin)
    throw state.model.unknownAssociation(
      first.name, "`\(first.name)` is not an association of \(scope.resource.name)", of: scope.resource,
      among: scope.associationKeys, at: first.origin, shown: \.asExpressionName)
  }

  private func resolveName(_ component: PathComponent, in context: NameContext) throws -> ResolvedPath {
    let (scope, author) = (context.scope, context.author)
    if component.arguments == nil {
      if context.prefersNames, let named = try resolveDefined(component, in: context) {
        state.diagnostics?.note(.name, at: component.origin)
        return .named(named)
      }
      if let column = scope.resource.column(named: component.name, for: author) {
        state.diagnostics?.note(.column, at: component.origin)
        return try path(to: column, of: scope)
      }
      if let named = try resolveNamed(component.name, in: context) {
        state.diagnostics?.note(.name, at: component.origin)
        return .named(named)
      }
      if let aggregate = try AggregateResolver(state: state).resolve(
        defaultName: component.name, in: context, at: component.origin)
      {
        return .aggregate(aggregate)
      }
    }
    if let keyed = scope.association(component.name, for: author) {
      throw RequestError(
        .invalidExpression,
        keyed.association.cardinality == .toMany
          ? "`\(component.name)` is a to-many association; write an aggregate such as `\(component.name).count`"
          : "`\(component.name)` is an association; write one of its columns, such as `\(component.name).\(try state.model.resource(named: keyed.association.destination, for: author).columns.first?.name ?? "…")`",
        at: component.origin)
    }
    try scope.checkPermission(component.name, for: author, at: component.origin)
    return try path(
      to: column(
        component, of: scope.resource, in: context,
        isDefinedByItself: context.isDefiningByOthers(component.name)
      ) {
        try candidates(in: scope).filter { !context.isDefining($0) }
      }, of: scope)
  }

  /// Returns a column of a record, or the meaning of the expression that defines it.
  private func path(to column: Column, of scope: NameScope) throws -> ResolvedPath {
    guard column.isComputed, let computed = scope.resource.computed[column.name] else {
      return .column(column)
    }
    let memory = state.memory(of: scope)
    // Those that a definition reads come first, so that a long chain of definitions doesn't nest.
    for computed in scope.resource.computed.ordered(to: computed)
    where memory.computed[computed.column.name] == nil {
      memory.computed[computed.column.name] = try resolve(computed, of: scope)
    }
    return .computed(try memory.computed[column.name] ?? resolve(computed, of: scope))
  }

  private func resolve(_ computed: ComputedColumn, of scope: NameScope) throws -> ResolvedComputedColumn {
    let memory = state.memory(of: scope)
    let expression = try state.resolving(computed.column.name, of: scope.resource) {
      try ExpressionResolver(state: state).resolve(
        computed.expression, in: NameContext(scope: scope, author: .model))
    }
    let read = scope.resource.computed.ordered(to: computed).dropLast()
    return ResolvedComputedColumn(
      name: computed.column.name, expression: expression,
      dependencies: read.compactMap { memory.computed[$0.column.name] })
  }

  /// - Parameters:
  ///   - isDefinedByItself: Whether the request gives this name to a value that other names define by the value itself.
  ///   - candidates: The names to suggest.
  private func column(
    _ component: PathComponent, of resource: Resource, in context: NameContext,
    isDefinedByItself: Bool = false,
    candidates: () throws -> [String]
  ) throws -> Column {
    guard component.arguments == nil else {
      throw RequestError.unknown(
        component.name, .unknownFunction, "`\(component.name)(…)` is not a function of \(resource.name)",
        among: try candidates(), at: component.origin)
    }
    guard let column = resource.column(named: component.name, for: context.author) else {
      let message =
        "`\(component.name)` is \(isDefinedByItself ? "defined by itself, and " : "")not a column of \(resource.name)"
      let names = try candidates()
      // `E-Mail` and `First Name` end at the sign and the space unless they are quoted.
      let longer = names.filter { $0.continues(component.name) }.map(\.asExpressionName)
      let error =
        longer.first.map {
          RequestError(
            .unknownColumn, "\(message); did you mean `\($0)`?", at: component.origin, suggestions: longer)
        }
        ?? RequestError.unknown(
          component.name, .unknownColumn, message, among: names, at: component.origin,
          shown: \.asExpressionName)
      guard component.isQuoted || context.isComparedWith else { throw error }
      let text = "'\(component.name.replacing("'", with: "''"))'"
      throw error.adding("a text is written in quotes: `\(text)`", suggestion: text)
    }
    state.diagnostics?.note(.column, at: component.origin)
    return column
  }

  // MARK: Names of the request

  /// Returns the annotation or field of the record's node with this name; nil also if that is only the column of the name.
  private func resolveDefined(_ component: PathComponent, in context: NameContext) throws -> ResolvedName? {
    if case .path(let path)? = state.memory(of: context.scope).expressions[component.name]?.kind,
      path.parents == 0, path.components.count == 1, path.components[0].arguments == nil,
      path.components[0].name.equalsIgnoringCase(component.name)
    {
      return nil
    }
    return try resolveNamed(component.name, in: context)
  }

  /// Returns the annotation or field of the record's node with this name.
  private func resolveNamed(_ name: String, in context: NameContext) throws -> ResolvedName? {
    guard context.author == .request, context.scope.node != nil else { return nil }
    let memory = state.memory(of: context.scope)
    guard let expression = memory.expressions[name] else { return nil }
    // Within its own definition a name has its other meaning: the item `bookCount` is the aggregate `bookCount`.
    guard let inside = context.defining(name) else {
      state.selfReferences += 1
      return nil
    }
    let isOfGroup = context.allowsGroupAggregates
    if let known = memory.resolved[name], known.isOfGroup == isOfGroup { return known }
    let before = state.selfReferences
    let resolved = ResolvedName(
      name: name,
      expression: try ExpressionResolver(state: state).resolve(expression, in: inside),
      isOfGroup: isOfGroup, isStable: state.selfReferences == before)
    if resolved.isStable { memory.resolved[name] = resolved }
    return resolved
  }

  // MARK: Errors

  /// Returns the error for a name that a record further above has.
  private func pointingUp(
    _ error: RequestError, _ path: Expression.Path, from scope: NameScope, in context: NameContext
  ) -> RequestError {
    guard path.components.count == 1 else { return error }
    let name = path.components[0].name
    var parents = 1
    var above = context.parent(of: scope)
    while let record = above {
      if record.resource.column(named: name, for: context.author) != nil {
        let steps = String(repeating: "../", count: parents)
        let whole = String(repeating: "../", count: path.parents) + steps + name.asExpressionName
        return error.adding(
          "`\(whole)` refers to the column of \(record.resource.name)",
          suggestion: steps + name.asExpressionName)
      }
      parents += 1
      above = context.parent(of: record)
    }
    return error
  }

  private func candidates(in scope: NameScope) throws -> [String] {
    // Finding the nearest among thousands of names takes time, and a request may have a hundred errors.
    try state.budget.check()
    let keys = scope.associationKeys
    var names = scope.resource.columns.map(\.name) + keys + (scope.node?.annotations ?? []).compactMap(\.name)
    // A table to which hundreds refer has tens of thousands of default names.
    for key in keys where names.count < NameSuggestion.maximumCount {
      let defaults = scope.defaultNames(of: key)
      names += defaults.plain + defaults.ofColumns
    }
    return names
  }
}

extension String {
  /// Whether it begins with a name that ends before a character that only names in quotes have.
  fileprivate func continues(_ name: String) -> Bool {
    guard !name.isEmpty, count > name.count, prefix(name.count).lowercased() == name.lowercased() else {
      return false
    }
    return dropFirst(name.count).first.map { !$0.isLetter && !$0.isNumber && $0 != "_" } ?? false
  }
}
