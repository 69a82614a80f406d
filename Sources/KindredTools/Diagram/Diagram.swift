import KindredModel
import OrderedCollections

/// An entity-relationship diagram, before layout: the tables of a model and the foreign keys between them.
package struct Diagram {
  /// A table, named after its resource.
  struct Entity {
    let name: String
    let columns: [Column]
    /// The names of the columns of the primary key.
    let key: Set<String>
  }

  /// A foreign key, from the table that has it to the one that it refers to.
  struct Relation: Hashable {
    let origin: String
    let originColumns: [String]
    let destination: String
    let destinationColumns: [String]
    /// Whether at most one record refers to each destination.
    let isUnique: Bool
    /// Whether it may refer to no record.
    let isOptional: Bool
  }

  private(set) var entities: OrderedDictionary<String, Entity> = [:]
  private(set) var relations: [Relation] = []

  package init(_ model: Model) {
    for resource in model.resources.values {
      entities[resource.name] = Entity(
        name: resource.name, columns: resource.columns,
        key: Set(resource.addressColumns.map(\.name)))
    }
    var seen: Set<Relation> = []
    for resource in model.resources.values {
      for association in resource.associations.values where association.steps.count == 1 {
        guard let relation = Relation(association, of: resource, in: model), seen.insert(relation).inserted
        else { continue }
        relations.append(relation)
      }
    }
  }

  /// Returns the diagram of the entities within `depth` relations of one.
  package func around(_ name: String, depth: Int) -> Diagram {
    let neighbours = neighbours
    var reached: OrderedSet = [name]
    var frontier = [name]
    for _ in 0..<min(depth, entities.count) where !frontier.isEmpty {
      frontier = frontier.flatMap { neighbours[$0] ?? [] }.filter { reached.append($0).inserted }
    }
    var diagram = self
    diagram.entities = entities.filter { reached.contains($0.key) }
    diagram.relations = relations.filter { reached.contains($0.origin) && reached.contains($0.destination) }
    return diagram
  }

  /// The entities that each entity is related to, in the order of the relations.
  package var neighbours: [String: [String]] {
    var neighbours: [String: OrderedSet<String>] = [:]
    for relation in relations where relation.origin != relation.destination {
      neighbours[relation.origin, default: []].append(relation.destination)
      neighbours[relation.destination, default: []].append(relation.origin)
    }
    return neighbours.mapValues(\.elements)
  }
}

extension Diagram.Relation {
  /// Creates the relation of the foreign key that a single-step association follows, in either direction.
  fileprivate init?(_ association: Association, of resource: Resource, in model: Model) {
    guard let step = association.steps.first, let other = model.resources[association.destination] else {
      return nil
    }
    let isHeldHere = step.direction == .belongsTo
    let (holder, referred) = isHeldHere ? (resource, other) : (other, resource)
    let (columns, referredColumns) =
      isHeldHere
      ? (step.originColumns, step.destinationColumns) : (step.destinationColumns, step.originColumns)
    // If any column is hidden, none is named.
    func shown(_ names: [String], of resource: Resource) -> [String] {
      names.allSatisfy { name in resource.columns.contains { $0.name == name } } ? names : []
    }
    self.init(
      origin: holder.name, originColumns: shown(columns, of: holder), destination: referred.name,
      destinationColumns: shown(referredColumns, of: referred),
      isUnique: !step.hasPeriod && holder.table.isUnique(columns),
      isOptional: columns.contains { holder.table.column(named: $0)?.isNullable ?? true })
  }
}
