import KindredModel
import KindredPlanning

extension ModelFile {
  /// Gives the resources of a finished model the access rules for all, closes the others, and names what may show hidden
  /// columns.
  ///
  /// - Parameter tables: Determines what views and queries read.
  func settleAccess(
    of model: inout Model, for dialect: Dialect, _ tables: @escaping TableDependencies.Reader
  ) throws {
    var read = TableDependencies(in: model, tables)
    if hasAccess {
      model.hasAccess = true
      let refined = model
      try model.close(hasDefault: access != nil, &read) { resource throws(ClosingReason.Misfit) in
        try defaultAccess(to: resource, in: refined, dialect)
      }
      model.nameLinksThroughRemoved()
    }
    try model.nameReadersOfHidden(&read)
  }

  /// Returns the access rules for all resources as those of one.
  private func defaultAccess(
    to resource: Resource, in model: Model, _ dialect: Dialect
  ) throws(ClosingReason.Misfit) -> ResourceAccess {
    do {
      let definitions = access?.value ?? []
      let access = try resourceAccess(definitions, to: resource)
      for definition in definitions {
        try check(definition.rows, of: resource.name, in: model, dialect)
        try checkPresets(of: definition, in: resource.name, of: model, dialect)
      }
      return access
    } catch {
      guard let error = error as? ModelFileError else {
        throw ClosingReason.Misfit(reason: "\(error)", line: "\(resource.name): \(error)")
      }
      let line = self.error(
        error.line,
        "`access` doesn't fit \(resource.name), which is closed: \(error.message); add `access` to it")
      throw ClosingReason.Misfit(reason: error.message, line: "\(line)")
    }
  }

  /// Returns the access rules of a resource, with the columns in their spelling.
  func resourceAccess(_ definitions: [AccessDefinition], to resource: Resource) throws -> ResourceAccess {
    var access = ResourceAccess([:])
    for definition in definitions {
      let fields = try definition.fields.map { try $0.map { try column($0, of: resource) } }
      let entry = AccessEntry(
        roles: definition.roles.map { NameSet($0.map(\.value)) }, rows: definition.rows?.value,
        fields: fields.map { NameSet($0) }, presets: try presets(of: definition, in: resource))
      for verb in definition.verbs { access.entries[verb, default: []].append(entry) }
    }
    return access
  }

  /// Returns the name of a column of the table or of a computed one in its spelling.
  func column(_ name: Located<String>, of resource: Resource) throws -> String {
    guard let column = resource.column(withName: name.value) else {
      throw unknown(
        name, "`\(resource.table.name)` has no column `\(name.value)`",
        among: resource.table.columns.map(\.name) + resource.computed.keys)
    }
    return column.name
  }

  /// Plans a request under a row rule, so that what is wrong with it is found when the server starts.
  func check(_ rows: Located<Expression>?, of resource: String, in model: Model, _ dialect: Dialect) throws {
    guard let rows else { return }
    var literals = Literals()
    var root = RequestNode()
    root.giveParameters(of: model.resources[resource], &literals)
    let seen = model.seen(only: resource, where: rows.value)
    do {
      _ = try Planner(model: seen, dialect: dialect, limits: PlanningLimits()).plan(
        FetchRequest(path: RequestPath(resource: resource), root: root, literals: literals))
    } catch let error as RequestError {
      throw self.error(rows.line, in: "`rows`", error)
    }
  }
}

extension RequestNode {
  /// Gives the parameters of a resource values, as every request for it does.
  mutating func giveParameters(of resource: Resource?, _ literals: inout Literals) {
    for parameter in resource?.table.query?.parameters ?? [] {
      parameters[parameter.name] = literals.numberOfUnknown()
    }
  }
}
