import KindredRequests

/// The pages under `/-/` as the OpenAPI document describes them.
extension OperationsPage {
  package var summary: String {
    switch self {
    case .health: "Checks that the server responds."
    case .ready: "Checks that the database can be used."
    case .metrics: "Metrics for Prometheus."
    case .openAPI: "This document."
    case .errors: "The codes of all problems."
    case .schema: "Resources, columns, associations, limits."
    case .complete: "Completions for a position in a URL."
    case .describe: "The parts, the tree and the errors of a URL."
    case .diagramSVG: "The diagram of the tables."
    case .diagramMermaid: "The diagram of the tables, in Mermaid's notation."
    case .modelFileSchema: "The JSON Schema of the model file."
    }
  }

  /// The response with the page.
  package var response: JSONValue {
    func response(_ type: String, _ schema: JSONValue) -> JSONValue {
      let content: JSONValue = ["schema": schema]
      return ["description": .string(summary), "content": .object([(type, content)])]
    }
    switch self {
    case .health, .ready, .openAPI, .schema, .describe:
      return response("application/json", ["type": "object"])
    case .errors, .complete:
      return response("application/json", ["type": "array", "items": ["type": "object"]])
    case .metrics, .diagramMermaid: return response("text/plain", ["type": "string"])
    case .modelFileSchema: return response(ModelFileSchema.mediaType, ["type": "object"])
    // Client generators have no type for images.
    case .diagramSVG: return ["description": "An image, as SVG."]
    }
  }

  /// The descriptions of the parameters of requests for the page.
  var describedParameters: [JSONValue] { (parameters ?? []).compactMap { Self.descriptions[$0] } }

  private static let descriptions: [String: JSONValue] = Dictionary(
    uniqueKeysWithValues: [
      description("url", "A URL, which may be incomplete.", isRequired: true),
      description(
        "position", "The position in `url`, in Unicode scalars.", ["type": "integer", "minimum": 0],
        isRequired: true),
      description(
        "resource",
        "The name of one resource, instead of all; for the OpenAPI document, names separated by commas."),
      description("around", "The resource at the center of the diagram."),
      description(
        "depth", "The maximum number of foreign keys between a table and the center.",
        ["type": "integer", "minimum": 0, "maximum": 1000, "default": 1]),
    ])

  private static func description(
    _ name: String, _ description: String, _ schema: JSONValue = ["type": "string"], isRequired: Bool = false
  ) -> (String, JSONValue) {
    let definition: JSONValue = [
      "name": .string(name), "in": "query", "required": .bool(isRequired),
      "description": .string(description), "schema": schema,
    ]
    return (name, definition)
  }
}
