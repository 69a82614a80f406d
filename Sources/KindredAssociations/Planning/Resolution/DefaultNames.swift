import OrderedCollections

/// The meaning of a default name such as `maxBookYear`.
struct DefaultAggregate {
  var function: Expression.AggregateFunction
  /// The key of the association.
  var key: String
  /// The name of the column; nil if the function takes no argument.
  var column: String?
}

/// The names of aggregates that the request doesn't name.
struct DefaultNames {
  let state: PlanningState

  private var lookup: NameLookup { NameLookup(state: state) }
  private typealias Function = Expression.AggregateFunction

  /// Returns the default name of an item; nil if it has none.
  func name(of expression: Expression, in scope: ResolutionScope) throws -> String? {
    guard case .path(let path) = expression.kind, path.parents == 0 else { return nil }
    var resource = scope.resource
    var node = scope.node
    var components = path.components[...]
    while let component = components.first, components.count > 1 {
      let scoped = node?.children.first { $0.key == component.name }
      guard let association = scoped?.association ?? resource.associations[component.name] else { return nil }
      components = components.dropFirst()
      if association.cardinality == .toMany {
        while components.first?.name == "filter" { components = components.dropFirst() }
        guard let last = components.first else { return nil }
        return aggregateName(last, of: component.name)
      }
      resource = try lookup.resource(association.destination)
      node = scoped
    }
    guard let last = components.first, last.arguments == nil else { return nil }
    // Columns are named as in the schema; other names stay as they are.
    return resource.column(named: last.name)?.name ?? last.name
  }

  private func aggregateName(_ component: Expression.Path.Component, of key: String) -> String? {
    guard let function = Function(rawValue: component.name) else { return nil }
    guard let argument = component.arguments?.first else {
      return function.defaultName(ofAssociation: key, column: "")
    }
    guard case .path(let path) = argument.kind, path.parents == 0, path.components.count == 1,
      path.components[0].arguments == nil
    else { return nil }
    return function.defaultName(ofAssociation: key, column: path.components[0].name)
  }

  /// Returns the aggregate that a default name stands for.
  func aggregate(
    named name: String, of scope: ResolutionScope, for author: ExpressionAuthor
  ) throws -> DefaultAggregate? {
    // Expressions of the model can't use keys of the request.
    guard author == .request else { return try aggregates(of: scope, for: author)[name] }
    let memory = state.memory(of: scope)
    if let known = memory.defaultAggregates { return known[name] }
    let aggregates = try aggregates(of: scope, for: author)
    memory.defaultAggregates = aggregates
    return aggregates[name]
  }

  /// Returns the aggregates by default name, the first one of each name.
  private func aggregates(
    of scope: ResolutionScope, for author: ExpressionAuthor
  ) throws -> [String: DefaultAggregate] {
    var aggregates: [String: DefaultAggregate] = [:]
    for key in lookup.associationKeys(of: scope) {
      guard let keyed = lookup.association(key, of: scope, for: author),
        keyed.association.cardinality == .toMany
      else { continue }
      let resource = try lookup.resource(keyed.association.destination, for: author)
      for function in Function.allCases where function != .total {
        for column in function.takesArgument ? resource.columns.map(\.name) : [nil] {
          guard let name = function.defaultName(ofAssociation: key, column: column ?? ""),
            aggregates[name] == nil
          else { continue }
          aggregates[name] = DefaultAggregate(function: function, key: key, column: column)
        }
      }
    }
    return aggregates
  }

  /// Returns whether a name is the default name of an aggregate of an association.
  func isName(_ name: String, of association: Association) -> Bool {
    guard association.cardinality == .toMany,
      let resource = state.model.unrestricted.resources[association.destination]
    else { return false }
    return Function.allCases.contains { function in
      (function.takesArgument ? resource.columns.map(\.name) : [""]).contains {
        name == function.defaultName(ofAssociation: association.key, column: $0)
      }
    }
  }

  /// Returns all default names, for suggestions.
  func all(in scope: ResolutionScope) -> [String] {
    lookup.associationKeys(of: scope).flatMap { key -> [String] in
      guard let keyed = lookup.association(key, of: scope, for: .request),
        keyed.association.cardinality == .toMany,
        let resource = state.model.resources[keyed.association.destination]
      else { return [] }
      if let known = state.suggestedNames[[key, resource.name]] { return known }
      let names = Function.allCases.flatMap { function in
        (function.takesArgument ? resource.columns.map(\.name) : [""]).compactMap {
          function.defaultName(ofAssociation: key, column: $0)
        }
      }
      state.suggestedNames[[key, resource.name]] = names
      return names
    }
  }
}

extension Expression.AggregateFunction {
  /// Returns the default name of an aggregate, such as `bookCount` or `maxBookYear`.
  ///
  /// - Parameters:
  ///   - key: The key of the association.
  ///   - column: The aggregated column; empty if the function takes no argument.
  /// - Returns: Nil if the function has no default names.
  func defaultName(ofAssociation key: String, column: String) -> String? {
    defaultName(of: Inflector.singular(key), column: column)
  }
}
