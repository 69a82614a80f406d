import KindredModel
import OrderedCollections

extension ModelRefinement {
  /// Adds, replaces and removes associations.
  mutating func defineAssociations() throws {
    var definitions = AssociationDefinitions(self)
    for (name, refinement) in refinements {
      guard let table = model.resources[name.value]?.table else { continue }
      let hidden = model.resources[name.value]?.hidden ?? []
      for entry in refinement.associations {
        try errors.attempt { try define(entry, of: name.value, table, hidden, &definitions) }
      }
    }
  }

  private mutating func define(
    _ entry: ModelFile.AssociationEntry, of resource: String, _ table: Table, _ hidden: NameSet,
    _ definitions: inout AssociationDefinitions
  ) throws {
    let key = entry.key.value
    guard entry.definition != nil else {
      guard inferred[resource]?[key] != nil else {
        throw file.unknown(
          entry.key, "`\(resource)` has no association `\(key)` to remove",
          among: inferred[resource]?.keys ?? [])
      }
      model.resources[resource]?.associations[key] = nil
      return
    }
    let place = AssociationDefinitions.Place(resource: resource, key: key)
    let association = try definitions.association(at: place)
    if table.columns.contains(named: key), !hidden.contains(key), association.replacedColumn == nil {
      throw file.error(
        entry.key.line, "`\(key)` is a column of `\(table.name)`; choose another key, or hide the column")
    }
    model.resources[resource]?.associations[key] = association
  }
}

/// Resolves the associations of a model file, which may refer to each other in any order.
struct AssociationDefinitions {
  typealias Located = ModelFile.Located
  typealias Definition = ModelFile.AssociationDefinition

  /// An association of a resource.
  struct Place: Hashable {
    var resource: String
    var key: String
  }

  /// The maximum number of steps of an association; each `through` adds up those of two others.
  private static let maximumSteps = 16

  private let refinement: ModelRefinement
  private var entries: [Place: ModelFile.AssociationEntry] = [:]
  /// The resources whose records the rows of other ones are.
  private var lenders: [String: String] = [:]
  private var finished: [Place: Association] = [:]
  private var unfinished: Set<Place> = []

  init(_ refinement: ModelRefinement) {
    self.refinement = refinement
    for (name, refinement) in refinement.refinements {
      for entry in refinement.associations {
        entries[Place(resource: name.value, key: entry.key.value)] = entry
      }
    }
    for expression in refinement.file.commonTableExpressions {
      for own in refinement.model.resources(of: expression.name.value) {
        lenders[own] = expression.resource?.value
      }
    }
  }

  private var file: ModelFile { refinement.file }

  /// Returns the association that the file defines for a resource and a key.
  mutating func association(at place: Place) throws -> Association {
    if let association = finished[place] { return association }
    guard let entry = entries[place], let definition = entry.definition else {
      throw file.error(nil, "there is no association `\(place.key)`")
    }
    guard unfinished.insert(place).inserted else {
      throw file.error(entry.key.line, "`\(place.key)` is defined by itself; define it by other associations")
    }
    guard unfinished.count <= Self.maximumSteps else {
      throw file.error(
        entry.key.line, "`\(place.key)` is defined by a chain of more than \(Self.maximumSteps) associations")
    }
    defer { unfinished.remove(place) }
    var association = try association(definition.way, at: place)
    association.key = place.key
    association.definition = "\(file.name):\(entry.key.line)"
    association.filter = Expression.both(association.filter, definition.filter?.value)
    association.sort = definition.sort?.value ?? association.sort
    try fixParameters(definition.parameters, of: &association)
    guard association.steps.count <= Self.maximumSteps else {
      throw file.error(
        entry.key.line,
        "`\(place.key)` has \(association.steps.count) steps; the maximum is \(Self.maximumSteps)")
    }
    try checkPivots(of: association, at: entry)
    finished[place] = association
    return association
  }

  private mutating func association(_ way: Definition.Way, at place: Place) throws -> Association {
    switch way {
    case .foreignKey(let kind, let destination, let columns):
      return try association(kind, from: place.resource, to: destination, columns)
    case .through(let kind, let destination, let through, let using):
      return try association(kind, at: place, to: destination, through: through, using: using)
    case .from(let key):
      // `from` with the association's own key refines the inferred association.
      return try inferred(key, at: place) ?? existing(key, of: place.resource)
    }
  }

