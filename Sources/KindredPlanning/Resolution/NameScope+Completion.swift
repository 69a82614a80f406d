import KindredModel

/// The names of a record, for completion and description.
extension NameScope {
  /// Returns the scope of the child node with this key.
  package func node(_ key: String) -> NameScope? {
    guard node?.children.contains(where: { $0.key == key }) ?? false else { return nil }
    return associated(key)
  }

  /// Returns the scope of the records to which a key leads; nodes of the request hide associations of the model.
  package func associated(_ key: String) -> NameScope? {
    association(key).flatMap { try? destination(of: $0, countsWays: true) }
  }

  /// The associations that can be named, those of the request first.
  package var associations: [(key: String, association: Association)] {
    associationKeys.compactMap { key in association(key).map { (key: key, association: $0.association) } }
  }

  /// The names that the request defines for values of the record.
  package var names: [String] { node?.namedExpressions.compactMap(\.name) ?? [] }

  /// Returns the default names of aggregates of an association: those without an argument, and those of each column.
  package func defaultNames(of key: String) -> (plain: [String], ofColumns: [String]) {
    guard let keyed = association(key), keyed.association.cardinality == .toMany,
      let aggregates = model.resources[keyed.association.destination]?.defaultAggregates(of: key)
    else { return ([], []) }
    return (
      aggregates.filter { $0.aggregate.column == nil }.map(\.name),
      aggregates.filter { $0.aggregate.column != nil }.map(\.name)
    )
  }

  // MARK: Paths

  /// The target of a path without its last component.
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
      let rest = path.components[(number + 1)...]
      guard let keyed = scope.association(component.name), let associated = scope.associated(component.name)
      else {
        guard component.name == "via", rest.isEmpty, let via = scope.via else { return nil }
        return .via(via)
      }
      guard keyed.association.cardinality == .toOne else {
        // Only conditions on the records may follow.
        return rest.allSatisfy { $0.name == "filter" } ? .records(associated) : nil
      }
      scope = associated
    }
    return .record(scope)
  }

  /// Returns the scope of the arguments of a call; in an aggregate, it is that of the associated records.
  package func arguments(of call: Expression.Path) -> NameScope? {
    guard call.components.count > 1 else { return self }
    var path = call
    path.components.removeLast()
    guard case .records(let records) = target(of: path) else { return nil }
    return records
  }
}
