import OrderedCollections

/// What the names of an expression about a record can be: the same that the planner looks them up in, before there is
/// any SQL.
package struct NameScope {
  private let model: Model
  /// What clients may see of the record's table.
  package let resource: Resource
  /// What the request says of the record.
  package let node: RequestNode?
  /// How the record was reached.
  private let association: Association?
  /// The records above it, the nearest last.
  private let above: [NameScope]

  private init(
    model: Model, resource: Resource, node: RequestNode?, association: Association?, above: [NameScope]
  ) {
    self.model = model
    self.resource = resource
    self.node = node
    self.association = association
    self.above = above
  }

  /// The scope of the root's expressions.
  package init(model: Model, resource: Resource, root: RequestNode) {
    self.init(model: model, resource: resource, node: root, association: nil, above: [])
  }

  /// The record that `../` leads to.
  package var parent: NameScope? { above.last }

  /// The scope of the expressions of the node below that has this key.
  package func node(_ key: String) -> NameScope? {
    guard node?.children.contains(where: { $0.key == key }) ?? false else { return nil }
    return associated(key)
  }

  /// The records that an association leads to: a node of the request comes before an association of the model.
  package func associated(_ key: String) -> NameScope? {
    let child = node?.children.first { $0.key == key }
    guard let association = child?.association ?? resource.associations[key],
      let destination = model.resources[association.destination]
    else { return nil }
    return NameScope(
      model: model, resource: destination, node: child, association: association, above: above + [self])
  }

  /// The last table before the record, whose columns are named `via.column`.
  package var via: Resource? {
    guard let association, association.steps.count > 1, let last = association.steps.last else { return nil }
    return model.resources.values.first { $0.table.name == last.origin }
  }

  /// The associations that can be named, the request's own keys first.
  package var associations: [(key: String, association: Association)] {
    let children = (node?.children ?? []).compactMap { child in
      child.association.map { (key: child.key, association: $0) }
    }
    return children
      + resource.associations.values.filter { inferred in !children.contains { $0.key == inferred.key } }
      .map { (key: $0.key, association: $0) }
  }

  /// The names that the request gives to values of the record.
  package var names: [String] {
    var named = node?.annotations ?? []
    for case .expression(let field) in node?.fields ?? [] { named.append(field) }
    return named.compactMap(\.name)
  }

  /// The default names of aggregates of an association: of its records, and of each of their columns.
  package func defaultNames(of key: String) -> (plain: [String], ofColumns: [String]) {
    guard let associated = associated(key), associated.association?.cardinality == .toMany else {
      return ([], [])
    }
    var names: (plain: [String], ofColumns: [String]) = ([], [])
    for function in Expression.AggregateFunction.allCases where function != .total {
      if function.takesArgument {
        names.ofColumns += associated.resource.columns.compactMap {
          Planning.name(of: function, key: key, column: $0.name)
        }
      } else {
        names.plain += [Planning.name(of: function, key: key, column: "")].compactMap { $0 }
      }
    }
    return names
  }

  // MARK: Paths

  /// What a path leads to, before its last name is known.
  package enum Target {
    /// A record: a column, an association or another name of it follows.
    case record(NameScope)
    /// The columns of a join table.
    case via(Resource)
    /// Associated records: an aggregate follows.
    case records(NameScope)
  }

  /// Where the components of a path lead, all of them; nil where they lead nowhere.
  package func target(of path: Expression.Path) -> Target? {
    var scope = self
    for _ in 0..<path.parents {
      guard let parent = scope.parent else { return nil }
      scope = parent
    }
    for (number, component) in path.components.enumerated() {
      let isLast = number == path.components.count - 1
      guard let associated = scope.associated(component.name) else {
        guard component.name == "via", isLast, let via = scope.via else { return nil }
        return .via(via)
      }
      guard associated.association?.cardinality == .toOne else {
        // What follows are conditions on them.
        return path.components[(number + 1)...].allSatisfy { $0.name == "filter" }
          ? .records(associated) : nil
      }
      // `../` of a record that a path leads to is that of the expression.
      scope = NameScope(
        model: model, resource: associated.resource, node: associated.node,
        association: associated.association, above: scope.above)
    }
    return .record(scope)
  }

  /// The scope of the arguments of a call: those of an aggregate are about the associated records.
  package func arguments(of call: Expression.Path) -> NameScope? {
    guard call.components.count > 1 else { return self }
    var path = call
    path.components.removeLast()
    guard case .records(let records) = target(of: path) else { return nil }
    return NameScope(
      model: model, resource: records.resource, node: records.node, association: records.association,
      above: above + [self])
  }
}