  /// Returns the inferred association, if a definition refers to its own key.
  private func inferred(_ key: Located<String>, at place: Place) -> Association? {
    key.value == place.key ? refinement.inferred[place.resource]?[key.value] : nil
  }

  /// Returns an association of the file, or else an inferred one.
  private mutating func existing(_ key: Located<String>, of resource: String) throws -> Association {
    let place = Place(resource: resource, key: key.value)
    if let entry = entries[place] {
      if entry.definition != nil { return try association(at: place) }
    } else if let inferred = refinement.inferred[resource]?[key.value] {
      return inferred
    } else if let lent = try lent(key, to: resource) {
      return lent
    }
    let removed = entries.filter { $0.key.resource == resource && $0.value.definition == nil }.map(\.key.key)
    let defined = entries.keys.filter { $0.resource == resource }.map(\.key).sorted()
    let keys = Array(refinement.inferred[resource]?.keys ?? []) + defined
    throw file.unknown(
      key, "`\(resource)` has no association `\(key.value)`", among: keys.filter { !removed.contains($0) })
  }

  /// Returns the association of the records that the rows of a query are, from these rows.
  private mutating func lent(_ key: Located<String>, to resource: String) throws -> Association? {
    guard let table = refinement.model.resources[resource]?.table else { return nil }
    var passed: Set<String> = [resource]
    var lender = lenders[resource]
    while let name = lender, passed.insert(name).inserted {
      let isDefined = entries[Place(resource: name, key: key.value)].map { $0.definition != nil }
      if isDefined ?? (refinement.inferred[name]?[key.value] != nil) {
        var association = try existing(key, of: name)
        guard association.steps.first?.originColumns.allSatisfy(table.columns.contains(named:)) ?? false,
          !table.columns.contains(named: key.value) || association.replacedColumn != nil
        else { return nil }
        association.steps[0].origin = table.name
        return association
      }
      lender = lenders[name]
    }
    return nil
  }

  private func resource(_ name: Located<String>) throws -> Resource {
    guard let resource = refinement.model.resources[name.value] else {
      throw file.unknown(
        name, "there is no resource `\(name.value)`", among: refinement.model.resources.keys)
    }
    return resource
  }

  // MARK: Parameters

  /// Fixes values of parameters of the destination.
  private func fixParameters(
    _ parameters: [(name: Located<String>, value: ModelFile.ParameterText)], of association: inout Association
  ) throws {
    guard let last = association.steps.indices.last else { return }
    let query = refinement.model.tables[association.steps[last].destination]?.query
    for (name, text) in parameters {
      guard let parameter = query?.parameter(named: name.value) else {
        throw file.unknown(
          name, "`\(association.destination)` has no parameter `\(name.value)`",
          among: query?.parameters.map(\.name) ?? [])
      }
      guard association.steps[last].parameters[parameter.name] == nil else {
        throw file.error(
          name.line, "`\(name.value)` is already fixed by the association that this one is taken from")
      }
      association.steps[last].parameters[parameter.name] = try parameter.kind.value(
        of: text, named: name.value, in: file, line: name.line)
    }
  }

  /// Checks that the tables on the way of an association have values for all of their parameters.
  private func checkPivots(of association: Association, at entry: ModelFile.AssociationEntry) throws {
    for step in association.steps.dropLast() {
      for parameter in refinement.model.tables[step.destination]?.query?.parameters ?? []
      where parameter.isRequired && step.parameters[parameter.name] == nil {
        throw file.error(
          entry.key.line,
          "`\(entry.key.value)` goes through `\(step.destination)`, whose parameter `\(parameter.name)` "
            + "(\(parameter.kind.rawValue)) nothing gives; go through an association that fixes it")
      }
    }
  }

  // MARK: Through

