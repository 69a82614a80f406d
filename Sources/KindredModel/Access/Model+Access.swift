extension Model {
  /// Whether it is limited to what some roles may read and write.
  public var isRestricted: Bool { whole != nil }

  /// The model of the whole database, where this one is limited to what some roles may see; else the model itself.
  ///
  /// Its resources carry the permissions of these roles.
  package var unrestricted: Model { whole?.model ?? self }

  /// A reference to a model, so that a model can contain another one.
  package final class Whole: Sendable {
    let model: Model

    init(_ model: Model) {
      self.model = model
    }
  }

  /// Returns which access entry applies to these roles, for each resource with access rules and each verb.
  ///
  /// Sets of roles with equal grants see the same model.
  public func grants(of roles: NameSet) -> [Int?] {
    unrestricted.resources.values.compactMap(\.access).flatMap { access in
      ResourceAccess.Verb.allCases.map { access.number(of: $0, for: roles) }
    } + unrestricted.actions.values.map { $0.isOpen(to: roles, isConfigured: hasAccess) ? 1 : nil }
  }

  /// Whether an action exists, but not for the roles of this model.
  public func isDenied(action name: String) -> Bool {
    actions[name] == nil && unrestricted.actions[name] != nil
  }

  /// Returns the part of the model that clients with these roles may read: resources, columns and associations.
  public func seen(by roles: NameSet) -> Model {
    guard hasAccess else { return self }
    var whole = self
    for (name, resource) in resources {
      whole.resources[name]?.permissions = resource.access?.permissions(of: roles) ?? .none
    }
    var seen = whole
    seen.whole = Whole(whole)
    seen.resources = [:]
    seen.actions = actions.filter { $0.value.isOpen(to: roles, isConfigured: true) }
    let visible = whole.resources.filter { $0.value.permissions.read != nil }
    let served = NameSet(resources.values.map(\.table.name))
    let readable = NameSet(visible.values.map(\.table.name))
    for var resource in visible.values {
      if let fields = resource.permissions.read?.fields {
        let all = resource.table.columns.map(\.name) + resource.computed.keys
        let others = resource.table.hiding(NameSet(all.filter { !fields.contains($0) }))
        resource.withheld = others
        resource.withheld.subtract(resource.hidden)
        resource.hidden.formUnion(others)
      }
      // Where the destination may be read, and every table on the way.
      resource.associations = resource.associations.filter { _, association in
        visible[association.destination] != nil
          && association.steps.dropLast().allSatisfy { step in
            !served.contains(step.destination) || readable.contains(step.destination)
          }
      }
      seen.resources[resource.name] = resource
    }
    return seen
  }

  /// Returns the model of clients that may read only those records of one resource for which a rule holds.
  package func seen(only name: String, where rule: Expression) -> Model {
    var whole = self
    whole.hasAccess = true
    var seen = whole
    seen.whole = Whole(whole)
    (seen.resources, seen.actions) = ([:], [:])
    guard var resource = resources[name] else { return seen }
    resource.permissions = ResourceAccess([.read: [AccessEntry(rows: rule)]]).permissions(of: [])
    resource.associations = [:]
    seen.resources[name] = resource
    return seen
  }

  /// The names of the resources whose rules may fail for some records.
  public var fallibleRules: [String] {
    resources.values.filter { resource in
      resource.permissions.rowRule.map { unrestricted.mayFail($0, of: resource) } ?? false
    }.map(\.name)
  }

  /// Returns the model with records that leave out some columns, unless `fields` names them.
  ///
  /// - Parameter columns: The names of the columns, by the names of their tables.
  public func leavingOut(_ columns: [ExactName: NameSet]) -> Model {
    var model = self
    for (name, resource) in resources {
      guard let withheld = columns[ExactName(resource.table.name)] else { continue }
      let fields = resource.defaultColumns.map(\.name).filter { !withheld.contains($0) }
      // Records without any readable column are refused.
      if !fields.isEmpty { model.resources[name]?.fields = fields }
    }
    return model
  }

  /// Whether a resource exists but is hidden from the roles of this model.
  public func isDenied(_ resource: String) -> Bool {
    resources[resource] == nil && unrestricted.resources[resource] != nil
  }

  /// Whether an association exists but is hidden from the roles of this model.
  public func isDenied(_ association: String, of resource: Resource) -> Bool {
    deniedDestination(of: association, resource) != nil
  }

  /// Returns the resource to which an association leads that exists but is hidden from the roles of this model; nil if it
  /// isn't hidden.
  public func deniedDestination(of association: String, _ resource: Resource) -> String? {
    guard resource.associations[association] == nil else { return nil }
    return unrestricted.resources[resource.name]?.associations[association]?.destination
  }

  /// Returns the resource to which the client may add records but whose records it may not read, as the client sees it:
  /// without columns and associations.
  public func addableResource(_ name: String) -> Resource? {
    guard isDenied(name), var resource = unrestricted.resources[name], resource.permissions.create != nil
    else { return nil }
    resource.hidden.formUnion(resource.table.columns.map(\.name) + resource.computed.keys)
    resource.associations = [:]
    return resource
  }

  /// Returns the association that the content of a write may name: one that the client may read, or one to records or from
  /// records that it may only add.
  public func writableAssociation(_ key: String, of resource: Resource) -> Association? {
    if let association = resource.associations[key] { return association }
    // Whether a record is in a filtered association is tested by reading it.
    guard let association = unrestricted.resources[resource.name]?.associations[key],
      association.steps.count == 1, !association.isFiltered,
      resources[association.destination] ?? addableResource(association.destination) != nil
    else { return nil }
    return association
  }

  /// Returns whether the client may read every association of a path.
  public func isReadable(_ path: [String], from resource: Resource) -> Bool {
    var next: Resource? = resource
    for key in path {
      guard let association = next?.associations[key] else { return false }
      next = resources[association.destination]
    }
    return next != nil
  }

  /// Returns the columns that the content of a write may name, including columns that the client may not read.
  public func writableColumns(of resource: Resource) -> [Column] {
    unrestricted.resources[resource.name]?.columns ?? resource.columns
  }

  /// Returns the columns that the content of a write may have: all that an access entry lets the client write, also
  /// columns that it may not read.
  ///
  /// - Parameter entry: The entry for creating or updating; nil for one that the client lacks.
  public func writableColumns(of resource: Resource, by entry: AccessEntry?) -> [Column] {
    guard let entry else { return [] }
    return writableColumns(of: resource).filter { column in
      !column.isGenerated && entry.fields?.contains(column.name) ?? true
    }
  }

  /// Returns the columns that the client may write and not read.
  public func writeOnlyColumns(of resource: Resource) -> [Column] {
    let (create, update) = (resource.permissions.create, resource.permissions.update)
    let written = NameSet([create, update].flatMap { writableColumns(of: resource, by: $0).map(\.name) })
    return writableColumns(of: resource).filter { column in
      written.contains(column.name) && !resource.columns.contains(named: column.name)
    }
  }

  /// Returns the resource of a table that is reached without naming a resource, such as a join table.
  ///
  /// Where several readable resources share the table, the rules and hidden columns of all of them apply. A table that
  /// the model file removes has the permissions of a resource without rules.
  public func resource(of table: Table) -> Resource {
    let visible = resources(ofTable: table.name)
    guard var pivot = visible.first else {
      if let denied = unrestricted.resources(ofTable: table.name).first { return denied }
      var removed = Resource(name: table.name, table: table)
      if isRestricted { removed.permissions = .readOnly }
      return removed
    }
    guard visible.count > 1, isRestricted else { return pivot }
    pivot.otherResources = visible.dropFirst().map(\.name)
    pivot.hidden = visible.reduce(into: []) { $0.formUnion($1.hidden) }
    return pivot
  }

  /// Returns the columns of new records that the server sets: for the roles of the model, or for some roles in a model
  /// that isn't limited to any.
  public func presetColumns(of resource: Resource) -> [String] {
    guard !isRestricted else { return resource.permissions.presetColumns }
    return (resource.access?.entries[.create] ?? []).flatMap(\.presets).map(\.column)
  }

  /// Returns the row rules that hold for records of a resource, each with the resource in whose names it is.
  public func rowRules(of resource: Resource) -> [(rule: Expression, resource: Resource)] {
    ([resource] + resource.otherResources.compactMap { resources[$0] }).compactMap { resource in
      resource.permissions.rowRule.map { ($0, resource) }
    }
  }

  private func resources(ofTable name: String) -> [Resource] {
    let name = ExactName(name)
    return resources.values.filter { ExactName($0.table.name) == name }
  }

  /// The roles and claims that the rules of the model name.
  public var accessVocabulary: AccessVocabulary {
    var vocabulary = AccessVocabulary()
    for entry in unrestricted.resources.values.compactMap(\.access).flatMap({ $0.entries.values.joined() }) {
      vocabulary.roles.formUnion(entry.roles ?? [])
      entry.rows?.collectClaims(into: &vocabulary.claims)
      for preset in entry.presets { preset.expression.collectClaims(into: &vocabulary.claims) }
    }
    for action in unrestricted.actions.values {
      for case let roles? in action.access ?? [] { vocabulary.roles.formUnion(roles) }
      for case let claim? in action.parameters.map(\.claim) { vocabulary.claims.insert(claim) }
    }
    return vocabulary
  }
}

