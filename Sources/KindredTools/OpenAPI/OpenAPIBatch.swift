import KindredHTTP
import KindredRequests

/// The batch (docs/writing.md) as the OpenAPI document describes it.
enum OpenAPIBatch {
  static var operation: JSONValue {
    let parts: JSONValue = [
      "type": "array", "maxItems": .integer(Int64(BatchContent.maximumCount)),
      "items": ["$ref": "#/components/schemas/batch.part"],
    ]
    let answers: JSONValue = ["type": "array", "items": ["$ref": "#/components/schemas/batch.answer"]]
    let done: [(String, JSONValue)] = [
      (
        "200",
        [
          "description": "The answers to the parts, in their order.",
          "content": ["application/json": ["schema": answers]],
        ]
      ), ("204", ["description": "Done, without content."]),
    ]
    let problems = OpenAPIDocument.problems([
      "400", "401", "403", "404", "405", "406", "409", "412", "413", "415", "422", "429", "503", "default",
    ])
    return [
      "operationId": "kindred.batch", "tags": ["kindred"],
      "summary": "Executes several requests as one transaction: all of them, or none.",
      "parameters": .array(OpenAPIParameters.fields(of: .post, isSingle: false)),
      "requestBody": ["required": true, "content": ["application/json": ["schema": parts]]],
      "responses": .object(done + problems),
    ]
  }

  static let schemas: [(String, JSONValue)] = [
    (
      "batch.part",
      [
        "type": "object", "required": ["method", "url"], "additionalProperties": false,
        "properties": [
          "method": ["type": "string", "enum": ["GET", "POST", "PATCH", "PUT", "DELETE"]],
          "url": ["type": "string", "description": "A path with its parameters.", "minLength": 1],
          "headers": headers, "body": [:],
        ],
      ]
    ),
    (
      "batch.answer",
      [
        "type": "object", "required": ["status"],
        "properties": ["status": ["type": "integer"], "headers": headers, "body": [:]],
      ]
    ),
  ]

  private static let headers: JSONValue = ["type": "object", "additionalProperties": ["type": "string"]]
}
