import KindredAssociations

extension OpenAPIDocument {
  /// The answers to a request for records.
  func answers(with response: JSONValue) -> [(String, JSONValue)] {
    let problem: JSONValue = ["$ref": "#/components/responses/Problem"]
    return [
      ("200", response), ("304", ["$ref": "#/components/responses/NotModified"]), ("400", problem),
      ("404", problem),
      ("406", problem), ("503", problem),
    ]
  }

  func listResponse(of resource: Resource) -> JSONValue {
    response(
      "The records.", ["ETag", "Link", "X-Total-Count"],
      json: ["type": "array", "items": reference(resource.name)])
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
    ]
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
