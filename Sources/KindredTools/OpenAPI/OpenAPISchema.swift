import KindredModel
import KindredRequests
import OrderedCollections

/// The schemas of values in the OpenAPI document.
enum OpenAPISchema {
  /// Returns the schema of a record; no member is required, because requests choose them.
  ///
  /// - Parameter hasAssociations: Whether it describes its associations.
  static func record(of resource: Resource, hasAssociations: Bool = true) -> JSONValue {
    var members = OrderedDictionary<String, JSONValue>()
    for column in resource.columns {
      members[column.name] = ofColumn(column, isReadOnly: resource.permissions.isReadOnly(column.name))
    }
    // Generators make one member of names that differ only in case and punctuation, which then doesn't compile.
    var names = Set(members.keys.map(identifier))
    for association in resource.associations.values where hasAssociations {
      if association.replacedColumn != nil, let column = members[association.key] {
        // The record stands in the place of the column that refers to it.
        members[association.key] = ["anyOf": [column, reference(association.destination, isOptional: true)]]
        continue
      }
      guard names.insert(identifier(association.key)).inserted else { continue }
      members[association.key] =
        association.cardinality == .toMany
        ? ["type": "array", "items": reference(association.destination)]
        : reference(association.destination, isOptional: true)
    }
    return [
      "type": "object", "properties": .object(members.map { ($0, $1) }),
      "description": resource.table.comment.map(JSONValue.string),
    ]
  }

  /// Returns the schemas of all records, and of those to which a to-one association leads.
  ///
  /// - Parameter named: The names of the resources that are described, with those to which they lead; nil for all.
  static func records(in model: Model, named: Set<String>?) -> JSONValue {
    func isNamed(_ resource: Resource) -> Bool { named?.contains(resource.name) ?? true }
    let associations = model.resources.values.filter(isNamed).flatMap(\.associations.values)
    let destinations = Set(associations.map(\.destination))
    let ends = Set(associations.filter { $0.cardinality == .toOne }.map(\.destination))
    return .object(
      model.resources.values.flatMap { resource -> [(String, JSONValue)] in
        guard isNamed(resource) || destinations.contains(resource.name) else { return [] }
        let name = "\(component(resource.name)).record"
        let optional = ends.contains(resource.name) ? [("\(name).optional", optional(name))] : []
        return [(name, record(of: resource, hasAssociations: isNamed(resource)))] + optional
      } + [("Absent", absent)])
  }

  /// Returns the schema of a record of another schema, or of `null`, as a to-one association is without a record.
  ///
  /// Generators of clients drop a member that is either a reference or null, and can't follow a circle of schemas that
  /// may be null and list their members: so this is another schema, which refers to the record.
  static func optional(_ name: String) -> JSONValue {
    ["type": ["object", "null"], "anyOf": [schema(name), schema("Absent")]]
  }

  /// What stands for no record, in words that generators don't drop.
  private static let absent: JSONValue = [
    "type": ["object", "null"], "maxProperties": 0, "description": "`null`, where there is no record.",
  ]

  /// Returns a reference to the schema of a resource's records.
  static func reference(_ resource: String, isOptional: Bool = false) -> JSONValue {
    schema("\(component(resource)).record\(isOptional ? ".optional" : "")")
  }

  static func schema(_ name: String) -> JSONValue { ["$ref": .string("#/components/schemas/\(name)")] }

  /// Returns the schema of a column's values according to its declared type (docs/requests.md), with what the database
  /// says about the column.
  ///
  /// - Parameters:
  ///   - isReadOnly: Whether the server alone sets the column.
  ///   - isPart: Whether the values are parts of a structure, which have exactly the declared type.
  static func ofColumn(_ column: Column, isReadOnly: Bool = false, isPart: Bool = false) -> JSONValue {
    if let structure = column.structure {
      return of(structure, isNullable: column.isNullable) + [
        "readOnly": column.isGenerated || column.isComputed || isReadOnly ? true : nil,
        "description": column.comment.map(JSONValue.string),
      ]
    }
    let types: [String]? =
      switch column.input {
      // Any JSON value.
      case .json, .array, .any: nil
      // Only 0 and 1 are written as booleans.
      case .boolean: isPart ? ["boolean"] : ["boolean", "number"]
      case .choice, .bytes: ["string"]
      case .text, .date, .time, .timestamp, .number:
        switch column.affinity {
        case .integer: ["integer"]
        case .real: ["number"]
        case .text, .blob: ["string"]
        // Dates and decimals: text that looks like a number is stored as one.
        case .numeric: ["number", "string"]
        }
      }
    let all = types.map { $0 + (column.isNullable ? ["null"] : []) }
    let labels = column.labels.map(JSONValue.string) + (column.isNullable ? [.null] : [])
    return [
      "type": all.map { $0.count == 1 ? .string($0[0]) : JSONValue(strings: $0) },
      "format": types == ["integer"] ? format(bits: column.integerBits) : nil,
      "readOnly": column.isGenerated || column.isComputed || isReadOnly ? true : nil,
      "description": column.comment.map(JSONValue.string),
      "enum": column.input == .choice ? .array(labels) : nil,
      "minimum": types == ["integer"] ? .integer(.min >> (64 - column.integerBits)) : nil,
      "maximum": types == ["integer"] ? .integer(.max >> (64 - column.integerBits)) : nil,
      // As a part, PostgreSQL writes bytes in its own notation (`\x00ff`).
      "contentEncoding": column.input == .bytes && !isPart ? "base64" : nil,
    ]
  }

