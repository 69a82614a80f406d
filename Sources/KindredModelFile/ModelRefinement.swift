import KindredModel
import KindredPlanning
import OrderedCollections

extension ModelFile {
  /// Returns the model of a database: inferred from its schema and then refined by this file.
  ///
  /// - Parameter isFirst: Whether no earlier model of the database is in use. A table that comes later under the name of an
  ///   action isn't served; at the start, it is an error.
  /// - Throws: `ModelFileError` if the file doesn't fit the database; the database's error if it can't be read.
  public func model(of source: any SchemaSource, isFirst: Bool = true) throws -> Model {
    var model = try model(
      refining: Model(inferredFrom: try source.schema()), for: source.dialect, tables: source.tables,
      columns: source.columns, isFirst: isFirst)
    try settleAccess(of: &model, for: source.dialect, source.tables(readBy:_:))
    return model
  }

  /// Returns an inferred model refined by this file.
  ///
  /// - Parameters:
  ///   - tables: Returns the tables of common table expressions, with their columns.
  ///   - columns: Returns the columns of statements.
  ///   - isFirst: Whether no earlier model of the database is in use.
  func model(
    refining model: Model, for dialect: Dialect,
    tables: ([CommonTableDefinition]) throws -> [Table] = { _ in [] },
    columns: ([String]) throws -> [[Column]?] = { $0.map { _ in nil } },
    isFirst: Bool = true
  ) throws -> Model {
    var refinement = ModelRefinement(model, file: self, dialect)
    let errors = refinement.errors
    // Each step goes on with what is valid, so that the errors of all are found.
    try errors.attempt { try refinement.addCommonTableExpressions(tables) }
    try errors.attempt { try refinement.defineKeys() }
    try errors.attempt { try refinement.settleResources() }
    try errors.attempt { try refinement.take { try $0.takeTypes() } }
    try errors.attempt { try refinement.addComputedColumns() }
    try errors.attempt { try refinement.refineColumns() }
    try errors.attempt { try refinement.defineAssociations() }
    try errors.attempt { try refinement.settleComputedColumns() }
    try errors.attempt { try refinement.take { try $0.takeMembers() } }
    try errors.attempt { try checkParameters(in: refinement.model) }
    try errors.attempt { try refinement.compareColumns(tables) }
    try errors.attempt { try refinement.validate() }
    try errors.attempt { try refinement.addActions(columns, isFirst: isFirst) }
    try errors.check()
    return refinement.model
  }
}

/// The steps by which a model file refines an inferred model.
struct ModelRefinement {
  typealias Located = ModelFile.Located

  let file: ModelFile
  let errors: ModelFileErrors
  let dialect: Dialect
  var model: Model
  /// The inferred associations between the remaining resources, by resource.
  var inferred: NameDictionary<NameDictionary<Association>> = [:]
  /// The keys that the file gives to tables, by their names.
  var givenKeys: NameDictionary<[String]> = [:]

  init(_ model: Model, file: ModelFile, _ dialect: Dialect) {
    self.dialect = dialect
    self.model = model
    self.file = file
    errors = ModelFileErrors(file.errors)
  }

  /// The refinements of the resources that aren't removed.
  var refinements: [(name: Located<String>, refinement: ModelFile.ResourceRefinement)] {
    file.resources.compactMap { entry in entry.refinement.map { (entry.name, $0) } }
  }

  /// Returns the table of this name, ignoring the case of ASCII letters.
  func table(_ name: Located<String>) throws -> Table {
    if let table = model.tables[name.value] { return table }
    if let table = model.tables.values.first(where: { $0.name.equalsIgnoringCase(name.value) }) {
      return table
    }
    throw file.unknown(name, "there is no table `\(name.value)`", among: model.tables.keys)
  }

  /// Returns the name of a column of the table or of a computed one in its spelling.
  func column(_ name: Located<String>, of resource: Resource) throws -> String {
    try file.column(name, of: resource)
  }

  /// Returns the name of a column in the table's spelling.
  func column(_ name: Located<String>, of table: Table) throws -> String {
    guard let column = table.column(named: name.value) else {
      throw file.unknown(
        name, "`\(table.name)` has no column `\(name.value)`", among: table.columns.map(\.name))
    }
    return column.name
  }
}

// MARK: - Resources

