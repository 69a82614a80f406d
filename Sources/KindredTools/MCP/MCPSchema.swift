import KindredModel
import KindredRequests

/// The model as `schema` gives it to an assistant, whose context is short.
package struct MCPSchema {
  /// How much is said of all resources.
  enum Extent: CaseIterable {
    case columnsAndAssociations, associations, names
  }

  private let document: SchemaDocument

  package init(_ document: SchemaDocument) {
    self.document = document
  }

  /// Returns all resources and actions in short.
  func short(_ extent: Extent) -> JSONValue {
    let model = document.model
    return [
      "resources": .array(model.resources.values.map { short($0, extent) }),
      "actions": extent == .names && !model.actions.isEmpty
        ? JSONValue(strings: model.actions.keys) : model.actionsJSON.map(Self.concise),
    ]
  }

  private func short(_ resource: Resource, _ extent: Extent) -> JSONValue {
    let associations = resource.associations.values.filter { document.model.resources[$0.destination] != nil }
      .map { ($0.key, JSONValue.string($0.destination)) }
    let parameters = resource.table.parameters.map(\.name)
    return [
      "name": .string(resource.name),
      "key": extent == .names ? nil : JSONValue(strings: resource.shownAddressColumns.map(\.name)),
      "columns": extent == .columnsAndAssociations ? JSONValue(strings: resource.columns.map(\.name)) : nil,
      "associations": extent == .names || associations.isEmpty ? nil : .object(associations),
      "parameters": parameters.isEmpty ? nil : JSONValue(strings: parameters),
      "isSearchable": resource.table.fullText == nil ? nil : true,
    ]
  }

  /// Returns some resources with their details, without what is false, null or empty.
  ///
  /// - Throws: `RequestError` if there is no resource of a name.
  func details(of names: [String]) throws -> JSONValue {
    var known: Set<ExactName> = []
    // A name that is repeated costs nothing more.
    let documents = try names.filter { known.insert(ExactName($0)).inserted }.map {
      try document.json(of: $0)
    }
    let resources = documents.flatMap { document -> [JSONValue] in
      guard case .object(let members) = document,
        case .array(let resources)? = members.first(where: { $0.0 == "resources" })?.1
      else { return [] }
      return resources
    }
    return ["resources": .array(resources.map(Self.concise))]
  }

  private static func concise(_ value: JSONValue) -> JSONValue {
    switch value {
    case .array(let items): return .array(items.map(concise))
    case .object(let members):
      return .object(
        members.compactMap { name, value in
          switch value {
          case .null, .bool(false): return nil
          case .array(let items) where items.isEmpty: return nil
          default: return (name, concise(value))
          }
        })
    case .null, .bool, .integer, .real, .string, .text: return value
    }
  }
}
