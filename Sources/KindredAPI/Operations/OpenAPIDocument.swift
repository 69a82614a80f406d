import KindredAssociations
import OrderedCollections

/// `/-/openapi.json`: what can be asked for, from the model, as OpenAPI 3.1
/// (<https://spec.openapis.org/oas/v3.1.0>).
///
/// Records are described by the declared types of their columns; SQLite itself lets most columns hold anything.
struct OpenAPIDocument {
  let model: Model
  let limits: RequestLimits
  /// Whether clients may write.
  var isWritable = false

  var json: JSONValue {
    var paths = OrderedDictionary<String, JSONValue>()
    paths["/"] = path(
      "index", "The resources, their columns and their associations.", [], ["200": indexResponse])
    for resource in model.resources.values { add(resource, to: &paths) }
    for (page, summary, response) in operationsPages {
      paths["/-/\(page.rawValue)"] = path(
        "kindred.\(page)", summary, Self.parameters(of: page), ["200": response])
    }
    return [
      "openapi": "3.1.0",
      "info": [
        "title": "Kindred", "version": "1",
        "description": .string(isWritable ? Self.description + Self.writeDescription : Self.description),
      ],
      "paths": .object(paths.map { ($0, $1) }),
      "components": [
        "schemas": .object(
          [("Problem", Self.problemSchema)]
            + model.resources.values.map { ("record.\(Self.component($0.name))", recordSchema($0)) }),
        "parameters": .object(Self.parameters(limits)),
        "responses": ["Problem": Self.problemResponse, "NotModified": Self.notModifiedResponse],
        "headers": .object(Self.headers),
      ],
    ]
  }

  private static let description = """
    A request is a tree: a resource, and under it one node per association key. The parameters that are described here \
    are those of the root; prefixed with the keys that lead to a node, as in `books.sort`, they are that node's, which \
    also has `values`. The name of a column is a parameter too: `kind=novel`. What may stand in an expression is what \
    `/-/complete` offers there. Follow `Link` from page to page.
    """

  private static let writeDescription = """
     Beside its columns, a record that is written may hold those to be associated with it, under the keys of its \
    associations. SQLite's own rules decide what a column takes: a constraint of the table may refuse what fits the \
    schema. `If-Match` with the `ETag` of a record has it changed or deleted only while it is that one.
    """

  // MARK: Paths

  private func add(_ resource: Resource, to paths: inout OrderedDictionary<String, JSONValue>) {
    let root = "/\(URLCoding.encodeSegment(resource.name))"
    paths[root] = path(
      resource.name, "The records of \(resource.name).", listParameters(of: resource),
      answers(with: listResponse(of: resource)),
      writes: writes(at: WrittenPath(name: resource.name, resource: resource)))
    let key = PathKey(of: resource)
    guard !key.columns.isEmpty else { return }
    let record = "\(root)/\(key.template)"
    paths[record] = path(
      "\(resource.name).record", "A record of \(resource.name).",
      key.parameters + recordParameters,
      answers(with: recordResponse(of: resource)),
      writes: writes(
        at: WrittenPath(
          name: "\(resource.name).record", resource: resource, hasKey: true, parameters: key.parameters,
          keyColumns: key.columns.map(\.name))))
    for association in resource.associations.values {
      guard let destination = model.resources[association.destination] else { continue }
      let isMany = association.cardinality == .toMany
      let name = "\(resource.name).record.\(association.key)"
      let associated = "\(record)/\(URLCoding.encodeSegment(association.key))"
      paths[associated] = path(
        name,
        "The \(association.key) of a record of \(resource.name) (\(association.kind) \(destination.name)).",
        key.parameters + (isMany ? listParameters(of: destination) : recordParameters),
        answers(with: isMany ? listResponse(of: destination) : recordResponse(of: destination)),
        writes: writes(
          at: WrittenPath(
            name: name, resource: destination, association: association, parameters: key.parameters)))
      let other = PathKey(of: destination, prefix: Self.component(association.key) + "-")
      guard isMany, isWritable, association.linkage(in: model) != nil, !other.columns.isEmpty else {
        continue
      }
      paths["\(associated)/\(other.template)"] = path(
        "\(name).record", "One of the \(association.key) of a record of \(resource.name).",
        key.parameters + other.parameters + recordParameters,
        answers(with: recordResponse(of: destination)),
        writes: writes(
          at: WrittenPath(
            name: "\(name).record", resource: destination, association: association, hasKey: true,
            parameters: key.parameters + other.parameters, keyColumns: other.columns.map(\.name))))
    }
  }

  private func path(
    _ name: String, _ summary: String, _ parameters: [JSONValue], _ responses: [(String, JSONValue)],
    writes: [(String, JSONValue)] = []
  ) -> JSONValue {
    var operation: [(String, JSONValue)] = [
      ("operationId", .string(name)), ("tags", Self.tags(of: name)), ("summary", .string(summary)),
    ]
    if !parameters.isEmpty { operation.append(("parameters", .array(parameters))) }
    let problem: JSONValue = ["$ref": "#/components/responses/Problem"]
    operation.append(("responses", .object(responses + [("default", problem)])))
    return .object([("get", .object(operation))] + writes)
  }

  private func path(
    _ name: String, _ summary: String, _ parameters: [JSONValue],
    _ responses: KeyValuePairs<String, JSONValue>
  ) -> JSONValue {
    path(name, summary, parameters, responses.map { ($0.key, $0.value) })
  }

  /// The resource that an operation begins at, by which clients and readers find it.
  static func tags(of operation: String) -> JSONValue {
    [.string(operation.split(separator: ".").first.map(String.init) ?? operation)]
  }

  /// A name as it may stand in a reference to a component (OpenAPI §4.8.7.1).
  static func component(_ name: String) -> String {
    String(
      name.unicodeScalars.map { scalar in
        let isPlain =
          scalar.isASCII && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil)
        return isPlain ? String(scalar) : "_\(String(scalar.value, radix: 16))_"
      }.joined())
  }
}

/// The key of a record in a path: values in key order, separated by commas.
struct PathKey {
  let columns: [Column]
  private let names: [String]

  /// - Parameter prefix: tells the names from those of another key of the path.
  init(of resource: Resource, prefix: String = "") {
    columns = resource.table.primaryKey.map { resource.table.columns[$0] }
    names = columns.enumerated().map { number, column in
      // Braces would end the expression, and names must differ.
      let isPlain =
        !column.name.isEmpty
        && column.name.unicodeScalars.allSatisfy { $0.isASCII && $0.properties.isXIDContinue }
      return prefix + (isPlain ? column.name : "key-\(number + 1)")
    }
  }

  var template: String { names.map { "{\($0)}" }.joined(separator: ",") }

  var parameters: [JSONValue] {
    zip(names, columns).map { name, column in
      [
        "name": .string(name), "in": "path", "required": true,
        "description": .string("The `\(column.name)` of the record."),
        "schema": OpenAPIDocument.keySchema(column),
      ]
    }
  }
}