  /// Returns the format of integers (OpenAPI §4.4), by which generators choose a type that holds all of them.
  private static func format(bits: Int) -> JSONValue { bits > 32 ? "int64" : "int32" }

  /// The schema of integers of 64 bits.
  static let ofInteger: JSONValue = [
    "type": "integer", "format": "int64", "minimum": .integer(.min), "maximum": .integer(.max),
  ]

  /// Returns the schema of values with parts, each of which may be `null`.
  private static func of(_ structure: ValueStructure, isNullable: Bool) -> JSONValue {
    func type(_ name: String) -> JSONValue {
      isNullable ? JSONValue(strings: [name, "null"]) : .string(name)
    }
    switch structure {
    case .elements(let element):
      return ["type": type("array"), "items": ofColumn(element.column, isPart: true)]
    case .fields(let fields):
      return [
        "type": type("object"),
        "properties": .object(fields.map { ($0.name, ofColumn($0.column, isPart: true)) }),
        "additionalProperties": false,
      ]
    }
  }

  /// Returns the schema of a column's value in a path.
  static func ofKey(_ column: Column) -> JSONValue {
    guard column.affinity == .integer, column.declaredType.uppercased() != "BOOLEAN" else {
      return ["type": "string", "minLength": 1]
    }
    // Without bounds: an integer beyond 64 bits is valid but finds nothing.
    return ["type": "integer", "format": format(bits: column.integerBits)]
  }

  /// The schema of problems (RFC 9457) with their members (docs/requests.md).
  static let ofProblem: JSONValue = [
    "type": "object",
    "required": ["type", "title", "status", "detail"],
    "properties": [
      "type": [
        "type": "string", "format": "uri-reference",
        "description": "A URL that describes this kind of problem.",
      ],
      "title": ["type": "string"],
      "status": ["type": "integer"],
      "detail": ["type": "string", "description": "What is wrong with this request, and how to fix it."],
      "parameter": ["type": "string", "description": "The parameter that caused the problem."],
      "position": [
        "type": "integer", "minimum": 0,
        "description": "The position in the decoded value of the parameter, in characters.",
      ],
      "suggestions": [
        "type": "array", "items": ["type": "string"], "description": "The nearest existing names.",
      ],
      "hint": ["type": "string", "description": "How to proceed, in words of the database's author."],
      "pointer": [
        "type": "string", "description": "The place in the content, as a JSON pointer in a URL fragment.",
      ],
      "line": ["type": "integer", "minimum": 1, "description": "The line of an import."],
      "instance": ["type": "string", "description": "Identifies this occurrence of the problem."],
    ],
  ]

  /// Returns what client generators leave of a name: its letters and digits, whose case they choose.
  static func identifier(_ name: String) -> String {
    name.filter { $0.isLetter || $0.isNumber }.lowercased()
  }

  /// Returns the beginning of the IDs of a resource's operations, of which generators make names of functions and types.
  static func operation(_ resource: String) -> String {
    let name = component(resource)
    return name.first { $0 != "_" }?.isLetter ?? false ? name : "resource.\(name)"
  }

  /// Returns a name that is valid in a reference to a component (OpenAPI §4.8.7.1).
  static func component(_ name: String) -> String {
    String(
      name.unicodeScalars.map { scalar in
        let isPlain =
          scalar.isASCII && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil)
        return isPlain ? String(scalar) : "_\(String(scalar.value, radix: 16))_"
      }.joined())
  }
}
