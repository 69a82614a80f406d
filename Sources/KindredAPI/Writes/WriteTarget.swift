import KindredAssociations
import KindredHTTP
import KindredSQLSyntax
import OrderedCollections

/// What a path leads to, as far as it can be written.
///
/// | path | POST | PATCH | PUT | DELETE |
/// |---|---|---|---|---|
/// | `/authors` | adds records | changes those that match | | deletes those that match |
/// | `/authors/1` | | changes columns | replaces or adds the record | deletes it |
/// | `/authors/1/books` | adds records that refer to the author | changes those that match | | deletes those |
/// | `/authors/1/books/7` | | changes | replaces or adds | deletes |
/// | `/countries/FR/demographics`, to one | adds | changes | replaces or adds | deletes |
/// | `/books/1/tags`, by a join table | adds records and links them | changes those that match | | unlinks those |
/// | `/books/1/tags/5` | | changes | links | unlinks |
/// | `/books/1/author` | | changes | replaces, or adds and refers to it | |
/// | others | | changes a record, or those that match | | |
struct WriteTarget {
  let path: RequestPath
  let literals: Literals
  /// What the records are.
  let resource: Resource
  /// What leads to the records; nil at a resource itself.
  let association: Association?
  let linkage: Linkage?
  /// The record among them that the path names.
  let key: [RequestPath.KeyColumn]?

  /// - Throws: `RequestError` where the path leads nowhere.
  init(_ segments: [Substring], in model: Model) throws {
    var parser = PathParser(model: model, literals: Literals())
    path = try parser.parse(segments)
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

  /// What can be done beside reading.
  func methods(in model: Model) -> [HTTPMethod] {
    Self.methods(
      of: resource, linkage: linkage, isAssociated: association != nil, isSingle: path.isSingle,
      hasKey: key != nil, in: model)
  }

  /// - Throws: `RequestError` (`forbidden`) where the principal may do this with no record at all.
  func checkPermission(for method: HTTPMethod, in model: Model) throws {
    for effect in Self.effects(of: method, on: resource, linkage, in: model)
    where !effect.resource.allows(effect.method) {
      throw RequestError.forbidden(effect.resource.name)
    }
  }

  /// The resources whose records a method changes, and by which method one would change them at their own paths.
  ///
  /// Through a join table, PUT adds a link and DELETE takes links away; the records that are linked stay as they are.
  private static func effects(
    of method: HTTPMethod, on resource: Resource, _ linkage: Linkage?, in model: Model
  ) -> [(resource: Resource, method: HTTPMethod)] {
    guard case .join(let join) = linkage else { return [(resource, method)] }
    let links = model.resource(of: join.table)
    return switch method {
    case .post: [(resource, .post), (links, .post)]
    case .put: [(links, .post)]
    case .delete: [(links, .delete)]
    default: [(resource, method)]
    }
  }

  /// What can be done beside reading, at the end of a path.
  ///
  /// - Parameters:
  ///   - linkage: how the association that the path ends in is written.
  ///   - isAssociated: whether it ends in one.
  ///   - isSingle: whether it leads to one record at most.
  ///   - hasKey: whether the key of a record comes last.
  static func methods(
    of resource: Resource, linkage: Linkage?, isAssociated: Bool, isSingle: Bool, hasKey: Bool,
    in model: Model
  ) -> [HTTPMethod] {
    let methods: [HTTPMethod]
    switch linkage {
    case _ where !isSingle: methods = !isAssociated || linkage != nil ? [.post, .patch, .delete] : [.patch]
    case nil: methods = isAssociated ? [.patch] : [.patch, .put, .delete]
    case .has: methods = hasKey ? [.patch, .put, .delete] : [.post, .patch, .put, .delete]
    case .belongsTo: methods = [.patch, .put]
    case .join: methods = hasKey ? [.patch, .put, .delete] : [.patch]
    }
    return methods.filter { method in
      effects(of: method, on: resource, linkage, in: model).allSatisfy { resource, method in
        guard resource.allows(method) else { return false }
        let changes = resource.table.changes
        return switch method {
        case .post: changes.contains(.insert)
        case .patch: changes.contains(.update)
        case .put: changes.contains([.insert, .update])
        default: changes.contains(.delete)
        }
      }
    }
  }

  /// The value of `Allow`.
  func allow(in model: Model) -> String { Self.allow(methods(in: model)) }

  /// The value of `Allow` for records, where these methods are there beside reading.
  static func allow(_ methods: [HTTPMethod] = []) -> String {
    (["GET", "HEAD", "QUERY"] + methods.map(\.token) + ["OPTIONS"]).joined(separator: ", ")
  }

  /// The record that has the association.
  var origin: RequestPath {
    RequestPath(resource: path.resource, segments: path.segments.dropLast(key == nil ? 1 : 2))
  }

  /// The record that the path names, whether it is associated or not.
  var far: RequestPath {
    RequestPath(resource: resource.name, segments: key.map { [.record($0)] } ?? [])
  }

  /// The values that the path gives to the columns of a new record.
  ///
  /// - Throws: `Problem` (422) where the draft says others.
  func keyValues(for draft: RecordDraft) throws -> (columns: [String], values: [SQLValue]) {
    let columns = key ?? []
    let values = try columns.map { column in
      let forms = column.literals.map { literals.values[$0] }
      guard let given = draft.value(of: column.name) else {
        return resource.table.column(named: column.name)?.preferred(among: forms) ?? .null
      }
      guard forms.contains(where: { $0.isSameKey(as: given) }) else {
        throw Problem.refusedValue(
          "`\(column.name)` says otherwise than the path: leave it out", at: draft.pointer + column.name)
      }
      return given
    }
    return (columns.map(\.name), values)
  }
}

extension Column {
  /// Which of the values that a text of a URL may mean is stored.
  fileprivate func preferred(among forms: [SQLValue]) -> SQLValue? {
    guard declaredType.isEmpty else {
      // Where the column holds bytes, the last one is what base64 stands for.
      return forms.last
    }
    return forms.first {
      switch $0 {
      case .integer, .real: true
      case .null, .text, .blob: false
      }
    } ?? forms.first
  }
}

extension Resource {
  /// Whether the principal may do this with some records.
  func allows(_ method: HTTPMethod) -> Bool {
    guard let permissions else { return true }
    return switch method {
    case .post: permissions.create != nil
    case .patch: permissions.update != nil
    case .put: permissions.create != nil || permissions.update != nil
    case .delete: permissions.delete != nil
    default: true
    }
  }
}
