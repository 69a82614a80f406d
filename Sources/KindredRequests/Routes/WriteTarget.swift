import KindredModel
import KindredPlanning
import KindredHTTP

/// The target of a write: the records at a path.
///
/// | path | POST | PATCH | PUT | DELETE |
/// |---|---|---|---|---|
/// | `/authors` | adds records | changes matching records | | deletes matching records |
/// | `/authors/1` | | changes columns | replaces or adds the record | deletes it |
/// | `/authors/1/books` | adds records that refer to the author | changes matching ones | | deletes matching ones |
/// | `/authors/1/books/7` | | changes | replaces or adds | deletes |
/// | `/countries/FR/demographics`, to one | adds | changes | replaces or adds | deletes |
/// | `/books/1/tags`, by a join table | adds and links records | changes matching ones | links exactly these | unlinks them |
/// | `/books/1/tags/5` | | changes | links | unlinks |
/// | `/books/1/author` | | changes | replaces, or adds and refers to it | |
/// | others | | changes a record, or matching ones | | |
/// | `/authors/1/name`, a column | | | sets the value | sets NULL |
///
/// An object, so that the steps of a write share it without copying the resource.
package final class WriteTarget: Sendable {
  package let path: RequestPath
  package let literals: Literals
  /// The resource of the records.
  package let resource: Resource
  /// The association that leads to the records; nil at a resource itself.
  package let association: Association?
  package let linkage: Linkage?
  /// The key of the record that the path names, if any.
  package let key: [RequestPath.KeyColumn]?
  /// The column of the record that the path continues to, if any: its value is written by a change of the record.
  package let column: Column?

  /// - Throws: `RequestError` if the path leads nowhere.
  package init(_ segments: [Substring], in model: Model) throws {
    if segments.count == 1, let name = try? URLCoding.decode(segments[0]),
      let resource = model.addableResource(name)
    {
      path = RequestPath(resource: resource.name, segments: [])
      (self.resource, literals, key, column) = (resource, Literals(), nil, nil)
      (association, linkage) = (nil, nil)
      return
    }
    var parser = PathParser(model: model, literals: Literals())
    path = try parser.parse(segments, allowsColumn: true)
    column = parser.column
    literals = parser.literals
    var rest = path.segments[...]
    if case .record(let key) = rest.last {
      self.key = key
      rest = rest.dropLast()
    } else {
      key = nil
    }
    if case .association(let association) = rest.last {
      self.association = association
      linkage = association.linkage(in: model)
    } else {
      association = nil
      linkage = nil
    }
    let name = association?.destination ?? path.resource
    guard let resource = model.resources[name] else {
      throw RequestError(.unknownResource, "there is no resource `\(name)`")
    }
    self.resource = resource
  }

  /// Returns the writing methods.
  package func methods(in model: Model) -> [HTTPMethod] {
    let methods = Self.methods(
      of: resource, linkage: linkage, isAssociated: association != nil, isSingle: path.isSingle,
      hasKey: key != nil, in: model)
    guard column != nil else { return methods }
    return methods.contains(.patch) ? [.put, .delete] : []
  }

  /// Returns the method that has the effect of one on what the path names.
  package func effect(of method: HTTPMethod) -> HTTPMethod {
    column != nil && (method == .put || method == .delete) ? .patch : method
  }

  /// - Throws: `RequestError` (`forbidden`) if the principal may do this with no record at all.
  package func checkPermission(for method: HTTPMethod, in model: Model) throws {
    // Other methods are refused for what they are, for every client.
    guard column == nil || method == .put || method == .delete, let method = WriteMethod(effect(of: method))
    else { return }
    guard case .join = linkage else {
      if !resource.allows(method) {
        throw RequestError.forbidden(resource.name, of: resource.name)
      }
      return
    }
    for effect in Self.effects(of: method, on: resource, linkage, in: model)
    where !effect.resource.allows(effect.method) {
      // The client may not know the join table.
      let isKnown = model.resources[effect.resource.name] != nil
      throw RequestError.forbidden(isKnown ? effect.resource.name : association?.key ?? resource.name)
    }
  }

  /// Returns the resources whose records a method changes, with the method that would change them at their own paths.
  ///
  /// Through a join table, PUT adds a link and DELETE removes links; the linked records don't change.
  private static func effects(
    of method: WriteMethod, on resource: Resource, _ linkage: Linkage?, in model: Model
  ) -> [(resource: Resource, method: WriteMethod)] {
    guard case .join(let join) = linkage else { return [(resource, method)] }
    let links = model.resource(of: join.table)
    return switch method {
    case .post: [(resource, .post), (links, .post)]
    case .patch: [(resource, .patch)]
    case .put: [(links, .post)]
    case .delete: [(links, .delete)]
    }
  }

  /// Returns the writing methods at a path.
  ///
  /// - Parameters:
  ///   - linkage: How the association at the end of the path is written.
  ///   - isAssociated: Whether the path has an association at its end.
  ///   - isSingle: Whether the path leads to at most one record.
  ///   - hasKey: Whether the path ends with the key of a record.
  package static func methods(
    of resource: Resource, linkage: Linkage?, isAssociated: Bool, isSingle: Bool, hasKey: Bool,
    in model: Model
  ) -> [HTTPMethod] {
    methods(linkage, isAssociated: isAssociated, isSingle: isSingle, hasKey: hasKey)
      .filter { isPossible($0, on: resource, linkage, in: model) }.map(\.method)
  }

  /// Returns the writing methods that paths of this form have if all changes are possible.
  private static func methods(
    _ linkage: Linkage?, isAssociated: Bool, isSingle: Bool, hasKey: Bool
  ) -> [WriteMethod] {
    switch linkage {
    case .join where !isSingle: [.post, .patch, .put, .delete]
    case _ where !isSingle: !isAssociated || linkage != nil ? [.post, .patch, .delete] : [.patch]
    case nil: isAssociated ? [.patch] : [.patch, .put, .delete]
    case .has: hasKey ? [.patch, .put, .delete] : [.post, .patch, .put, .delete]
    case .belongsTo: [.patch, .put]
    case .join: hasKey ? [.patch, .put, .delete] : [.patch]
    }
  }

  /// Returns whether the schema and the permissions allow the changes of a method.
  private static func isPossible(
    _ method: WriteMethod, on resource: Resource, _ linkage: Linkage?, in model: Model
  ) -> Bool {
    guard case .join = linkage else { return isPossible(method, on: resource) }
    return effects(of: method, on: resource, linkage, in: model)
      .allSatisfy { isPossible($0.method, on: $0.resource) }
  }

  private static func isPossible(_ method: WriteMethod, on resource: Resource) -> Bool {
    resource.allows(method) && resource.table.changes.isSuperset(of: method.changes(of: resource))
  }

  /// Returns what the server lacks for a method that the client may use otherwise.
  private static func obstacle(
    to method: WriteMethod, on resource: Resource, _ linkage: Linkage?, in model: Model
  ) -> WriteObstacle? {
    effects(of: method, on: resource, linkage, in: model).lazy
      .filter {
        $0.resource.allows($0.method)
          && $0.resource.table.possibleChanges.isSuperset(of: $0.method.changes(of: $0.resource))
      }
      .compactMap { $0.resource.table.obstacle(to: $0.method.changes(of: $0.resource)) }.first
  }

  /// Returns whether a method is among those of the path.
  private func allows(_ method: HTTPMethod, in model: Model) -> Bool {
    guard column == nil || method == .put || method == .delete, let method = WriteMethod(effect(of: method))
    else { return false }
    return Self.methods(
      linkage, isAssociated: association != nil, isSingle: path.isSingle, hasKey: key != nil
    ).contains(method) && Self.isPossible(method, on: resource, linkage, in: model)
  }

  /// - Throws: `Problem` (405) if the method isn't among those of the path.
  package func checkMethod(_ method: HTTPMethod, in model: Model) throws {
    guard !allows(method, in: model) else { return }
    var problem = Problem.methodNotAllowed(method, allow: allow(in: model))
    if column == nil, let method = WriteMethod(method),
      let obstacle = Self.obstacle(to: method, on: resource, linkage, in: model)
    {
      problem.detail = "\(method.method.token) is not possible here: \(obstacle.reason)"
    }
    if resource.table.kind == .view, resource.table.primaryKey.isEmpty,
      !resource.table.insteadOf.isSubset(of: .insert)
    {
      problem.detail +=
        "; its records can be changed and deleted only if the model file names a `key`"
    }
    throw problem
  }

  /// Returns the value of `Allow`.
  package func allow(in model: Model) -> String { Self.allow(methods(in: model)) }

  /// Returns the value of `Allow` for records with these writing methods.
  package static func allow(_ methods: [HTTPMethod] = []) -> String {
    (["GET", "HEAD", "QUERY"] + methods.map(\.token) + ["OPTIONS"]).joined(separator: ", ")
  }

  /// The path of the record that has the association.
  package var origin: RequestPath {
    RequestPath(resource: path.resource, segments: path.segments.dropLast(key == nil ? 1 : 2))
  }

  /// The path of the named record, whether it is associated or not.
  package var far: RequestPath {
    RequestPath(resource: resource.name, segments: key.map { [.record($0)] } ?? [])
  }
}

/// A method that writes.
package enum WriteMethod: CaseIterable {
  case post, patch, put, delete

  package init?(_ method: HTTPMethod) {
    guard let known = Self.allCases.first(where: { $0.method == method }) else { return nil }
    self = known
  }

  /// Returns the kinds of changes that it makes to the records of a resource.
  fileprivate func changes(of resource: Resource) -> Table.Changes {
    switch self {
    case .post: .insert
    case .patch: .update
    case .put: [.insert, .update]
    case .delete: resource.permissions.keepsDeleted ? .update : .delete
    }
  }

  package var method: HTTPMethod {
    switch self {
    case .post: .post
    case .patch: .patch
    case .put: .put
    case .delete: .delete
    }
  }
}

extension Resource {
  /// Returns whether the principal may do this with some records.
  package func allows(_ method: WriteMethod) -> Bool {
    switch method {
    case .post: permissions.create != nil
    case .patch: permissions.update != nil
    case .put: permissions.create != nil || permissions.update != nil
    case .delete: permissions.delete != nil
    }
  }
}
