import KindredAssociations
import KindredExecution
import OrderedCollections

/// What `/` shows: the resources, their columns and their associations.
struct IndexDocument {
  let model: Model

  var json: JSONValue {
    let resources = model.resources.values.map { resource -> JSONValue in
      let columns = resource.columns.map { column -> JSONValue in
        ["name": .string(column.name), "type": .string(column.declaredType)]
      }
      let associations = resource.associations.values.map { association -> JSONValue in
        [
          "key": .string(association.key), "kind": .string(association.kind),
          "destination": .string(association.destination),
        ]
      }
      return [
        "name": .string(resource.name), "link": .string("/\(URLCoding.encodeSegment(resource.name))"),
        "columns": .array(columns), "associations": .array(associations),
      ]
    }
    return ["resources": .array(resources)]
  }

  /// The same for browsers.
  var page: Representation {
    var content = ""
    for resource in model.resources.values {
      let link = "/\(URLCoding.encodeSegment(resource.name))".escapedForHTML
      let columns = resource.columns.map { "<code>\($0.name.escapedForHTML)</code>" }
      let associations = resource.associations.values.map {
        "<li><code>\($0.key.escapedForHTML)</code>: \($0.kind) \($0.destination.escapedForHTML)</li>"
      }
      content += """
        <h2><a href="\(link)">\(resource.name.escapedForHTML)</a></h2>
        <p>\(columns.joined(separator: ", "))</p><ul>\(associations.joined())</ul>

        """
    }
    return Representation(HTMLPage(title: "Resources"), content)
  }
}
