import OrderedCollections

/// An association with the key by which the request names it.
struct KeyedAssociation {
  var key: String
  var association: Association
  /// The request's node with this key.
  var node: RequestNode?
}

/// Looks up names in the model and in the request.
struct NameLookup {
  let state: PlanningState

  private var model: Model { state.model }

  /// - Throws: `RequestError` if there is no such resource for the author.
  func resource(_ name: String, for author: ExpressionAuthor = .request) throws -> Resource {
    // The model's own expressions may read everything except invisible records.
    let resources = author == .request ? state.model.resources : state.model.unrestricted.resources
    guard let resource = resources[name] else {
      throw RequestError.unknown(
        name, .unknownResource, "there is no resource `\(name)`", among: model.resources.keys)
    }
    return resource
  }

  /// Returns the table of a step, and the table as clients see it.
  func table(_ name: String) throws -> (table: Table, resource: Resource) {
    guard let table = model.tables[name] else {
      throw RequestError(.unknownResource, "there is no table `\(name)`")
    }
    return (table, model.resource(of: table))
  }

  /// Returns the column with this name, unless it is hidden from the author.
  func column(_ name: String, of resource: Resource, for author: ExpressionAuthor) -> Column? {
    author == .request ? resource.column(named: name) : resource.table.column(named: name)
  }

  // MARK: Associations

  /// Returns the association with this key: a node of the request takes precedence over an association of the model,
  /// except in expressions of the model.
  func association(
    _ key: String, of scope: ResolutionScope, for author: ExpressionAuthor
  ) -> KeyedAssociation? {
    guard author == .request else {
      let resource = model.unrestricted.resources[scope.resource.name] ?? scope.resource
      return resource.associations[key].map { KeyedAssociation(key: key, association: $0, node: nil) }
    }
    if let node = scope.node?.children.first(where: { $0.key == key }), let association = node.association {
      return KeyedAssociation(key: key, association: association, node: node)
    }
    return scope.resource.associations[key].map { KeyedAssociation(key: key, association: $0, node: nil) }
  }

  /// Returns the keys of the request's nodes and of the model's associations.
  func associationKeys(of scope: ResolutionScope) -> [String] {
    var keys = scope.node?.children.map(\.key) ?? []
    for key in scope.resource.associations.keys where !keys.contains(key) { keys.append(key) }
    return keys
  }

  /// Returns the association of a node.
  func association(of node: RequestNode) throws -> KeyedAssociation {
    guard let association = node.association else {
      throw RequestError(.unknownAssociation, "`\(node.key)` is no association", at: node.origin)
    }
    return KeyedAssociation(key: node.key, association: association, node: node)
  }

  /// Returns an association with a scope for its destination.
  ///
  /// - Parameter countsWays: Whether each way to a record counts, even if the node doesn't read the join table.
  func destination(
    of keyed: KeyedAssociation, from scope: ResolutionScope, for author: ExpressionAuthor = .request,
    countsWays: Bool = false
  ) throws -> ResolvedAssociation {
    let association = keyed.association
    return ResolvedAssociation(
      key: keyed.key, association: association,
      names: ResolutionScope(
        resource: try resource(association.destination, for: author), node: keyed.node, parent: scope,
        via: try via(of: association, countsWays: countsWays || keyed.node?.readsVia ?? false)),
      isOfModel: author != .request)
  }

  /// Returns a to-one association with a scope that is shared by all expressions that name it.
  func toOne(
    _ keyed: KeyedAssociation, of scope: ResolutionScope, for author: ExpressionAuthor = .request
  ) throws -> ResolvedAssociation {
    let place = ResolvedAssociation.Place(key: keyed.key, isOfModel: author != .request)
    let memory = state.memory(of: scope)
    if let known = memory.associated[place] { return known }
    let resolved = try destination(of: keyed, from: scope, for: author, countsWays: true)
    memory.associated[place] = resolved
    return resolved
  }

  /// Returns the join table before the destination; nil if it is only read in a subquery.
  private func via(of association: Association, countsWays: Bool) throws -> Resource? {
    guard association.steps.count > 1, let last = association.steps.last,
      countsWays || model.leadsOnce(association) || model.takesFirst(last, of: association)
    else { return nil }
    return try table(last.origin).resource
  }

  // MARK: Permission

  /// - Throws: `RequestError` (`forbidden`) if the name is the key or a default name of an association that exists,
  ///   but not for the principal.
  func checkPermission(
    _ name: String, of resource: Resource, for author: ExpressionAuthor, at origin: Origin
  ) throws {
    guard model.whole != nil, author == .request,
      let associations = model.unrestricted.resources[resource.name]?.associations
    else { return }
    let defaultNames = DefaultNames(state: state)
    for (key, association) in associations where resource.associations[key] == nil {
      guard name == key || defaultNames.isName(name, of: association) else { continue }
      throw RequestError.forbidden(name, at: origin)
    }
  }
}
