import KindredAssociations

extension OpenAPIDocument {
  /// Returns the responses to a request for records.
  func answers(with response: JSONValue) -> [(String, JSONValue)] {
    let problem: JSONValue = ["$ref": "#/components/responses/Problem"]
    return [
      ("200", response), ("304", ["$ref": "#/components/responses/NotModified"]), ("400", problem),
      ("404", problem),
      ("406", problem), ("503", problem),
    ]
  }

  func listResponse(of resource: Resource) -> JSONValue {
    // `explain=true` returns an object. Written like this, client generators still take the response for an array.
    response(
      "The records; with `explain=true`, how they are read.", ["ETag", "Link", "X-Total-Count"],
      json: ["type": ["array", "object"], "items": reference(resource.name)])
  }

  func recordResponse(of resource: Resource) -> JSONValue {
    response("The record.", ["ETag"], json: reference(resource.name))
  }

  private func response(_ description: String, _ headers: [String], json: JSONValue) -> JSONValue {
    let text: JSONValue = ["schema": ["type": "string"]]
    return [
      "description": .string(description),
      "headers": .object(headers.map { ($0, ["$ref": .string("#/components/headers/\($0)")]) }),
      "content": [
        "application/json": ["schema": json], "application/x-ndjson": text, "text/csv": text,
        "text/html": text,
      ],
    ]
  }

  var indexResponse: JSONValue {
    [
      "description": "The index.",
      "content": [
        "application/json": ["schema": ["type": "object"]], "text/html": ["schema": ["type": "string"]],
      ],
    ]
  }

  /// The pages under `/-/`.
  var operationsPages: [(OperationsPage, String, JSONValue)] {
    func answer(_ type: String, _ schema: JSONValue) -> JSONValue {
      let content: JSONValue = ["schema": schema]
      return ["description": "The page.", "content": .object([(type, content)])]
    }
    return [
      (.health, "Whether the database answers.", answer("application/json", ["type": "object"])),
      (.metrics, "Metrics for Prometheus.", answer("text/plain", ["type": "string"])),
      (.openAPI, "This document.", answer("application/json", ["type": "object"])),
      (
        .errors, "Every code that a problem can have.",
        answer("application/json", ["type": "array", "items": ["type": "object"]])
      ),
      (
        .schema, "Resources, columns, associations, limits.", answer("application/json", ["type": "object"])
      ),
      (
        .complete, "What may stand at a place of a URL.",
        answer("application/json", ["type": "array", "items": ["type": "object"]])
      ),
      (
        .describe, "The parts, the tree and the errors of a URL.",
        answer("application/json", ["type": "object"])
      ),
      // Client generators have no type for images.
      (.diagramSVG, "The diagram of the tables.", ["description": "An image, as SVG."]),
      (.diagramMermaid, "The same for Mermaid.", answer("text/plain", ["type": "string"])),
      (
        .modelFileSchema, "The JSON Schema of the model file.",
        answer(ModelFileSchema.mediaType, ["type": "object"])
      ),
    ]
  }

  /// Returns the parameters of a page under `/-/`.
  static func parameters(of page: OperationsPage) -> [JSONValue] {
    func parameter(_ name: String, _ description: String, _ schema: JSONValue, isRequired: Bool) -> JSONValue
    {
      [
        "name": .string(name), "in": "query", "required": .bool(isRequired),
        "description": .string(description), "schema": schema,
      ]
    }
    let url = parameter("url", "A URL, complete or not.", ["type": "string"], isRequired: true)
    let position = parameter(
      "position", "In Unicode scalars of `url`.", ["type": "integer", "minimum": 0], isRequired: true)
    switch page {
    case .complete: return [url, position]
    case .describe: return [url]
    case .diagramSVG, .diagramMermaid:
      return [
        parameter("around", "The resource in the middle.", ["type": "string"], isRequired: false),
        parameter(
          "depth", "How many foreign keys may lie between.",
          ["type": "integer", "minimum": 0, "maximum": 1000, "default": 1], isRequired: false),
      ]
    default: return []
    }
  }

  static let problemResponse: JSONValue = [
    "description": "A problem (RFC 9457).",
    "content": ["application/problem+json": ["schema": ["$ref": "#/components/schemas/Problem"]]],
  ]

  static let notModifiedResponse: JSONValue = [
    "description": "The client has the present representation: `If-None-Match` names its tag."
  ]

  static let headers: [(String, JSONValue)] = [
    ("ETag", ["description": "The tag of the representation.", "schema": ["type": "string"]]),
    ("Location", ["description": "The path of the record that was added.", "schema": ["type": "string"]]),
    ("Link", ["description": "The first page, and the next one (RFC 8288).", "schema": ["type": "string"]]),
    (
      "X-Total-Count",
      ["description": "The number of records on all pages.", "schema": ["type": "integer", "minimum": 0]]
    ),
  ]
}
