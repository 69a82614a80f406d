import KindredModel
import KindredHTTP
import KindredSQLSyntax
import KindredRequests

/// The parameters of requests for records, as components of the OpenAPI document and references to them.
enum OpenAPIParameters {
  /// Returns references to the parameters of requests for many records.
  static func ofList(of resource: Resource, below association: Association? = nil) -> [JSONValue] {
    own(of: resource, below: association)
      + RequestParameter.ofRoot.filter { parameter in
        if case .pattern = parameter.value { return resource.table.fullText != nil }
        return true
      }.map { reference($0.name, of: resource) } + [Self.others]
  }

  /// Returns references to the parameters of requests for one record.
  static func ofRecord(of resource: Resource, below association: Association? = nil) -> [JSONValue] {
    own(of: resource, below: association) + shaping(of: resource)
      + RequestParameter.ofRoot.filter { $0.name == "format" }.map(Self.reference)
      + [Self.others]
  }

  /// Returns the parameters that a resource declares.
  private static func own(of resource: Resource, below association: Association?) -> [JSONValue] {
    resource.parameters(below: association).map { parameter in
      let value = parameter.defaultValue.flatMap { $0 == .null ? nil : $0 }
      return [
        "name": .string(parameter.name), "in": "query", "required": .bool(parameter.isRequired),
        "description": .string("A parameter of \(resource.name)."),
        "schema": parameter.kind.schema + ["default": value.map(parameter.kind.json)],
      ]
    }
  }

  /// Returns references to the parameters that select the records of a bulk write.
  static func selecting(of resource: Resource) -> [JSONValue] {
    let names = ["filter", "limit"] + (resource.table.fullText == nil ? [] : ["search"])
    return RequestParameter.ofRoot.filter { names.contains($0.name) }.map(Self.reference)
  }

  /// Returns references to the parameters that determine a record's members, in responses to writes too.
  static func shaping(of resource: Resource?) -> [JSONValue] {
    let names = ["include", "join", "fields", "annotate"]
    return RequestParameter.ofRoot.filter { names.contains($0.name) }.map { parameter in
      resource.map { reference(parameter.name, of: $0) } ?? reference(parameter)
    }
  }

  /// Returns a reference to a parameter of requests for a resource: that of the resource, if it names associations.
  private static func reference(_ name: String, of resource: Resource) -> JSONValue {
    guard isOfResources(name), !resource.associations.isEmpty else { return reference(name) }
    return reference("\(OpenAPISchema.component(resource.name)).\(name)")
  }

  /// Whether the values of a parameter begin with the keys of a resource's associations.
  private static func isOfResources(_ name: String) -> Bool { name == "include" || name == "join" }

  /// Returns the pattern of items that begin with the keys of a resource's associations.
  ///
  /// An item with a period may begin with a key that the request itself defines.
  private static func itemPattern(of resource: Resource) -> String {
    let keys = resource.associations.keys.map { key in
      // ECMA-262 escapes no other characters.
      key.map { "^$\\.*+?()[]{}|/".contains($0) ? "\\\($0)" : "\($0)" }.joined()
    }
    let item = "([^,:]*:)? *\"?(\(keys.joined(separator: "|")))\"?(\\*[0-9]*)?!? *|[^,]*\\.[^,]*"
    return "^ *(\(item))(, *(\(item)))*$"
  }

  /// Returns references to the parameters of what a write changes, but not to the ones that select and shape records.
  ///
  /// - Parameter linksAll: Whether the write replaces all links.
  static func changing(by method: HTTPMethod, linksAll: Bool) -> [JSONValue] {
    switch method {
    case .put where linksAll: [reference("onConflict")]
    case .post: [reference("set"), reference("onConflict")]
    case .patch: [reference("set")]
    default: []
    }
  }

  private static func reference(_ parameter: RequestParameter) -> JSONValue { reference(parameter.name) }

  private static func reference(_ name: String) -> JSONValue {
    ["$ref": .string("#/components/parameters/\(name)")]
  }

  // MARK: Header fields

  /// The condition of reading: the client's representation is not current.
  static let ofReading = [reference("If-None-Match")]

  /// Returns references to the header fields of a write: conditions, preferences, and the key of a request that must not
  /// be executed twice.
  ///
  /// - Parameter isSingle: Whether the path leads to at most one record, so that there may be conditions.
  static func fields(of method: HTTPMethod, isSingle: Bool) -> [JSONValue] {
    var names = ["Prefer"]
    if method == .post || method == .patch { names.append("Idempotency-Key") }
    if isSingle, method != .post { names.append("If-Match") }
    if isSingle, method == .put { names.append("If-None-Match") }
    return names.map(reference)
  }

  private static let fieldDefinitions = [
    field("If-Match", "The `ETag` of the record that the change is based on; 412 if it is another one now."),
    field(
      "If-None-Match",
      "For reading, the `ETag` of what the client has; 304 if it is current. For `PUT`, `*`: the record must not exist."
    ),
    field(
      "Prefer",
      "Preferences (RFC 7240): `return=minimal`, `return=representation`, `tx=rollback`, `handling=strict`, and, to add records, `resolution=merge-duplicates` or `resolution=ignore-duplicates`."
    ),
    field(
      "Idempotency-Key",
      "A string of the client's choice, in quotes. The same key and content again give the first answer, and write nothing.",
      pattern: #"^"([ !#-\[\]-~]|\\["\\])+"$"#
    ),
  ]

