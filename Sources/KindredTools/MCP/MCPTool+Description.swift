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
      "Lists the resources in short: keys, columns, and associations with the resources where they lead. Call this first. With `resources`, gives all details of these: types, what may be null, defaults; what is false or null is left out."
    case .complete:
      "Lists what may stand at a position of a URL: resources, associations, columns, parameters, functions."
    case .describe:
      "Explains a request without running it: its tree, and all of its errors with suggestions."
    case .fetch:
      """
      Reads records: {"path": "/authors", "parameters": {"filter": "name like 'B%' and birthYear > 1800", "include": "books", \
      "books.fields": "title,year", "books.sort": "-year", "books.limit": 3, "sort": "name", "limit": 10}}. Values are as they \
      are, without any encoding; a list repeats its parameter. Texts in expressions stand in single quotes, a quote is \
      doubled ('O''Brien'). The name of a column is equality: "country": "Brazil". Aggregates of associations nest: \
      "annotate": "books.count,revenue:albums.sum(tracks.sum(price*quantity))", "having": "books.count > 3", "sort": \
      "-bookCount". Groups: "fields": "kind,n:count()", "group": "kind". An answer is one page of 100 records, or of \
      `limit`. Where more records follow, a second text says how many, and `next` is the `url` of the following page: \
      never take a page for all. Prefer `fields`, `limit` and aggregates to reading everything.
      """
    case .explain:
      "Shows the SQL statements of a request, their query plans, and the indexes that would make it faster. Nothing is read."
    case .write:
      "Adds (POST, path /authors), changes (PATCH, path /authors/1), replaces (PUT) or deletes (DELETE) records, in one transaction. A body may hold nested records under the keys of associations. PATCH and DELETE of a resource with the parameter `filter` concern all that match. The header `Prefer: tx=rollback` tries a write without keeping it; `If-Match` with an `ETag` protects against changes by others."
    }
  }

  /// The arguments with their schemas, and whether a call needs them.
  var arguments: [(name: String, schema: JSONValue, isRequired: Bool)] {
    func text(_ description: String) -> JSONValue {
      ["type": "string", "description": .string(description)]
    }
    let request: [(name: String, schema: JSONValue, isRequired: Bool)] = [
      (
        "path",
        text("The path of a resource, a record or an association, without a query: /books, /authors/1/books"),
        false
      ),
      (
        "parameters",
        [
          "type": "object",
          "description":
            "The parameters of the path, as they are: a text, a number, a boolean, or a list of texts.",
          "additionalProperties": [
            "type": ["string", "number", "boolean", "array"], "items": ["type": "string"],
          ],
        ],
        false
      ),
      (
        "url",
        text(
          "Instead of both, a path with its parameters encoded as in a URL, such as the `next` of another answer: /books?sort=-year&limit=10"
        ),
        false
      ),
    ]
    switch self {
    case .schema:
      return [
        (
          "resources",
          [
            "type": "array", "items": ["type": "string"],
            "description": "The names of the resources whose details are wanted.",
          ],
          false
        )
      ]
    case .complete:
      return [
        ("url", text("A URL, which may be incomplete."), true),
        (
          "position",
          ["type": "integer", "minimum": 0, "description": "The position in `url`, in characters from 0."],
          true
        ),
      ]
    case .describe, .fetch, .explain: return request
    case .write:
      return [("method", ["type": "string", "enum": JSONValue(strings: Self.methods.map(\.token))], true)]
        + request + [
          (
            "body",
            [
              "type": ["object", "array", "string"],
              "description":
                "The record, an array of records, or the columns to change; a text is JSON, or CSV where `Content-Type` says so.",
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
          "next": ["type": "string", "description": "The `url` of the next page, for `fetch`."],
          "total": ["type": "integer", "description": "The number of all records, where it was counted."],
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
