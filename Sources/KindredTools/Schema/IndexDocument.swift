import KindredModel
import KindredRequests

/// The document at `/`: the resources with their columns and associations.
package struct IndexDocument {
  package let model: Model
  package let basePath: BasePath

  package init(model: Model, basePath: BasePath) {
    self.model = model
    self.basePath = basePath
  }

  /// Returns the document.
  package var json: JSONValue {
    let resources = model.resources.values.map { resource -> JSONValue in
      let columns = resource.columns.map { column -> JSONValue in
        [
          "name": .string(column.name), "type": .string(column.declaredType),
          "computed": column.isComputed ? true : nil,
        ]
      }
      let associations = resource.associations.values.map { association -> JSONValue in
        [
          "key": .string(association.key), "kind": .string(association.kind),
          "destination": .string(association.destination),
        ]
      }
      return [
        "name": .string(resource.name), "link": .string(link(to: resource.name)), "columns": .array(columns),
        "associations": .array(associations), "parameters": resource.parametersJSON,
      ]
    }
    return ["resources": .array(resources), "actions": model.actionsJSON]
  }

  /// Returns the path of a resource's records.
  package func link(to resource: String) -> String {
    "\(basePath.text)/\(URLCoding.encodeSegment(resource))"
  }
}
