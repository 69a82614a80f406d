import KindredAssociations
import OrderedCollections

extension OpenAPIDocument {
  /// A record with its associations; all members are there only as far as they are asked for.
  ///
  /// What a to-one association doesn't find is `null`. The schema doesn't say so: generators of clients drop what is
  /// either a reference or null, and take a member that may be absent for one that may be null.
  func recordSchema(_ resource: Resource) -> JSONValue {
    var members = OrderedDictionary<String, JSONValue>()
    for column in resource.columns { members[column.name] = Self.schema(column) }
    for association in resource.associations.values where members[association.key] == nil {
      let reference = reference(association.destination)
      members[association.key] =
        association.cardinality == .toMany ? ["type": "array", "items": reference] : reference
    }
    return ["type": "object", "properties": .object(members.map { ($0, $1) })]
  }

  func reference(_ resource: String) -> JSONValue {
    ["$ref": .string("#/components/schemas/\(Self.component(resource)).record")]
  }

  /// What a column's declared type makes of its values (§6 of the contract).
  static func schema(_ column: Column) -> JSONValue {
    let declared = column.declaredType.uppercased()
    let types: [String]
    switch declared {
    // Anything, JSON documents among it.
    case "", "JSON", "ANY": return .object([])
    // Only 0 and 1 are written as booleans.
    case "BOOLEAN", "BOOL": types = ["boolean", "number"]
    default:
      switch column.affinity {
      case .integer: types = ["integer"]
      case .real: types = ["number"]
      case .text, .blob: types = ["string"]
      // Dates and decimals: what looks like a number is one.
      case .numeric: types = ["number", "string"]
      }
    }
    var members: [(String, JSONValue)] = []
    let all = types + (column.isNullable ? ["null"] : [])
    members.append(("type", all.count == 1 ? .string(all[0]) : JSONValue(strings: all)))
    if column.affinity == .blob { members.append(("contentEncoding", "base64")) }
    return .object(members)
  }

  /// A column's value in a path.
  static func keySchema(_ column: Column) -> JSONValue {
    guard column.affinity == .integer, column.declaredType.uppercased() != "BOOLEAN" else {
      return ["type": "string", "minLength": 1]
    }
    // Of any size: one beyond 64 bits finds nothing.
    return ["type": "integer"]
  }

  /// RFC 9457, with the members of §8 of the contract.
  static let problemSchema: JSONValue = [
    "type": "object",
    "required": ["type", "title", "status", "detail"],
    "properties": [
      "type": [
        "type": "string", "format": "uri-reference",
        "description": "Leads to the description of the problem.",
      ],
      "title": ["type": "string"],
      "status": ["type": "integer"],
      "detail": ["type": "string", "description": "What is wrong here, and how to mend it."],
      "parameter": ["type": "string", "description": "The parameter that is to blame."],
      "position": [
        "type": "integer", "minimum": 0, "description": "Where in its decoded value, in characters.",
      ],
      "suggestions": [
        "type": "array", "items": ["type": "string"], "description": "The nearest existing names.",
      ],
    ],
  ]
}
