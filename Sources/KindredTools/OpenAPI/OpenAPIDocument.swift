import KindredModel
import KindredPlanning
import KindredRequests
import OrderedCollections

/// `/-/openapi.json`: the API of a model as an OpenAPI 3.1 document (<https://spec.openapis.org/oas/v3.1.0>).
///
/// Records are described by the declared types of their columns, although SQLite lets most columns hold anything.
package struct OpenAPIDocument {
  let model: Model
  let limits: RequestLimits
  /// Whether clients may write.
  let isWritable: Bool
  /// What precedes the paths.
  let basePath: BasePath
  /// The names of the resources whose paths are described; nil for all.
  var named: Set<String>?
  /// What is described of each resource.
  private var detail = Detail.all

  package init(
    model: Model, limits: RequestLimits, isWritable: Bool = false, basePath: BasePath = .root
  ) {
    self.model = model
    self.limits = limits
    self.isWritable = isWritable
    self.basePath = basePath
  }

  /// What a document describes of each resource; the document of many leaves out what is in those of few.
  private enum Detail: Int, CaseIterable {
    case all
    case withoutPathsOfAssociations
    case readsOfRecords
    case lists
  }

  /// The largest number of resources that are described in all details, and named in a request.
  package static let mostResources = 100
  /// The length in bytes above which the document of all resources leaves out more.
  private static let largestLength = 4 << 20

  /// The document of all resources.
  package var bytes: [UInt8] {
    var document = self
    if model.resources.count > Self.mostResources { document.detail = .withoutPathsOfAssociations }
    while true {
      let bytes = document.json.bytes
      guard bytes.count > Self.largestLength, let next = Detail(rawValue: document.detail.rawValue + 1) else {
        return bytes
      }
      document.detail = next
    }
  }

  /// Returns the document of some resources, which describes associated resources only by their columns.
  ///
  /// - Parameter names: The names, separated by commas.
  /// - Throws: `RequestError`.
  package func part(of names: String) throws -> JSONValue {
    let origin = Origin(parameter: "resource")
    let names = names.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    guard names.count <= Self.mostResources else {
      throw RequestError(
        .limitExceeded, "a part of the document describes at most \(Self.mostResources) resources", at: origin
      )
    }
    for name in names where model.resources[name] == nil {
      var error = model.unknownResource(name, at: origin)
      // The document is there, but not with this value of its parameter.
      error.code = .invalidValue
      throw error
    }
    var document = self
    document.named = Set(names)
    return document.json
  }

  /// The content that the resources contribute.
  private struct Content {
    var paths: OrderedDictionary<String, JSONValue> = [:]
    var writes: OpenAPIWrites
  }

  package var json: JSONValue {
    let describesWrites = isWritable && detail.rawValue < Detail.readsOfRecords.rawValue
    var content = Content(
      writes: OpenAPIWrites(in: model, isWritable: describesWrites, named: named, isBrief: detail != .all))
    content.paths["/"] = path(
      "index", tag: "index", "The resources, their columns and their associations.", [],
      ["200": indexResponse])
    for resource in model.resources.values where named?.contains(resource.name) ?? true {
      add(resource, to: &content)
    }
    content.writes.describeRest()
    let actions = OpenAPIActions(model: model)
    if isWritable, named == nil {
      for (path, item) in actions.paths { content.paths[path] = item }
      content.paths["/-/batch"] = ["post": OpenAPIBatch.operation]
    }
    for page in OperationsPage.allCases where named == nil {
      content.paths[page.path] = path(
        "kindred.\(page)", tag: "kindred", page.summary, page.describedParameters, ["200": page.response])
    }
    return [
      "openapi": "3.1.0",
      "info": [
        "title": "Kindred", "version": .string(Self.version),
        "description": .string(
          Self.description + (describesWrites ? Self.writeDescription : "")
            + (detail == .all ? "" : Self.partsDescription)),
      ],
      "servers": [["url": .string(basePath == .root ? "/" : basePath.text)]],
      "paths": .object(content.paths.map { ($0, $1) }),
      // A server may answer without a token, too.
      "security": [[:], ["bearer": []]],
      "components": [
        "schemas": ["Problem": OpenAPISchema.ofProblem]
          + OpenAPISchema.records(in: model, named: named)
          + .object(content.writes.schemas.map { ($0, $1) })
          + (isWritable && named == nil ? OpenAPIBatch.schemas + actions.schemas : [:]),
        "parameters": .object(
          OpenAPIParameters.definitions(limits, of: model.resources.values.filter(isShown))),
        "responses": [
          "Problem": Self.problemResponse, "NotModified": Self.notModifiedResponse,
          "ColumnValue": Self.valueResponse,
        ],
        "headers": Self.headers,
        "securitySchemes": [
          "bearer": [
            "type": "http", "scheme": "bearer", "description": "A JSON Web Token or an API key (RFC 6750).",
          ]
        ],
      ],
    ]
  }

  /// The version of the API.
  package static let version = "1"

  private static let description = """
    A request is a tree: a resource, and under it one node per association key. The parameters that are described here \
    are those of the root; prefixed with the keys that lead to a node, as in `books.sort`, they are that node's, which \
    also has `values`. The name of a column is a parameter too: `kind=novel`. Both are among `others`. What may stand in \
    an expression is what `/-/complete` offers there. Follow `Link` from page to page.
    """

  private static let writeDescription = """
     Beside its columns, a record that is written may hold those to be associated with it, under the keys of its \
    associations; the foreign key of a nested record is filled in, and so isn't required. `POST` imports CSV and lines of JSON, too, for which generators of clients have no types. SQLite's own \
    rules decide what a column takes: a constraint of the table may refuse what fits the \
    schema. `If-Match` with the `ETag` of a record has it changed or deleted only while it is that one.
    """

  /// Whether a path leads to records of a resource.
  private func isShown(_ resource: Resource) -> Bool {
    guard let named, !named.contains(resource.name) else { return true }
    return named.contains { name in
      model.resources[name]?.associations.values.contains { $0.destination == resource.name } ?? false
    }
  }

  private static let partsDescription = """
     This document would be too long with everything, so it leaves out the paths of associations, and more where that \
    isn't enough: `/-/openapi.json?resource=`, with some of their names, describes all of these.
    """

  // MARK: Paths

  private func add(_ resource: Resource, to content: inout Content) {
    let root = "/\(URLCoding.encodeSegment(resource.name))"
    let operation = OpenAPISchema.operation(resource.name)
    content.paths[root] = path(
      operation, tag: resource.name, "The records of \(resource.name).",
      OpenAPIParameters.ofList(of: resource) + OpenAPIParameters.ofReading,
      answers(with: listResponse(of: resource)),
      writes: content.writes.operations(
        at: OpenAPIWrites.Path(name: operation, names: [resource.name], resource: resource)))
    let key = PathKey(of: resource)
    guard !key.columns.isEmpty, detail != .lists else { return }
    let record = "\(root)/\(key.template)"
    content.paths[record] = path(
      "\(operation).record", tag: resource.name, "A record of \(resource.name).",
      key.parameters + OpenAPIParameters.ofRecord(of: resource) + OpenAPIParameters.ofReading,
      answers(with: recordResponse(of: resource)),
      writes: content.writes.operations(
        at: OpenAPIWrites.Path(
          name: "\(operation).record", names: [resource.name], resource: resource, hasKey: true,
          parameters: key.parameters, keyColumns: key.columns.map(\.name))))
    // No request gives a value to a parameter in the middle of a path.
    guard !resource.table.parameters.contains(where: \.isRequired) else { return }
    if detail != .readsOfRecords { content.paths["\(record)/{column}"] = value(of: resource, key, content) }
    guard detail == .all else { return }
    for association in resource.associations.values {
      guard let destination = model.resources[association.destination] else { continue }
      add(association, to: destination, of: resource, (record, key), &content)
    }
  }

  /// Returns the path of a column's value.
  private func value(of resource: Resource, _ key: PathKey, _ content: Content) -> JSONValue {
    let example = resource.columns.first { resource.associations[$0.name] == nil }?.name
    let column: JSONValue = [
      "name": "column", "in": "path", "required": true,
      "description": "The name of a column, unless an association has it.",
      "schema": ["type": "string", "minLength": 1], "example": .string(example ?? ""),
    ]
    return path(
      "\(OpenAPISchema.operation(resource.name)).record.column-value", tag: resource.name,
      "The value of a column of a record of \(resource.name).",
      key.parameters + [column] + OpenAPIParameters.ofReading,
      answers(with: ["$ref": "#/components/responses/ColumnValue"]),
      writes: content.writes.ofValue(
        OpenAPIWrites.Path(
          name: "\(OpenAPISchema.operation(resource.name)).record.column-value", names: [resource.name],
          resource: resource, hasKey: true, parameters: key.parameters + [column])))
  }

  /// - Parameter record: The path and key of the record that has the association.
  private func add(
    _ association: Association, to destination: Resource, of resource: Resource,
    _ record: (path: String, key: PathKey), _ content: inout Content
  ) {
    let isMany = association.cardinality == .toMany
    let operation = OpenAPISchema.operation(resource.name)
    let name = "\(operation).record.\(OpenAPISchema.component(association.key))"
    let names = [resource.name, association.key]
    let associated = "\(record.path)/\(URLCoding.encodeSegment(association.key))"
    let parameters = record.key.parameters
    content.paths[associated] = path(
      name, tag: resource.name,
      "The \(association.key) of a record of \(resource.name) (\(association.kind) \(destination.name)).",
      parameters
        + (isMany
          ? OpenAPIParameters.ofList(of: destination, below: association)
          : OpenAPIParameters.ofRecord(of: destination, below: association)) + OpenAPIParameters.ofReading,
      answers(with: isMany ? listResponse(of: destination) : recordResponse(of: destination)),
      writes: content.writes.operations(
        at: OpenAPIWrites.Path(
          name: name, names: names, resource: destination, association: association, parameters: parameters)))
    let other = PathKey(
      of: destination, below: association, prefix: OpenAPISchema.component(association.key) + "-")
    guard isMany, isWritable, association.linkage(in: model) != nil, !other.columns.isEmpty else { return }
    content.paths["\(associated)/\(other.template)"] = path(
      "\(name).record", tag: resource.name,
      "One of the \(association.key) of a record of \(resource.name).",
      parameters + other.parameters + OpenAPIParameters.ofRecord(of: destination, below: association)
        + OpenAPIParameters.ofReading,
      answers(with: recordResponse(of: destination)),
      writes: content.writes.operations(
        at: OpenAPIWrites.Path(
          name: "\(name).record", names: names, resource: destination, association: association,
          hasKey: true, parameters: parameters + other.parameters, keyColumns: other.columns.map(\.name))))
  }

  /// - Parameter tag: The resource that the path begins with, by which documentation and generated clients group
  ///   operations.
  private func path(
    _ name: String, tag: String, _ summary: String, _ parameters: [JSONValue],
    _ responses: JSONValue, writes: JSONValue = [:]
  ) -> JSONValue {
    let operation: JSONValue = [
      "operationId": .string(name), "tags": [.string(tag)], "summary": .string(summary),
      "parameters": parameters.isEmpty ? nil : .array(parameters),
      "responses": responses + Self.problems(["default"]),
    ]
    return ["get": operation] + writes
  }

  // MARK: Responses

  /// Returns the responses to a request for records.
  private func answers(with response: JSONValue) -> JSONValue {
    ["200": response, "304": ["$ref": "#/components/responses/NotModified"]]
      + Self.problems(
        detail == .all ? ["400", "401", "403", "404", "406", "412", "429", "503"] : [])
  }

  /// Returns the same problem for each of these statuses.
  static func problems(_ statuses: [String]) -> JSONValue {
    .object(statuses.map { ($0, ["$ref": "#/components/responses/Problem"]) })
  }

  private func listResponse(of resource: Resource) -> JSONValue {
    // `explain=true` returns an object. Written like this, client generators still take the response for an array.
    response(
      "The records; with `explain=true`, the statements and query plans instead.",
      ["ETag", "Link", "X-Total-Count", "X-Estimated-Count"],
      json: ["type": ["array", "object"], "items": OpenAPISchema.reference(resource.name)])
  }

  private func recordResponse(of resource: Resource) -> JSONValue {
    response("The record.", ["ETag"], json: OpenAPISchema.reference(resource.name))
  }

  private func response(_ description: String, _ headers: [String], json: JSONValue) -> JSONValue {
    let text: JSONValue = ["schema": ["type": "string"]]
    return [
      "description": .string(description),
      "headers": .object(headers.map { ($0, ["$ref": .string("#/components/headers/\($0)")]) }),
      "content": [
        "application/json": ["schema": json], "application/x-ndjson": text,
        "application/x-ndjson;profile=rows": text, "text/csv": text,
        "text/html": text,
      ],
    ]
  }

  private var indexResponse: JSONValue {
    [
      "description": "The index.",
      "content": [
        "application/json": ["schema": ["type": "object"]], "text/html": ["schema": ["type": "string"]],
      ],
    ]
  }

  private static let problemResponse: JSONValue = [
    "description": "A problem details object (RFC 9457).",
    "headers": [
      "Retry-After": ["$ref": "#/components/headers/Retry-After"],
      "WWW-Authenticate": ["$ref": "#/components/headers/WWW-Authenticate"],
    ],
    "content": ["application/problem+json": ["schema": ["$ref": "#/components/schemas/Problem"]]],
  ]

  private static let notModifiedResponse: JSONValue = [
    "description": "Not modified: `If-None-Match` contains the current entity tag."
  ]

  private static var valueResponse: JSONValue {
    let value: JSONValue = ["schema": [:]]
    let bytes: JSONValue = ["schema": ["type": "string", "format": "binary"]]
    return [
      "description": "A BLOB as its bytes, whose type they tell; any other value as JSON.",
      "headers": ["ETag": ["$ref": "#/components/headers/ETag"]],
      "content": .object(
        [(MediaType.json.rawValue, value)] + BlobType.mediaTypes.map { ($0, bytes) }),
    ]
  }

  private static let headers: JSONValue = [
    "ETag": header("The entity tag of the representation."),
    "Location": header("The path of the added record."),
    "Link": header("Links to the next, previous, first and last page (RFC 8288)."),
    "Retry-After": header(
      "The seconds after which to try again, with 429 and 503.", ["type": "integer"]),
    "WWW-Authenticate": header("With 401 (RFC 6750 §3)."),
    "X-Estimated-Count": header(
      "The number of records that the database expects.",
      ["type": "integer", "format": "int64", "minimum": 0]),
    "X-Total-Count": header(
      "The number of records on all pages.", ["type": "integer", "format": "int64", "minimum": 0]),
  ]

  private static func header(_ description: String, _ schema: JSONValue = ["type": "string"]) -> JSONValue {
    ["description": .string(description), "schema": schema]
  }
}
