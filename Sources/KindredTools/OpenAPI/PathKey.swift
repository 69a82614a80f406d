import KindredModel
import KindredRequests

/// The key of a record in a path: comma-separated values in key order.
struct PathKey {
  let columns: [Column]
  private let names: [String]
  private let resource: Resource

  /// - Parameters:
  ///   - association: The association before the key, which may fix some of its columns.
  ///   - prefix: Distinguishes the parameter names from those of another key in the path.
  init(of resource: Resource, below association: Association? = nil, prefix: String = "") {
    self.resource = resource
    columns = resource.openAddressColumns(below: association)
    names = columns.enumerated().map { number, column in
      // Braces would end the template expression, names must be unique, and hidden names must not show.
      let isPlain =
        !column.name.isEmpty && !resource.hidden.contains(column.name)
        && column.name.unicodeScalars.allSatisfy { $0.isASCII && $0.properties.isXIDContinue }
      return prefix + (isPlain ? column.name : "key-\(number + 1)")
    }
  }

  var template: String { names.map { "{\($0)}" }.joined(separator: ",") }

  var parameters: [JSONValue] {
    zip(names, columns).map { name, column in
      [
        "name": .string(name), "in": "path", "required": true,
        "description": .string(
          resource.hidden.contains(column.name)
            ? "A part of the key of the record." : "The `\(column.name)` of the record."),
        "schema": OpenAPISchema.ofKey(column),
      ]
    }
  }
}
