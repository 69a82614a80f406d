import KindredModel

/// Resolves associations: the records that they lead to, and what the request's nodes demand of these.
struct AssociationResolver {
  let state: PlanningState

  /// Returns an association of the record of `context`.
  ///
  /// - Parameter countsWays: Whether each way to a record counts, even if the node doesn't read the join table.
  func resolve(
    _ keyed: KeyedAssociation, in context: NameContext, countsWays: Bool = false
  ) throws -> ResolvedAssociation {
    let names = try context.scope.destination(of: keyed, for: context.author, countsWays: countsWays)
    try checkParameters(of: names, keyed.association)
    return ResolvedAssociation(
      key: keyed.key, association: keyed.association, names: names,
      conditions: try conditions(on: names, in: context.filtered), isOfModel: context.author != .request)
  }

  /// Returns the association of a node below a record.
  func resolve(
    _ node: RequestNode, of record: NameScope, countsWays: Bool = false
  ) throws -> ResolvedAssociation {
    try resolve(
      KeyedAssociation(of: node), in: NameContext(scope: record, author: .request), countsWays: countsWays)
  }

  /// Returns a to-one association with a scope that is shared by all expressions that name it.
  func toOne(_ keyed: KeyedAssociation, in context: NameContext) throws -> ResolvedAssociation {
    let memory = state.memory(of: context.scope)
    let place = ResolvedAssociation.Place(key: keyed.key, isOfModel: context.author != .request)
    if let known = memory.associated[place] { return known }
    let resolved = try resolve(keyed, in: context, countsWays: true)
    memory.associated[place] = resolved
    return resolved
  }

  /// Returns the to-one association of a node below a record.
  func toOne(_ node: RequestNode, of record: NameScope) throws -> ResolvedAssociation {
    try toOne(KeyedAssociation(of: node), in: NameContext(scope: record, author: .request))
  }

  /// Checks that a query that an association leads to has its parameters, also where no statement reads it.
  private func checkParameters(of names: NameScope, _ association: Association) throws {
    for parameter in names.resource.table.parameters
    where parameter.defaultValue == nil && association.parameters[parameter.name] == nil
      && names.node?.parameters[parameter.name] == nil
    {
      throw RequestError.missing(parameter, of: names)
    }
  }

  // MARK: Conditions

  /// Returns what the request's node demands of a record; nil without a node.
  ///
  /// - Throws: `RequestError` if a condition of the node is about the records that meet it.
  func conditions(
    on record: NameScope, in filtered: FilteredNodes = FilteredNodes()
  ) throws -> ResolvedConditions? {
    guard let node = record.node else { return nil }
    let context = NameContext(conditionOn: record, in: try filtered.adding(node))
    let resolver = ExpressionResolver(state: state)
    var conditions = ResolvedConditions()
    let spent = state.budget.expressions
    conditions.equalities = try node.equalities.map { try equality($0, in: context) }
    conditions.filters = try node.filters.map { try resolver.resolve($0, in: context) }
    // The conditions of groups don't apply to records.
    if !node.isGrouped {
      var context = context
      context.prefersNames = true
      conditions.havings = try node.havings.map { try resolver.resolve($0, in: context) }
    }
    conditions.searches = try node.searches.compactMap { search in
      try noting(state.diagnostics) { try self.search(search, of: record) }
    }
    for child in node.children where child.isRequired && child.association != nil {
      try state.budget.charge(4, at: child.origin)
      let keyed = try KeyedAssociation(of: child)
      conditions.required.append(
        try child.isOneRecord
          ? toOne(keyed, in: context) : resolve(keyed, in: context, countsWays: true))
    }
    conditions.cost = state.budget.expressions - spent
    return conditions
  }

  /// Returns the condition that a column, which may be computed, has one of its candidate values.
  func equality(
    _ column: RequestPath.KeyColumn, in context: NameContext
  ) throws -> ResolvedEquality {
    guard context.scope.resource.column(withName: column.name)?.isComputed ?? false else {
      return ResolvedEquality(column: column, computed: nil)
    }
    return ResolvedEquality(
      column: column,
      computed: try ExpressionResolver(state: state).resolve(Expression(names: [column.name]), in: context))
  }

  func search(_ search: RequestNode.Search, of record: NameScope) throws -> ResolvedSearch {
    guard let fullText = record.resource.table.fullText else {
      throw RequestError(
        .invalidValue,
        "\(record.resource.name) has no full-text index; use `filter` with `like`, or \(state.dialect.fullTextIndex(of: record.resource.table.name))",
        at: search.origin)
    }
    // What the record's resource hides isn't searched, nor what the index's own hides, if that is a table.
    let isTable = fullText.vector == nil
    let own = isTable ? state.model.resources.values.filter { $0.table.name == fullText.table } : []
    let resources = [record.resource] + own
    if let vector = fullText.vector, record.resource.hidden.contains(vector) {
      throw RequestError.hiddenIndex(of: record.resource, at: search.origin)
    }
    let visible = fullText.columns.filter { column in
      !resources.contains { $0.hidden.contains(where: column.equalsIgnoringCase) }
    }
    return ResolvedSearch(search: search, fullText: fullText, visible: visible)
  }
}

extension RequestError {
  /// Returns the error of a search that would find records by what the client may not see.
  static func hiddenIndex(of resource: Resource, at origin: Origin) -> RequestError {
    RequestError(
      .invalidValue,
      "\(resource.name) can't be searched, because its full-text index contains hidden data", at: origin)
  }
}
