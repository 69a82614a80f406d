import KindredHTTP
import KindredRequests

/// The tools as `tools/list` describes them.
extension MCPTool {
  package var json: JSONValue {
    [
      "name": .string(rawValue), "title": .string(title), "description": .string(summary),
      "inputSchema": Self.object(arguments), "outputSchema": outputSchema,
      "annotations": annotations,
    ]
  }

  private var annotations: JSONValue {
    [
      "title": .string(title), "readOnlyHint": .bool(isReadOnly), "destructiveHint": .bool(!isReadOnly),
      "idempotentHint": .bool(isReadOnly), "openWorldHint": false,
    ]
  }

  private var title: String {
    switch self {
    case .schema: "Schema"
    case .complete: "Complete a URL"
    case .describe: "Check a URL"
    case .fetch: "Fetch records"
    case .explain: "Explain a request"
    case .write: "Write records"
    }
  }

  private var summary: String {
    switch self {
    case .schema:
      "Lists the resources with their columns, keys and associations. Call this first. If it is too long for one answer, name a `resource`."
    case .complete:
      "Lists what may stand at a position of a URL: resources, associations, columns, parameters, functions."
    case .describe:
      "Explains a URL without running it: the tree of the request, and all of its errors with suggestions."
    case .fetch:
      "Reads records by a URL such as /authors?filter=birthYear>1800&include=books&books.fields=title&limit=10. The answer has one page; `next`, if there is one, is the URL of the following page. Prefer `fields`, `limit` and aggregates (annotate=books.count) to reading everything."
    case .explain:
      "Shows the SQL statements of a request, their query plans, and the indexes that would make it faster. Nothing is read."
    case .write:
      "Adds (POST /authors), changes (PATCH /authors/1), replaces (PUT) or deletes (DELETE) records, in one transaction. A body may hold nested records under the keys of associations. PATCH and DELETE of /books?filter=… concern all that match. The header `Prefer: tx=rollback` tries a write without keeping it; `If-Match` with an `ETag` protects against changes by others."
    }
  }

  /// The arguments with their schemas, and whether a call needs them.
  var arguments: [(name: String, schema: JSONValue, isRequired: Bool)] {
    func text(_ description: String) -> JSONValue {
      ["type": "string", "description": .string(description)]
    }
    let path = text("A path with its parameters, such as /books?filter=year>1900&sort=-year&limit=10")
    switch self {
    case .schema: return [("resource", text("The name of one resource, instead of all."), false)]
    case .complete:
      return [
        ("url", text("A URL, which may be incomplete."), true),
        (
          "position",
          ["type": "integer", "minimum": 0, "description": "The position in `url`, in characters from 0."],
          true
        ),
      ]
    case .describe, .fetch, .explain: return [("url", path, true)]
    case .write:
      return [
        ("method", ["type": "string", "enum": JSONValue(strings: Self.methods.map(\.token))], true),
        ("url", path, true),
        (
          "body",
          [
            "description": "The record, an array of records, or the columns to change; text for a CSV import."
          ],
          false
        ),
        ("headers", Self.object(Self.fields.map { ($0, ["type": "string"], false) }), false),
      ]
    }
  }

  private var outputSchema: JSONValue {
    let array: JSONValue = ["type": "array"]
    let object: JSONValue = ["type": "object"]
    switch self {
    case .schema:
      return [
        "type": "object", "properties": ["resources": array, "limits": object], "required": ["resources"],
      ]
    case .complete: return ["type": "object", "properties": ["items": array], "required": ["items"]]
    case .describe:
      return ["type": "object", "properties": ["parts": array, "errors": array], "required": ["errors"]]
    case .fetch:
      return [
        "type": "object",
        "properties": [
          "records": ["type": "array", "description": "The records of one page."],
          "record": ["description": "The record, if the URL is that of one."],
          "next": ["type": "string", "description": "The URL of the next page, for `fetch`."],
        ],
      ]
    case .explain: return object
    case .write:
      return [
        "type": "object",
        "properties": [
          "status": ["type": "integer", "description": "The HTTP status."],
          "headers": ["type": "object", "additionalProperties": ["type": "string"]],
          "body": ["description": "What is stored now."],
        ],
        "required": ["status"],
      ]
    }
  }

  private static func object(
    _ members: [(name: String, schema: JSONValue, isRequired: Bool)]
  ) -> JSONValue {
    let required = members.filter(\.isRequired).map(\.name)
    return [
      "type": "object", "properties": .object(members.map { ($0.name, $0.schema) }),
      "additionalProperties": false, "required": required.isEmpty ? nil : JSONValue(strings: required),
    ]
  }
}