  private static func field(
    _ name: String, _ description: String, pattern: String? = nil
  ) -> (String, JSONValue) {
    (
      name,
      [
        "name": .string(name), "in": "header", "description": .string(description),
        "schema": ["type": "string", "pattern": pattern.map(JSONValue.string)],
      ]
    )
  }

  private static let others: JSONValue = ["$ref": "#/components/parameters/others"]

  /// A parameter that stands for those of nodes and columns, whose names depend on the request.
  private static let othersDefinition: (String, JSONValue) = (
    "others",
    [
      "name": "others", "in": "query", "style": "form", "explode": true,
      "description": "Parameters of nodes, such as `books.limit`, and columns with their values.",
      "schema": ["type": "object", "additionalProperties": ["type": "string"]],
      "example": [:],
    ]
  )

  /// The parameters that only writes have.
  private static let writeDefinitions: [(String, JSONValue)] = [
    list(
      "set",
      "Columns that are computed, such as `stock:stock-1`: of the records that `PATCH` changes, and of those that `POST` with `resolution=merge-duplicates` finds.",
      minimum: 1),
    list(
      "onConflict",
      "The columns of the unique key by which records that are there are found; empty for the primary key.",
      minimum: 0),
  ]

  private static func list(
    _ name: String, _ description: String, minimum: Int64
  ) -> (String, JSONValue) {
    let text: JSONValue = ["type": "string", "minLength": 1]
    return (
      name,
      [
        "name": .string(name), "in": "query", "description": .string(description), "style": "form",
        "explode": true, "schema": ["type": "array", "items": text, "minItems": .integer(minimum)],
      ]
    )
  }

  /// Returns the definitions of the root's parameters, by their names as components.
  ///
  /// - Parameter resources: The resources whose paths are described.
  static func definitions(_ limits: RequestLimits, of resources: [Resource]) -> [(String, JSONValue)] {
    let ofResources = RequestParameter.ofRoot.filter { isOfResources($0.name) }.flatMap { parameter in
      resources.filter { !$0.associations.isEmpty }.map { resource in
        (
          "\(OpenAPISchema.component(resource.name)).\(parameter.name)",
          definition(of: parameter, limits, itemPattern: itemPattern(of: resource))
        )
      }
    }
    return RequestParameter.ofRoot.map { ($0.name, definition(of: $0, limits)) } + ofResources
      + [othersDefinition] + writeDefinitions + fieldDefinitions
  }

  private static func definition(
    of parameter: RequestParameter, _ limits: RequestLimits, itemPattern: String? = nil
  ) -> JSONValue {
    let text: JSONValue = ["type": "string", "minLength": 1]
    let list: JSONValue = [
      "type": "array", "items": text + ["pattern": itemPattern.map(JSONValue.string)],
    ]
    let (schema, isList): (JSONValue, Bool) =
      switch parameter.value {
      case .includes, .namedExpressions, .expressions, .sort: (list + ["minItems": 1], true)
      case .fields, .expression: (list, true)
      case .pattern: (text, false)
      // An empty `before` is the last page.
      case .cursor: (parameter.name == "before" ? ["type": "string"] : text, false)
      case .boolean: (["type": "boolean"], false)
      case .words(let words): (choice(of: words), false)
      case .count: (count(of: parameter, limits), false)
      }
    // Generators write each item of a list as a separate parameter, whatever the document says.
    return [
      "name": .string(parameter.name), "in": "query", "description": .string(parameter.summary),
      "style": isList ? "form" : nil, "explode": isList ? true : nil, "schema": schema,
    ]
  }

  /// Returns the schema of a choice of words; those of a boolean are one, so that clients take `true` itself.
  private static func choice(of words: [String]) -> JSONValue {
    let truth = ["true", "false"]
    let others: JSONValue = [
      "type": "string", "enum": JSONValue(strings: words.filter { !truth.contains($0) }),
    ]
    return truth.allSatisfy(words.contains) ? ["anyOf": [["type": "boolean"], others]] : others
  }

  private static func count(of parameter: RequestParameter, _ limits: RequestLimits) -> JSONValue {
    let isLimit = parameter.name == "limit"
    let most: Int64? = isLimit ? limits.maximumPageSize : 1 << 53 - 1
    return [
      "type": "integer", "format": "int64", "minimum": 0, "maximum": most.map(JSONValue.integer),
      "default": isLimit ? limits.pageSize.map(JSONValue.integer) : nil,
    ]
  }
}

extension QueryParameter.Kind {
  /// The schema of its values.
  fileprivate var schema: JSONValue {
    switch self {
    case .text: ["type": "string"]
    case .integer: OpenAPISchema.ofInteger
    case .real: ["type": "number"]
    case .boolean: ["type": "boolean"]
    }
  }
}
