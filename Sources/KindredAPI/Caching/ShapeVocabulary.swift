import KindredAssociations

/// What the shapes of requests depend on in a model, in a form that is read without copying resources.
final class ShapeVocabulary: Sendable {
  final class Resource: Sendable {
    /// The column by which a path names a record, if it is the whole key and every text has one candidate.
    let key: Column?
    let associations: [String: Association]
    /// The parameters that compare a column for which every text has one candidate.
    let columns: Set<String>

    init(_ resource: KindredAssociations.Resource) {
      let table = resource.table
      let key = table.primaryKey.count == 1 ? table.columns[table.primaryKey[0]] : nil
      self.key = key.flatMap { $0.hasOneCandidate ? $0 : nil }
      associations = Dictionary(uniqueKeysWithValues: resource.associations.map { ($0, Association($1)) })
      columns = Set(resource.columns.filter(\.hasOneCandidate).map(\.name))
        .subtracting(RequestNode.rootParameterNames)
    }
  }

  struct Association {
    let destination: String
    let isToOne: Bool

    init(_ association: KindredAssociations.Association) {
      destination = association.destination
      isToOne = association.cardinality == .toOne
    }
  }

  let resources: [String: Resource]

  init(_ model: Model) {
    resources = Dictionary(uniqueKeysWithValues: model.resources.map { ($0, Resource($1)) })
  }
}
