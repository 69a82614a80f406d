import KindredAssociations
import OrderedCollections

extension OpenAPIDocument {
  /// What may be asked of many records, as references.
  func listParameters(of resource: Resource) -> [JSONValue] {
    Self.references(parameters(of: resource), Self.component(resource.name) + ".")
      + Self.references(Self.commonParameters(limits), "")
  }

  /// What may be asked of one record.
  func recordParameters(of resource: Resource) -> [JSONValue] {
    Self.references(treeParameters(of: resource), Self.component(resource.name) + ".")
  }

  /// What is asked of the records that a write of many is about.
  func selectingParameters(of resource: Resource) -> [JSONValue] {
    [Self.reference(Self.component(resource.name) + ".filter"), Self.reference("limit")]
  }

  private static func references(_ parameters: [(name: String, JSONValue)], _ prefix: String) -> [JSONValue] {
    parameters.map { reference(prefix + $0.name) }
  }

  private static func reference(_ parameter: String) -> JSONValue {
    ["$ref": .string("#/components/parameters/\(parameter)")]
  }

  /// The parameters that are the same everywhere.
  static func commonParameters(_ limits: RequestLimits) -> [(name: String, JSONValue)] {
    var limit: [(String, JSONValue)] = [("type", "integer"), ("minimum", 0)]
    if let most = limits.maximumPageSize { limit.append(("maximum", .integer(most))) }
    if let size = limits.pageSize { limit.append(("default", .integer(size))) }
    return [
      parameter("limit", "How many records a page has at most.", .object(limit)),
      parameter(
        "offset", "How many records are passed over.",
        ["type": "integer", "minimum": 0, "maximum": .integer(1 << 53 - 1)]),
      parameter("count", "Adds `X-Total-Count`.", ["type": "boolean"]),
    ]
  }

  /// The parameters that depend on the columns and associations of a resource.
  func parameters(of resource: Resource) -> [(name: String, JSONValue)] {
    treeParameters(of: resource) + [
      Self.parameter("sort", "The order; `-` is for descending.", Self.sortSchema(of: resource)),
      Self.parameter(
        "filter", "Only the records for which the expression holds.", Self.filterSchema(of: resource)),
    ]
  }

  /// Those of them that speak of the tree.
  private func treeParameters(of resource: Resource) -> [(name: String, JSONValue)] {
    let associations = resource.associations.values
    let keys = associations.map(\.key)
    // More of them would be too many nodes.
    let nodes = Array(keys.prefix(limits.nodes))
    let names = Set(resource.columns.map(\.name) + keys)
    let aggregates = associations.filter { $0.cardinality == .toMany }.flatMap { association in
      [("Count", "count"), ("IsEmpty", "isEmpty")].compactMap { suffix, aggregate -> String? in
        let name = association.key + suffix
        return names.contains(name) ? nil : "\(name):\(association.key).\(aggregate)"
      }
    }
    let lists = [
      Self.list("include", "Associations that are part of the result.", of: nodes, unique: false),
      Self.list(
        "join", "Associations that the request speaks of, without being part of the result.", of: nodes,
        unique: false),
      Self.list("annotate", "Values that are added to each record.", of: aggregates, unique: true),
    ]
    let fields = Self.parameter(
      "fields", "The columns that are part of the result; empty for none.", Self.fieldsSchema(of: resource))
    return lists.compactMap { $0 } + [fields]
  }

  private static func parameter(
    _ name: String, _ description: String, _ schema: JSONValue
  ) -> (name: String, JSONValue) {
    (name, ["name": .string(name), "in": "query", "description": .string(description), "schema": schema])
  }

  /// A list of names, separated by commas; nil where there are none to choose from.
  private static func list(
    _ name: String, _ description: String, of items: [String], unique: Bool
  ) -> (name: String, JSONValue)? {
    let plain = items.filter(isPlainItem)
    guard !plain.isEmpty else { return nil }
    let schema: JSONValue = [
      "type": "array", "items": ["type": "string", "enum": JSONValue(strings: plain)],
      "uniqueItems": .bool(unique), "minItems": 1,
    ]
    return (
      name,
      [
        "name": .string(name), "in": "query", "description": .string(description), "style": "form",
        "explode": false, "schema": schema,
      ]
    )
  }

  /// Whether a name can be written without quotes, which would only be in the way here.
  private static func isPlainItem(_ item: String) -> Bool {
    let letters = item.unicodeScalars
    guard let first = letters.first(where: { $0 != "-" }), first.isASCII, first.properties.isXIDStart else {
      return false
    }
    let others: Set<Unicode.Scalar> = ["-", ":", "."]
    return letters.allSatisfy { $0.isASCII && ($0.properties.isXIDContinue || others.contains($0)) }
  }

  /// A column or a value, as a regular expression (ECMA-262).
  private static func term(of resource: Resource) -> String {
    let columns = resource.columns.map(\.name).filter(isPlainItem)
    return "(\((columns + ["null", "true", "false", "[0-9]+([.][0-9]+)?"]).joined(separator: "|")))"
  }

  /// Some columns in table order, each once; of wide tables only the first can be combined, lest the pattern grow with
  /// the square of their number.
  private static func fieldsSchema(of resource: Resource) -> JSONValue {
    let columns = resource.columns.map(\.name).filter(isPlainItem)
    let combined = Array(columns.prefix(12))
    let lists = combined.indices.map { first in
      combined[first] + combined[(first + 1)...].map { "(,\($0))?" }.joined()
    }
    let choices = ["", "[*]"] + lists + columns.dropFirst(combined.count)
    return ["type": "string", "pattern": .string("^(\(choices.joined(separator: "|")))$")]
  }

  private static func sortSchema(of resource: Resource) -> JSONValue {
    let term = "-?" + term(of: resource)
    return ["type": "string", "pattern": .string("^\(term)(,\(term)){0,15}$")]
  }

  /// Comparisons of columns and values, joined by `and` and `or`.
  private static func filterSchema(of resource: Resource) -> JSONValue {
    let term = "(\(term(of: resource))|'[^']*')"
    let comparison = "\(term)( ?(=|!=|<|<=|>|>=) ?\(term)| is( not)? null)?"
    return ["type": "string", "pattern": .string("^\(comparison)( (and|or) \(comparison)){0,8}$")]
  }
}
