import KindredModel
import KindredPlanning
import KindredHTTP
import KindredRequests
import OrderedCollections

/// The operations that write (docs/writing.md), if the service is writable.
struct OpenAPIWrites {
  private let model: Model
  /// Whether clients may write.
  private let isWritable: Bool
  /// The names of the resources whose associations are described; nil for all.
  private let named: Set<String>?
  /// The responses with problems.
  private let problems: JSONValue
  /// The schemas of the content of the operations described so far, keyed by the names of their components.
  private(set) var schemas: OrderedDictionary<String, JSONValue> = [:]
  /// The schemas that are referred to and not described yet.
  private var waiting: [(name: String, resource: Resource, form: Form)] = []

  /// - Parameter isBrief: Whether the statuses of problems are left out.
  init(in model: Model, isWritable: Bool, named: Set<String>?, isBrief: Bool) {
    self.model = model
    self.isWritable = isWritable
    self.named = named
    problems = isBrief ? OpenAPIDocument.problems(["default"]) : Self.problems
  }

  /// A path at which records are written.
  struct Path {
    /// The name that prefixes the IDs of its operations.
    let name: String
    /// The name of the resource that the path begins with, and of the association that follows.
    let names: [String]
    let resource: Resource
    var association: Association?
    /// Whether the path ends with the key of a record.
    var hasKey = false
    /// The parameters of the path itself.
    var parameters: [JSONValue] = []
    /// The columns whose values are in the path.
    var keyColumns: [String] = []
    /// Whether the path leads to at most one record.
    var isSingle: Bool { hasKey || association?.cardinality == .toOne }
  }

  /// Returns the writing operations at a path; none if nothing can be written.
  mutating func operations(at path: Path) -> JSONValue {
    guard isWritable else { return [:] }
    let linkage = path.association?.linkage(in: model)
    let methods = WriteTarget.methods(
      of: path.resource, linkage: linkage, isAssociated: path.association != nil,
      isSingle: path.isSingle, hasKey: path.hasKey, in: model)
    var operations: [(String, JSONValue)] = []
    for method in methods {
      var isLink = false
      if method != .patch, path.hasKey, case .join = linkage { isLink = true }
      operations.append(
        (method.token.lowercased(), isLink ? link(method, path) : write(method, path, by: linkage)))
    }
    return .object(operations)
  }

  private mutating func write(
    _ method: HTTPMethod, _ path: Path, by linkage: Linkage?
  ) -> JSONValue {
    let resource = path.resource
    let isMany = !path.isSingle && method != .post && method != .put
    let linksAll = !path.isSingle && method == .put
    let shaping =
      (method == .delete ? [] : OpenAPIParameters.shaping(of: resource))
      + (isMany ? OpenAPIParameters.selecting(of: resource) : [])
      + OpenAPIParameters.changing(by: method, linksAll: linksAll)
    let fields = OpenAPIParameters.fields(of: method, isSingle: path.isSingle)
    let record = method == .delete ? nil : written(method, path, by: linkage)
    let content = record.map { record -> JSONValue in
      let array: JSONValue = ["type": "array", "items": record]
      let schema: JSONValue = method == .post ? ["anyOf": [record, array]] : linksAll ? array : record
      // What is only computed needs no content.
      return [
        "required": method == .patch ? nil : true, "content": [MediaType.json.rawValue: ["schema": schema]],
      ]
    }
    let done = Self.done(method, OpenAPISchema.reference(resource.name), isMany: isMany || linksAll)
    return [
      "operationId": .string("\(path.name).\(method.token.lowercased())"),
      "tags": [.string(path.names[0])],
      "summary": .string(Self.summary(of: method, resource, isMany: isMany || linksAll)),
      "parameters": .array(path.parameters + shaping + fields), "requestBody": content,
      "responses": done + problems,
    ]
  }

  /// Returns the operation that links (PUT) or unlinks (DELETE) a record through a join table.
  private func link(_ method: HTTPMethod, _ path: Path) -> JSONValue {
    [
      "operationId": .string("\(path.name).\(method.token.lowercased())"), "tags": [.string(path.names[0])],
      "summary": .string(
        method == .put ? "Links the two records without changing them." : "Unlinks the two records."),
      "parameters": .array(path.parameters),
      "responses": ["204": ["description": "Done."]] + problems,
    ]
  }