extension Model {
  /// Returns whether a condition on a record of a resource may fail: whether it does more than compare stored columns.
  fileprivate func mayFail(_ condition: Expression, of resource: Resource) -> Bool {
    condition.contains { part in
      switch part.kind {
      case .function, .match, .program, .cast, .unary(.minus, _): true
      case .binary(let op, _, _): !op.isComparison
      case .path(let path): Expression.claim(path) == nil && mayFail(path.components[...], of: resource)
      default: false
      }
    }
  }

  /// Returns whether reading what a path leads to may fail, or isn't known not to.
  private func mayFail(_ path: ArraySlice<Expression.Path.Component>, of resource: Resource) -> Bool {
    guard let first = path.first, first.arguments == nil else { return true }
    guard path.count > 1 else { return resource.column(withName: first.name)?.isSimple != true }
    guard let association = resource.associations[first.name], !association.isFiltered,
      let destination = resources[association.destination]
    else { return true }
    return mayFail(path.dropFirst(), of: destination)
  }
}

extension Column {
  /// Whether reading it computes nothing.
  fileprivate var isSimple: Bool { isStored && !isComputed }
}

/// The roles and claims that affect an answer, because the access rules of a model mention them.
public struct AccessVocabulary: Sendable, Hashable {
  /// The names of the roles.
  public var roles: NameSet = []
  /// The paths of the claims.
  public var claims: Set<String> = []

  /// No roles and no claims.
  public init() {}
}
