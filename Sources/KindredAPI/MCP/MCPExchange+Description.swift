import KindredRequests
import KindredTools

/// What the server tells of itself.
extension MCPExchange {
  private static let information: JSONValue = [
    "name": "kindred", "title": "Kindred", "version": .string(OpenAPIDocument.version),
  ]

  private static let capabilities: JSONValue = ["tools": [:], "resources": [:]]

  private static let instructions = """
    A database, read by requests whose parameters form a tree of associations. `schema` lists the resources with their \
    columns and associations. Read with `fetch`: {"path": "/authors", "parameters": {"include": "books"}} nests the books \
    of each author. Parameters: \
    include, join, fields, annotate, filter, search, having, sort, limit, offset, distinct, group, count; a column's name \
    with a value is equality. Those of an included association have its key before them: \
    "include": "books.reviews", "books.filter": "year > 1900", "books.sort": "-year", "books.limit": 3. \
    Expressions are SQLite's: =, <>, <, in (…), between, like, is null, and, or, not; texts stand in single quotes. \
    Aggregates of associations: "annotate": "books.count,books.max(year)", "having": "books.count > 3". Groups: \
    "fields": "kind,n:count()", "group": "kind". An error names the nearest existing names; `describe` lists all errors of a \
    request, and `complete` what may stand at a place of a URL. Pages have 100 records unless `limit` is given; a second \
    text says how many more there are, and `next` is their URL.
    """

  /// Returns the result of `initialize`.
  static func hello(in revision: MCPRevision) -> JSONValue {
    [
      "protocolVersion": .string(revision.rawValue), "capabilities": capabilities,
      "serverInfo": information, "instructions": .string(instructions),
    ]
  }

  /// The result of `server/discover`.
  static let discovery: JSONValue = [
    "supportedVersions": JSONValue(strings: MCPRevision.allCases.map(\.rawValue)),
    "capabilities": capabilities, "instructions": .string(instructions),
  ]

  /// The model, as a resource.
  static let schema: JSONValue = [
    "uri": "kindred://schema", "name": "schema", "title": "Schema",
    "description": "The resources with their columns, keys and associations.", "mimeType": "application/json",
  ]

  /// The part of the model that is about one resource.
  static let resourceSchema: JSONValue = [
    "uriTemplate": "kindred://schema/{resource}", "name": "resource", "title": "Schema of a resource",
    "description": "A resource with its columns, key and associations.", "mimeType": "application/json",
  ]

  /// Returns a result with the members that results have since the stateless revision.
  static func completed(_ result: JSONValue) -> JSONValue {
    // Everything but the result of a tool may be kept for as long as the server takes to see another schema.
    var isOfTool = false
    if case .object(let members) = result { isOfTool = members.contains { $0.0 == "isError" } }
    return result + [
      "resultType": "complete", "_meta": ["io.modelcontextprotocol/serverInfo": information],
      "ttlMs": isOfTool ? nil : 5000, "cacheScope": isOfTool ? nil : "private",
    ]
  }
}
