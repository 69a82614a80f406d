import KindredModel

/// A record as a scope of names: its columns, its associations, and the names that the request defines for it.
///
/// It is independent of SQL: the planner resolves expressions in it, and completion lists its names.
package final class NameScope: Sendable {
  /// The model in which names are looked up.
  let model: Model
  /// The record's table as clients see it.
  package let resource: Resource
  /// The request's node for these records.
  package let node: RequestNode?
  /// The record that `../` leads to.
  package let parent: NameScope?
  /// The reason why `../` is not available, if it isn't.
  let parentRefusal: String
  /// The join table that leads here, whose columns are named `via.…`.
  package let via: Resource?

  /// Creates the scope of a record.
  package init(
    model: Model, resource: Resource, node: RequestNode? = nil, parent: NameScope? = nil,
    via: Resource? = nil, parentRefusal: String = "this record has no parent"
  ) {
    self.model = model
    self.resource = resource
    self.node = node
    self.parent = parent
    self.via = via
    self.parentRefusal = parentRefusal
  }

  /// Whether each row is a group of records.
  var isGrouped: Bool { node?.isGrouped ?? false }

  // MARK: Associations

  /// Returns the association with this key: a node of the request takes precedence over an association of the model,
  /// except in expressions of the model.
  func association(_ key: String, for author: ExpressionAuthor = .request) -> KeyedAssociation? {
    guard author == .request else {
      let resource = model.unrestricted.resources[resource.name] ?? resource
      if let records = resource.records, records.key == key {
        return KeyedAssociation(key: key, association: records, node: nil)
      }
      return resource.associations[key].map { KeyedAssociation(key: key, association: $0, node: nil) }
    }
    if let node = node?.children.first(where: { $0.key == key }), let association = node.association {
      return KeyedAssociation(key: key, association: association, node: node)
    }
    return resource.associations[key].map { KeyedAssociation(key: key, association: $0, node: nil) }
  }

  /// The keys of the request's nodes and of the model's associations.
  var associationKeys: [String] {
    var keys = node?.children.map(\.key) ?? []
    for key in resource.associations.keys where !keys.contains(key) { keys.append(key) }
    return keys
  }

  /// Returns the scope of an association's destination.
  ///
  /// - Parameter countsWays: Whether each way to a record counts, even if the node doesn't read the join table.
  func destination(
    of keyed: KeyedAssociation, for author: ExpressionAuthor = .request, countsWays: Bool = false
  ) throws -> NameScope {
    let association = keyed.association
    return NameScope(
      model: model, resource: try model.resource(named: association.destination, for: author),
      node: keyed.node, parent: self,
      via: try via(of: association, countsWays: countsWays || keyed.node?.readsVia ?? false))
  }

  /// Returns the join table before the destination; nil if it is only read in a subquery.
  private func via(of association: Association, countsWays: Bool) throws -> Resource? {
    guard association.steps.count > 1, let last = association.steps.last,
      countsWays || !model.findsByWays(association)
    else { return nil }
    return try model.table(named: last.origin).resource
  }

  // MARK: Permission

  /// - Throws: `RequestError` (`forbidden`) if the name is the key or a default name of an association that exists,
  ///   but not for the principal.
  func checkPermission(_ name: String, for author: ExpressionAuthor, at origin: Origin) throws {
    guard model.whole != nil, author == .request,
      let associations = model.unrestricted.resources[resource.name]?.associations
    else { return }
    for (key, association) in associations where resource.associations[key] == nil {
      guard name == key || model.isDefaultName(name, of: association) else { continue }
      throw RequestError.forbidden(name, of: association.destination, at: origin)
    }
  }
}

/// An association with the key by which the request names it.
struct KeyedAssociation {
  var key: String
  var association: Association
  /// The request's node with this key.
  var node: RequestNode?
}

extension KeyedAssociation {
  /// Creates the association of a node.
  init(of node: RequestNode) throws {
    guard let association = node.association else {
      throw RequestError(.unknownAssociation, "`\(node.key)` is not an association", at: node.origin)
    }
    self.init(key: node.key, association: association, node: node)
  }
}