  /// Returns the operations that set the value of a column, and set it to NULL; none if no record can be changed.
  func ofValue(_ path: Path) -> JSONValue {
    guard isWritable,
      WriteTarget.methods(
        of: path.resource, linkage: nil, isAssociated: false, isSingle: true, hasKey: true, in: model
      ).contains(.patch)
    else { return [:] }
    // Generators of clients know no `*/*`.
    let bytes: (String, JSONValue) = (
      "application/octet-stream", ["schema": ["type": "string", "format": "binary"]]
    )
    let hasBytes = model.writableColumns(of: path.resource, by: path.resource.permissions.update)
      .contains(where: \.takesBase64)
    let json: (String, JSONValue) = (MediaType.json.rawValue, ["schema": [:]])
    let types = hasBytes ? [json, bytes] : [json]
    let operations = [HTTPMethod.put, .delete].map { method -> (String, JSONValue) in
      let content: JSONValue? =
        method == .put
        ? [
          "required": true, "description": "The value as JSON; of a BLOB its bytes, of any media type.",
          "content": .object(types),
        ] : nil
      return (
        method.token.lowercased(),
        [
          "operationId": .string("\(path.name).\(method.token.lowercased())"),
          "tags": [.string(path.names[0])],
          "summary": method == .put ? "Sets the value of a column." : "Sets the column to NULL.",
          "parameters": .array(path.parameters + OpenAPIParameters.fields(of: .delete, isSingle: true)),
          "requestBody": content,
          "responses": [
            "204": [
              "description": .string(
                "Done; `ETag` is that of the record, and is missing after a value of more than 16 MiB."),
              "headers": ["ETag": ["$ref": "#/components/headers/ETag"]],
            ]
          ] + problems,
        ]
      )
    }
    return .object(operations)
  }

  private static func summary(of method: HTTPMethod, _ resource: Resource, isMany: Bool) -> String {
    switch method {
    case .patch where isMany: "Changes the columns given in the content, in all matching records."
    case .delete where isMany: "Deletes all matching records."
    case .post: "Adds a record to \(resource.name), or each record of an array."
    case .put where isMany: "Links exactly these records, each of which is found, changed or added."
    case .patch: "Changes the columns given in the content."
    case .put: "Replaces the record, or adds it; omitted columns get their defaults."
    default: "Deletes the record."
    }
  }

  /// Returns a reference to the schema of the content: `books.new`, `books.change`, or `authors.books.new` if the path
  /// gives some of the columns.
  private mutating func written(
    _ method: HTTPMethod, _ path: Path, by linkage: Linkage?
  ) -> JSONValue {
    // The content omits columns that the path gives.
    var given: [String] = []
    if method != .patch {
      given += path.keyColumns
      if case .has(let step) = linkage { given += step.destinationColumns }
    }
    var names = given.isEmpty ? [path.resource.name] : path.names
    names = names.map(OpenAPISchema.component)
    if path.hasKey, !given.isEmpty { names.append("record") }
    let name = (names + [method == .patch ? "change" : "new"]).joined(separator: ".")
    return reference(
      to: name, path.resource, Form(isChange: method == .patch, isPart: method == .patch, given: given))
  }

  private func ofWritten(_ column: Column, _ resource: Resource, isReadOnly: Bool) -> JSONValue {
    let isReadable = resource.columns.contains(named: column.name)
    return OpenAPISchema.ofColumn(column, isReadOnly: isReadOnly)
      + (isReadable ? .object([]) : ["writeOnly": true])
  }

  /// How a record is written.
  private struct Form {
    /// Whether a record that is there is changed.
    var isChange = false
    /// Whether any column may be omitted.
    var isPart = false
    /// The columns that the path gives.
    var given: [String] = []
  }

  /// Returns a reference to the schema of a record as it is written, which `describeRest()` describes.
  private mutating func reference(to name: String, _ resource: Resource, _ form: Form) -> JSONValue {
    if schemas[name] == nil {
      schemas[name] = .null
      waiting.append((name, resource, form))
    }
    return OpenAPISchema.schema(name)
  }

  /// Describes the schemas that are referred to, one after the other: a chain of associations may be as long as there are
  /// tables.
  mutating func describeRest() {
    while let (name, resource, form) = waiting.popLast() { schemas[name] = described(resource, form) }
  }

  /// Returns the schema of a record with the columns that the client may write, and with the records that it may hold.
  private mutating func described(_ resource: Resource, _ form: Form) -> JSONValue {
    let (create, update) = (resource.permissions.create, resource.permissions.update)
    let entry = form.isChange ? update : create ?? update
    // What the server sets may be sent back as it was read.
    let preset =
      form.isChange ? resource.permissions.columnsLockedInChanges : resource.permissions.presetColumns
    let columns = model.writableColumns(of: resource, by: entry).filter { column in
      !form.given.contains(column.name)
        && (!preset.containsExactly(column.name) || resource.columns.contains(named: column.name))
    }
    var members = OrderedDictionary<String, JSONValue>()
    for column in columns {
      members[column.name] = ofWritten(column, resource, isReadOnly: preset.containsExactly(column.name))
    }
    var names = Set(members.keys.map(OpenAPISchema.identifier))
    var nested: Set<String> = []
    let isNamed = named?.contains(resource.name) ?? true
    for association in resource.associations.values {
      if association.replacedColumn != nil, let column = members[association.key] {
        // An object is the record to which the column refers, any other value is the column's.
        if !isNamed {
          members[association.key] = [:]
        } else if let member = self.nested(association) {
          members[association.key] = ["anyOf": [column, member]]
        }
        continue
      }
      guard names.insert(OpenAPISchema.identifier(association.key)).inserted else { continue }
      if case .belongsTo(let step) = association.linkage(in: model) {
        // Where the path gives the foreign key, it gives the record, too.
        guard !step.originColumns.contains(where: form.given.contains) else { continue }
        nested.formUnion(step.originColumns)
      }
      if isNamed, let member = self.nested(association) { members[association.key] = member }
    }
    let needed = columns.filter {
      !$0.isNullable && !$0.hasDefault && !nested.contains($0.name) && !preset.containsExactly($0.name)
    }.map(\.name)
    return [
      "type": "object",
      "properties": .object(members.map { ($0, $1) }), "additionalProperties": .bool(!isNamed),
      "required": form.isPart || needed.isEmpty ? nil : JSONValue(strings: needed),
    ]
  }