extension ModelRefinement {
  /// Renames, adds and removes resources; associations follow their destinations.
  fileprivate mutating func settleResources() throws {
    let before = model.resources
    /// The names that the file gives to each table.
    var names: [String: [Located<String>]] = [:]
    for entry in file.resources {
      try errors.attempt {
        if let table = entry.refinement?.table {
          names[try self.table(table).name, default: []].append(entry.name)
        } else if let resource = before[entry.name.value] {
          if entry.refinement != nil { names[resource.table.name, default: []].append(entry.name) }
        } else {
          throw file.unknown(
            entry.name, "there is no resource `\(entry.name.value)` (a new one needs `table:`)",
            among: before.keys)
        }
      }
    }
    let mentioned = Dictionary(
      file.resources.map { ($0.name.value, $0) }, uniquingKeysWith: { first, _ in first })
    /// The new names of resources, as destinations of associations, by their old names.
    var successors: NameDictionary<String> = [:]
    var resources: NameDictionary<Resource> = [:]
    for resource in before.values {
      let given = names[resource.table.name] ?? []
      // A table that the file gives another name loses the inferred one, unless the file mentions that as well.
      let isKept = mentioned[resource.name] == nil && given.isEmpty
      if let entry = mentioned[resource.name], entry.refinement != nil, given.isEmpty {
        throw file.error(
          entry.name.line,
          "`\(resource.name)` is the only resource of the table `\(resource.table.name)`; "
            + "add a resource with another name and `table: \(resource.table.name)`, or remove `table:` here")
      }
      var all = isKept ? [resource.name] : given.map(\.value)
      if let position = all.firstIndex(of: resource.name) { all.insert(all.remove(at: position), at: 0) }
      successors[resource.name] = all.first
      for name in all {
        var copy = resource
        copy.name = name
        resources[name] = copy
      }
    }
    for (name, resource) in resources {
      let associations: NameDictionary<Association> = resource.associations.compactMapValues {
        guard let destination = successors[$0.destination] else { return nil }
        var association = $0
        association.destination = destination
        return association
      }
      resources[name]?.associations = associations
      inferred[name] = associations
    }
    model.resources = resources
  }

  /// Sets hidden columns, default fields, labels, default orders and access rules.
  fileprivate mutating func refineColumns() throws {
    for (name, refinement) in refinements {
      guard let resource = model.resources[name.value] else { continue }
      let hidden = try refinement.hidden.compactMap { name in
        try errors.attempt { try column(name, of: resource) }
      }
      model.resources[name.value]?.hidden = resource.table.hiding(NameSet(hidden))
    }
    model.hideInherited()
    for (name, refinement) in refinements {
      guard let resource = model.resources[name.value] else { continue }
      model.resources[name.value] = try errors.attempt { try refined(resource, refinement) } ?? resource
    }
  }

  private func refined(
    _ resource: Resource, _ refinement: ModelFile.ResourceRefinement
  ) throws -> Resource {
    var resource = resource
    if let fields = refinement.fields {
      resource.fields = try fields.compactMap { field in
        try errors.attempt {
          let column = try column(field, of: resource)
          guard !resource.hidden.contains(column) else {
            throw file.error(field.line, "`\(column)` is hidden; remove it from `fields`")
          }
          return column
        }
      }
    }
    if let label = refinement.label {
      try errors.attempt {
        let column = try column(label, of: resource)
        guard !resource.hidden.contains(column) else {
          throw file.error(label.line, "`\(column)` is hidden; choose another column as `label`")
        }
        resource.label = column
      }
    }
    resource.sort = refinement.sort?.value ?? resource.sort
    resource.access = try refinement.access.map { try file.resourceAccess($0.value, to: resource) }
    return resource
  }
}

// MARK: - Validation

extension ModelRefinement {
  /// Plans a request for each expression of the file, so that errors are found when the server starts.
  fileprivate func validate() throws {
    for (name, refinement) in refinements {
      try errors.attempt { try plan(name.value, for: refinement.sort?.line, of: "`sort`") }
    }
    for (name, refinement) in refinements {
      for entry in refinement.access?.value ?? [] {
        try errors.attempt { try file.check(entry.rows, of: name.value, in: model, dialect) }
        try errors.attempt { try file.checkPresets(of: entry, in: name.value, of: model, dialect) }
      }
      for entry in refinement.associations {
        guard let definition = entry.definition,
          let association = model.resources[name.value]?.associations[entry.key.value]
        else { continue }
        var unsorted = association
        unsorted.sort = []
        try errors.attempt {
          try plan(name.value, unsorted, for: definition.filter?.line, of: "`filter`")
          try plan(name.value, association, for: definition.sort?.line, of: "`sort`")
        }
      }
    }
  }

  /// Plans a request for a resource, and for an association if given, to check the expression in a line.
  private func plan(
    _ resource: String, _ association: Association? = nil, for line: Int?, of member: String
  ) throws {
    guard let line else { return }
    var root = RequestNode()
    var literals = Literals()
    root.giveParameters(of: model.resources[resource], &literals)
    if let association {
      var node = RequestNode(key: association.key, association: association)
      node.giveParameters(of: model.resources[association.destination], &literals)
      root.children = [node]
    }
    do {
      _ = try Planner(model: model, dialect: dialect, limits: PlanningLimits()).plan(
        FetchRequest(path: RequestPath(resource: resource), root: root, literals: literals))
    } catch let error as RequestError {
      throw file.error(line, in: member, error)
    }
  }
}
