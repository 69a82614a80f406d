import OrderedCollections

/// The names that an expression about a record can use, for completion and description.
///
/// The planner resolves names in the same way, but while it makes SQL.
package struct NameScope {
  private let model: Model
  /// The resource of the record.
  package let resource: Resource
  /// The node of the record in the request; nil if it has none.
  package let node: RequestNode?
  /// The association that leads to the record; nil for the root.
  private let association: Association?
  /// The scopes of the records above it, the nearest last.
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

  /// Creates the scope of the root's expressions.
  package init(model: Model, resource: Resource, root: RequestNode) {
    self.init(model: model, resource: resource, node: root, association: nil, above: [])
  }

  /// The scope of the record to which `../` leads.
  package var parent: NameScope? { above.last }

  /// Returns the scope of the child node with this key.
  package func node(_ key: String) -> NameScope? {
    guard node?.children.contains(where: { $0.key == key }) ?? false else { return nil }
    return associated(key)
  }

  /// Returns the scope of the records to which a key leads; nodes of the request hide associations of the model.
  package func associated(_ key: String) -> NameScope? {
    let child = node?.children.first { $0.key == key }
    guard let association = child?.association ?? resource.associations[key],
      let destination = model.resources[association.destination]
    else { return nil }
    return NameScope(
      model: model, resource: destination, node: child, association: association, above: above + [self])
  }

  /// The resource of the join table, whose columns are named `via.column`; nil if there is none.
  package var via: Resource? {
    guard let association, association.steps.count > 1, let last = association.steps.last else { return nil }
    return model.resources.values.first { $0.table.name == last.origin }
  }

  /// The associations that can be named, those of the request first.
  package var associations: [(key: String, association: Association)] {
    let children = (node?.children ?? []).compactMap { child in
      child.association.map { (key: child.key, association: $0) }
    }
    return children
      + resource.associations.values.filter { inferred in !children.contains { $0.key == inferred.key } }
      .map { (key: $0.key, association: $0) }
  }

  /// The names that the request defines for values of the record.
  package var names: [String] {
    var named = node?.annotations ?? []
    for case .expression(let field) in node?.fields ?? [] { named.append(field) }
    return named.compactMap(\.name)
  }

  /// Returns the default names of aggregates of an association: those without an argument, and those of each column.
  package func defaultNames(of key: String) -> (plain: [String], ofColumns: [String]) {
    guard let associated = associated(key), associated.association?.cardinality == .toMany else {
      return ([], [])
    }
    var names: (plain: [String], ofColumns: [String]) = ([], [])
    for function in Expression.AggregateFunction.allCases where function != .total {
      if function.takesArgument {
        names.ofColumns += associated.resource.columns.compactMap {
          function.defaultName(ofAssociation: key, column: $0.name)
        }
      } else {
        names.plain += [function.defaultName(ofAssociation: key, column: "")].compactMap { $0 }
      }
    }
    return names
  }

  // MARK: Paths

  /// What a path without its last component leads to.
  package enum Target {
    /// One record: a column, an association or another of its names may follow.
    case record(NameScope)
    /// A record of a join table: one of its columns may follow.
    case via(Resource)
    /// Several associated records: an aggregate may follow.
    case records(NameScope)
  }

  /// Returns the target of a path; nil if the path leads nowhere.
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
        // Only conditions on the records may follow.
        return path.components[(number + 1)...].allSatisfy { $0.name == "filter" }
          ? .records(associated) : nil
      }
      // For a record that a path leads to, `../` means the same as in the expression itself.
      scope = NameScope(
        model: model, resource: associated.resource, node: associated.node,
        association: associated.association, above: scope.above)
    }
    return .record(scope)
  }

  /// Returns the scope of the arguments of a call; in an aggregate, it is that of the associated records.
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