  private mutating func association(
    _ kind: Definition.Kind, at place: Place, to destination: Located<String>, through: Located<String>,
    using: Located<String>
  ) throws -> Association {
    var pivot = try inferred(through, at: place) ?? existing(through, of: place.resource)
    var target = try existing(using, of: pivot.destination)
    let wanted = try resource(destination)
    guard wanted.table.name == target.steps.last?.destination else {
      throw file.error(
        using.line,
        "`\(using.value)` of `\(pivot.destination)` leads to `\(target.destination)`, not to `\(wanted.name)`"
      )
    }
    for (key, association) in [(through, pivot), (using, target)]
    where kind == .hasOne && association.cardinality == .toMany {
      throw file.error(key.line, "`\(key.value)` leads to many records; use `hasMany`")
    }
    // The condition on the pivots stays with their step, and so does the order by which a to-one association chooses.
    if let last = pivot.steps.indices.last {
      pivot.steps[last].filter = Expression.both(pivot.steps[last].filter, pivot.filter)
      if pivot.cardinality == .toOne, !refinement.model.leadsToOne(pivot.steps[last]) {
        pivot.steps[last].sort = pivot.sort
      }
    }
    if let last = target.steps.indices.last, target.cardinality == .toOne {
      target.steps[last].filter = Expression.both(target.steps[last].filter, target.filter)
      target.filter = nil
      if !refinement.model.leadsToOne(target.steps[last]) { target.steps[last].sort = target.sort }
    }
    target.steps = pivot.steps + target.steps
    target.cardinality = kind == .hasOne ? .toOne : .toMany
    target.destination = wanted.name
    return target
  }

  // MARK: Foreign keys

  private func association(
    _ kind: Definition.Kind, from resource: String, to destination: Located<String>,
    _ columns: Located<Definition.ForeignKeyColumns>?
  ) throws -> Association {
    let near = try self.resource(Located(resource, line: destination.line)).table
    let far = try self.resource(destination).table
    let (holder, referred) = kind == .belongsTo ? (near, far) : (far, near)
    let key = try foreignKey(of: holder, to: referred, columns, line: destination.line)
    let step = AssociationStep(key, of: holder, to: referred, kind == .belongsTo ? .belongsTo : .has)
    return Association(
      key: "", cardinality: kind == .hasMany ? .toMany : .toOne, steps: [step], destination: destination.value
    )
  }

  /// Returns the foreign key that the file names, or the only one of the schema.
  private func foreignKey(
    of holder: Table, to referred: Table, _ columns: Located<Definition.ForeignKeyColumns>?, line: Int
  ) throws -> ForeignKey {
    let declared = holder.references.map(\.key).filter { $0.destination == referred.name }
    guard let columns else {
      guard declared.count <= 1 else {
        let choices = declared.map { "[\($0.columns.joined(separator: ", "))]" }.joined(separator: " or ")
        throw file.error(
          line,
          "`\(holder.name)` has several foreign keys to `\(referred.name)`; add `foreignKey: \(choices)`")
      }
      guard let only = declared.first else {
        throw file.error(
          line,
          "`\(holder.name)` has no foreign key to `\(referred.name)`; add `foreignKey: { column: column }`")
      }
      return only
    }
    let own = try columns.value.columns.map {
      try refinement.column(Located($0, line: columns.line), of: holder)
    }
    if let named = columns.value.destinationColumns {
      let others = try named.map { try refinement.column(Located($0, line: columns.line), of: referred) }
      return declared.first { $0.columns == own && $0.destinationColumns == others }
        ?? ForeignKey(columns: own, destination: referred.name, destinationColumns: others)
    }
    // If only the referring columns are named, they refer to what the schema declares, else to the primary key.
    if let key = declared.first(where: { $0.columns == own }) { return key }
    let primaryKey = referred.primaryKey.map { referred.columns[$0].name }
    guard primaryKey.count == own.count else {
      throw file.error(
        columns.line,
        "the foreign key has \(own.count) columns and the primary key of `\(referred.name)` \(primaryKey.count); "
          + "add `foreignKey: { \(own[0]): column }`")
    }
    return ForeignKey(columns: own, destination: referred.name, destinationColumns: primaryKey)
  }
}

extension Expression {
  /// Returns the conjunction of the given conditions; nil if there is none.
  fileprivate static func both(_ first: Expression?, _ second: Expression?) -> Expression? {
    guard let first, let second else { return first ?? second }
    return Expression(.all([first, second]), at: second.origin)
  }
}
