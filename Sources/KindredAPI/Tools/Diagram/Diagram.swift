import KindredAssociations
import OrderedCollections

/// The tables of a model and the foreign keys between them: an entity-relationship diagram before it is drawn.
struct Diagram {
  /// A table, under the name of its resource.
  struct Entity {
    let name: String
    let columns: [Column]
    /// The names of the columns of the primary key.
    let key: Set<String>
  }

  /// A foreign key, from the table that holds it to the one that it refers to.
  struct Relation: Hashable {
    let origin: String
    let originColumns: [String]
    let destination: String
    let destinationColumns: [String]
    /// Whether one record at most refers to each.
    let isUnique: Bool
    /// Whether it may refer to none.
    let isOptional: Bool
  }

  private(set) var entities: OrderedDictionary<String, Entity> = [:]
  private(set) var relations: [Relation] = []

  init(_ model: Model) {
    for resource in model.resources.values {
      entities[resource.name] = Entity(
        name: resource.name, columns: resource.columns,
        key: Set(resource.table.primaryKey.map { resource.table.columns[$0].name }))
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

  /// The entities that at most `depth` relations separate from one.
  func around(_ name: String, depth: Int) -> Diagram {
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

  /// The entities at the other ends of the relations of each, in the order of the relations.
  var neighbours: [String: [String]] {
    var neighbours: [String: OrderedSet<String>] = [:]
    for relation in relations where relation.origin != relation.destination {
      neighbours[relation.origin, default: []].append(relation.destination)
      neighbours[relation.destination, default: []].append(relation.origin)
    }
    return neighbours.mapValues(\.elements)
  }
}

extension Diagram.Relation {
  /// The foreign key that an association of one step follows, in whichever direction.
  fileprivate init?(_ association: Association, of resource: Resource, in model: Model) {
    guard let step = association.steps.first, let other = model.resources[association.destination] else {
      return nil
    }
    let isHeldHere = step.direction == .belongsTo
    let (holder, referred) = isHeldHere ? (resource, other) : (other, resource)
    let (columns, referredColumns) =
      isHeldHere
      ? (step.originColumns, step.destinationColumns) : (step.destinationColumns, step.originColumns)
    // What is hidden has no name here.
    func shown(_ names: [String], of resource: Resource) -> [String] {
      names.allSatisfy { name in resource.columns.contains { $0.name == name } } ? names : []
    }
    self.init(
      origin: holder.name, originColumns: shown(columns, of: holder), destination: referred.name,
      destinationColumns: shown(referredColumns, of: referred), isUnique: holder.table.isUnique(columns),
      isOptional: columns.contains { holder.table.column(named: $0)?.isNullable ?? true })
  }
}
