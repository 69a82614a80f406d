import OrderedCollections

extension Model {
  /// Whether some resource says who may do what.
  public var hasAccess: Bool { unrestricted.resources.values.contains { $0.access != nil } }

  /// The names of the resources that everybody may read, where others have rules.
  public var openResources: [String] {
    hasAccess ? resources.values.filter { $0.access == nil }.map(\.name) : []
  }

  /// The model as the database has it, of which this one may be what some roles see.
  ///
  /// Its resources have the permissions of these roles.
  var unrestricted: Model { whole?.model ?? self }

  /// Keeps a model within another one.
  final class Whole: Sendable {
    let model: Model

    init(_ model: Model) {
      self.model = model
    }
  }

  /// Returns what these roles come to: for each resource with access and each verb, which entry applies.
  ///
  /// Roles for which it is the same see the same.
  public func grants(of roles: Set<String>) -> [Int?] {
    unrestricted.resources.values.compactMap(\.access).flatMap { access in
      ResourceAccess.Verb.allCases.map { access.number(of: $0, for: roles) }
    }
  }

  /// Returns what clients with these roles see: the resources that they may read, and of these the columns and the
  /// associations.
  public func seen(by roles: Set<String>) -> Model {
    guard hasAccess else { return self }
    var whole = self
    for (name, resource) in resources {
      // What says nothing is open to read, and closed to write once others say something.
      whole.resources[name]?.permissions =
        resource.access?.permissions(of: roles)
        ?? Permissions(read: AccessEntry(), create: nil, update: nil, delete: nil)
    }
    var seen = whole
    seen.whole = Whole(whole)
    seen.resources = [:]
    let visible = whole.resources.filter { $0.value.permissions?.read != nil }
    for var resource in visible.values {
      if let fields = resource.permissions?.read?.fields {
        resource.hidden.formUnion(resource.table.columns.map(\.name).filter { !fields.contains($0) })
      }
      resource.associations = resource.associations.filter { whole.isReadable($0.value) }
      seen.resources[resource.name] = resource
    }
    return seen
  }

  /// Whether a resource is there that this model doesn't show.
  public func isDenied(_ resource: String) -> Bool {
    resources[resource] == nil && unrestricted.resources[resource] != nil
  }

  /// Whether an association is there that this model doesn't show.
  public func isDenied(_ association: String, of resource: Resource) -> Bool {
    resource.associations[association] == nil
      && unrestricted.resources[resource.name]?.associations[association] != nil
  }

  /// Whether all that an association leads to and through may be read.
  private func isReadable(_ association: Association) -> Bool {
    resources[association.destination]?.permissions?.read != nil
      && association.steps.dropLast().allSatisfy { step in
        let all = resources.values.filter { $0.table.name == step.destination }
        return all.isEmpty || all.contains { $0.permissions?.read != nil }
      }
  }

  /// The columns of a resource that a draft of a record may name, also those that the principal doesn't see.
  public func writableColumns(of resource: Resource) -> [Column] {
    unrestricted.resources[resource.name]?.columns ?? resource.columns
  }

  /// The resource of a table that no association leads to: of a join table, or of what a foreign key refers to.
  ///
  /// Where it has several, all of those that may be read restrict it.
  public func resource(of table: Table) -> Resource {
    let visible = resources.values.filter { $0.table.name == table.name }
    guard var pivot = visible.first else {
      return unrestricted.resources.values.first { $0.table.name == table.name }
        ?? Resource(name: table.name, table: table)
    }
    guard visible.count > 1, pivot.permissions != nil else { return pivot }
    let rules = visible.compactMap { $0.permissions?.read?.rows }
    pivot.permissions?.read?.rows = rules.count > 1 ? Expression(.all(rules), at: Origin()) : rules.first
    pivot.hidden = visible.reduce(into: []) { $0.formUnion($1.hidden) }
    return pivot
  }

  /// The roles and claims that the rules of the model name.
  public var accessVocabulary: AccessVocabulary {
    var vocabulary = AccessVocabulary()
    for entry in unrestricted.resources.values.compactMap(\.access).flatMap({ $0.entries.values.joined() }) {
      vocabulary.roles.formUnion(entry.roles ?? [])
      entry.rows?.collectClaims(into: &vocabulary.claims)
    }
    return vocabulary
  }
}

extension Expression {
  /// The name before the dot of a claim.
  static let claimsName = "auth"

  /// The claim that a path names; nil where it is none.
  static func claim(_ path: Path) -> String? {
    guard path.parents == 0, path.components.count > 1, path.components[0].name == claimsName,
      path.components.allSatisfy({ $0.arguments == nil })
    else { return nil }
    return path.components.dropFirst().map(\.name).joined(separator: ".")
  }

  fileprivate func collectClaims(into claims: inout Set<String>) {
    if case .path(let path) = kind {
      if let claim = Self.claim(path) { claims.insert(claim) }
      for argument in path.components.flatMap({ $0.arguments ?? [] }) {
        argument.collectClaims(into: &claims)
      }
    }
    for part in parts { part.collectClaims(into: &claims) }
  }

  /// Whether its operation tells of its operands: by an error, or by the time that it takes.
  ///
  /// Comparisons and arithmetic have a value for all operands, and take as long for one as for another. Functions and
  /// patterns do not.
  var exposesOperands: Bool {
    switch kind {
    case .function(let name, _, _):
      !["coalesce", "ifnull", "nullif", "iif", "min", "max"].contains(name.lowercased())
    case .match, .program, .binary(.concatenate, _, _): true
    default: false
    }
  }
}
