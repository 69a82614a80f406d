import KindredAssociations
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
  var html: String {
    var page = "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>Kindred</title><h1>Resources</h1>"
    for resource in model.resources.values {
      let link = "/\(URLCoding.encodeSegment(resource.name))"
      page += "<h2><a href=\"\(Self.escaped(link))\">\(Self.escaped(resource.name))</a></h2><p>"
      page += resource.columns.map { "<code>\(Self.escaped($0.name))</code>" }.joined(separator: ", ")
      page += "</p><ul>"
      for association in resource.associations.values {
        page +=
          "<li><code>\(Self.escaped(association.key))</code>: \(association.kind) \(Self.escaped(association.destination))</li>"
      }
      page += "</ul>"
    }
    return page + "</html>\n"
  }

  /// Text for HTML, in elements and in attributes.
  static func escaped(_ text: String) -> String {
    var escaped = ""
    for character in text.unicodeScalars {
      switch character {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      case "\"": escaped += "&quot;"
      case "'": escaped += "&#39;"
      default: escaped.unicodeScalars.append(character)
      }
    }
    return escaped
  }
}
