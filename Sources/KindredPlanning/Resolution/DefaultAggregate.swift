import KindredModel

/// The meaning of a default name such as `maxBookYear`.
struct DefaultAggregate {
  var function: Expression.AggregateFunction
  /// The key of the association.
  var key: String
  /// The name of the column; nil if the function takes no argument.
  var column: String?
}

extension Resource {
  /// Returns the aggregates with a default name of a to-many association that leads to the resource.
  func defaultAggregates(of key: String) -> [(name: String, aggregate: DefaultAggregate)] {
    let singular = Inflector.singular(key)
    var named: [(name: String, aggregate: DefaultAggregate)] = []
    // `total` would have the same default names as `sum`.
    for function in Expression.AggregateFunction.allCases where function != .total {
      for column in function.takesArgument ? columns.map(\.name) : [nil] {
        guard let name = function.defaultName(of: singular, column: column ?? "") else { continue }
        named.append((name, DefaultAggregate(function: function, key: key, column: column)))
      }
    }
    return named
  }
}

extension Model {
  /// Returns whether a name is the default name of an aggregate of an association.
  func isDefaultName(_ name: String, of association: Association) -> Bool {
    guard association.cardinality == .toMany,
      let resource = unrestricted.resources[association.destination]
    else { return false }
    return resource.defaultAggregates(of: association.key).contains { $0.name == name }
  }
}

extension NameScope {
  /// The keys of associations with their singulars.
  var singularKeys: [(key: String, singular: String)] { associationKeys.map { ($0, Inflector.singular($0)) } }

  /// Returns the aggregate with this default name, the first one if there are several; nil if there is none.
  ///
  /// - Parameter keys: The keys of associations with their singulars.
  func defaultAggregate(
    named name: String, among keys: [(key: String, singular: String)], for author: ExpressionAuthor
  ) throws -> DefaultAggregate? {
    // A default name contains the singular, though maybe in upper case: most keys are ruled out by that.
    for (key, singular) in keys where name.contains(singular.dropFirst()) {
      guard let keyed = association(key, for: author), keyed.association.cardinality == .toMany else {
        continue
      }
      let resource = try model.resource(named: keyed.association.destination, for: author)
      if let found = resource.defaultAggregates(of: key).first(where: { $0.name == name }) {
        return found.aggregate
      }
    }
    return nil
  }

  /// Returns the default name of an item; nil if it has none.
  func defaultName(of expression: Expression) throws -> String? {
    guard case .path(let path) = expression.kind, path.parents == 0 else { return nil }
    var resource = resource
    var node = node
    var components = path.components[...]
    while let component = components.first, components.count > 1 {
      let scoped = node?.children.first { $0.key == component.name }
      guard let association = scoped?.association ?? resource.associations[component.name] else { return nil }
      components = components.dropFirst()
      if association.cardinality == .toMany {
        while components.first?.name == "filter" { components = components.dropFirst() }
        guard let last = components.first else { return nil }
        return Self.aggregateName(last, of: component.name)
      }
      resource = try model.resource(named: association.destination)
      node = scoped
    }
    guard let last = components.first, last.arguments == nil else { return nil }
    // Columns are named as in the schema; other names stay as they are.
    return resource.column(named: last.name)?.name ?? last.name
  }

  /// Returns the default name of the aggregate at the end of a path.
  private static func aggregateName(_ component: Expression.Path.Component, of key: String) -> String? {
    guard let function = Expression.AggregateFunction(named: component.name) else { return nil }
    let singular = Inflector.singular(key)
    guard let argument = component.arguments?.first else {
      return function.defaultName(of: singular, column: "")
    }
    guard case .path(let path) = argument.kind, path.parents == 0, path.components.count == 1,
      path.components[0].arguments == nil
    else { return nil }
    return function.defaultName(of: singular, column: path.components[0].name)
  }
}