  /// Returns the schema of the records that a written record holds; nil if it can't hold them.
  private mutating func nested(_ association: Association) -> JSONValue? {
    guard let destination = model.resources[association.destination],
      let linkage = association.linkage(in: model)
    else { return nil }
    let name = OpenAPISchema.component(destination.name)
    switch linkage {
    case .belongsTo:
      let optional = "\(name).nested.optional"
      _ = reference(to: "\(name).nested", destination, Form(isPart: true))
      schemas[optional] = OpenAPISchema.optional("\(name).nested")
      return OpenAPISchema.schema(optional)
    case .join:
      // A record with nothing but its key refers to the one that is there.
      let records = reference(to: "\(name).nested", destination, Form(isPart: true))
      return association.cardinality == .toMany ? ["type": "array", "items": records] : records
    case .has:
      let records = reference(to: "\(name).new", destination, Form())
      return association.cardinality == .toMany ? ["type": "array", "items": records] : records
    }
  }

  private static func done(
    _ method: HTTPMethod, _ record: JSONValue, isMany: Bool
  ) -> JSONValue {
    func answer(_ description: String, _ headers: [String], _ schema: JSONValue) -> JSONValue {
      [
        "description": .string(description),
        "headers": .object(headers.map { ($0, ["$ref": .string("#/components/headers/\($0)")]) }),
        "content": ["application/json": ["schema": schema]],
      ]
    }
    let nothing: JSONValue = ["description": "Done, without content."]
    let added = answer("The added record.", ["ETag", "Location"], record)
    let changed = answer("The changed record.", ["ETag"], record)
    let array: JSONValue = ["type": "array", "items": record]
    switch method {
    case .patch where isMany:
      return ["200": answer("The changed records.", ["X-Total-Count"], array), "204": nothing]
    case .put where isMany: return ["200": answer("The linked records.", [], array), "204": nothing]
    case .post:
      let either: JSONValue = ["anyOf": [record, array]]
      return [
        "200": answer("The records, if all of them existed already.", ["ETag"], either),
        "201": answer("The added records.", ["ETag", "Location"], either),
      ]
    case .patch: return ["200": changed, "204": nothing]
    case .put: return ["200": changed, "201": added, "204": nothing]
    default:
      // `Prefer: return=representation`.
      let deleted =
        isMany
        ? answer("The deleted records.", ["X-Total-Count"], array) : answer("The deleted record.", [], record)
      return ["200": deleted, "204": nothing]
    }
  }

  static var problems: JSONValue {
    OpenAPIDocument.problems([
      "400", "401", "403", "404", "405", "406", "409", "412", "413", "415", "422", "429", "503", "default",
    ])
  }
}

/// The batch (docs/writing.md) as the OpenAPI document describes it.
enum OpenAPIBatch {
  static var operation: JSONValue {
    let parts: JSONValue = [
      "type": "array", "maxItems": .integer(Int64(BatchContent.maximumCount)),
      "items": ["$ref": "#/components/schemas/batch.part"],
    ]
    let answers: JSONValue = ["type": "array", "items": ["$ref": "#/components/schemas/batch.answer"]]
    let done: JSONValue = [
      "200": [
        "description": "The answers to the parts, in their order.",
        "content": ["application/json": ["schema": answers]],
      ],
      "204": ["description": "Done, without content."],
    ]
    return [
      "operationId": "kindred.batch", "tags": ["kindred"],
      "summary": "Executes several requests as one transaction: all of them, or none.",
      "parameters": .array(OpenAPIParameters.fields(of: .post, isSingle: false)),
      "requestBody": ["required": true, "content": ["application/json": ["schema": parts]]],
      "responses": done + OpenAPIWrites.problems,
    ]
  }

  static let schemas: JSONValue = [
    "batch.part": [
      "type": "object", "required": ["method", "url"], "additionalProperties": false,
      "properties": [
        "method": ["type": "string", "enum": ["GET", "POST", "PATCH", "PUT", "DELETE"]],
        "url": ["type": "string", "description": "A path with its parameters.", "minLength": 1],
        "headers": headers, "body": [:],
      ],
    ],
    "batch.answer": [
      "type": "object", "required": ["status"],
      "properties": ["status": ["type": "integer"], "headers": headers, "body": [:]],
    ],
  ]

  private static let headers: JSONValue = ["type": "object", "additionalProperties": ["type": "string"]]
}
