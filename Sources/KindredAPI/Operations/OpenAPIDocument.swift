import KindredAssociations
import OrderedCollections

/// `/-/openapi.json`: the API of a model as an OpenAPI 3.1 document (<https://spec.openapis.org/oas/v3.1.0>).
///
/// Records are described by the declared types of their columns, although SQLite lets most columns hold anything.
struct OpenAPIDocument {
  let model: Model
  let limits: RequestLimits
  /// Whether clients may write.
  var isWritable = false

  /// The content that the resources contribute.
  struct Content {
    var paths: OrderedDictionary<String, JSONValue> = [:]
    /// The schemas of the content of writes, keyed by the names of their components.
    var written: OrderedDictionary<String, JSONValue> = [:]
  }

  var json: JSONValue {
    var content = Content()
    content.paths["/"] = path(
      "index", tag: "index", "The resources, their columns and their associations.", [],
      [("200", indexResponse)])
    for resource in model.resources.values { add(resource, to: &content) }
    for (page, summary, response) in operationsPages {
      content.paths["/-/\(page.rawValue)"] = path(
        "kindred.\(page)", tag: "kindred", summary, Self.parameters(of: page), [("200", response)])
    }
    return [
      "openapi": "3.1.0",
      "info": [
        "title": "Kindred", "version": "1",
        "description": .string(isWritable ? Self.description + Self.writeDescription : Self.description),
      ],
      "paths": .object(content.paths.map { ($0, $1) }),
      "components": [
        "schemas": .object(
          [("Problem", Self.problemSchema)]
            + model.resources.values.map { ("\(Self.component($0.name)).record", recordSchema($0)) }
            + content.written.map { ($0, $1) }),
        "parameters": .object(Self.parameters(limits) + [Self.otherParameters]),
        "responses": ["Problem": Self.problemResponse, "NotModified": Self.notModifiedResponse],
        "headers": .object(Self.headers),
      ],
    ]
  }

  private static let description = """
    A request is a tree: a resource, and under it one node per association key. The parameters that are described here \
    are those of the root; prefixed with the keys that lead to a node, as in `books.sort`, they are that node's, which \
    also has `values`. The name of a column is a parameter too: `kind=novel`. Both are among `others`. What may stand in \
    an expression is what `/-/complete` offers there. Follow `Link` from page to page.
    """

  private static let writeDescription = """
     Beside its columns, a record that is written may hold those to be associated with it, under the keys of its \
    associations. `POST` imports CSV and lines of JSON, too, for which generators of clients have no types. SQLite's own \
    rules decide what a column takes: a constraint of the table may refuse what fits the \
    schema. `If-Match` with the `ETag` of a record has it changed or deleted only while it is that one.
    """

  // MARK: Paths

  private func add(_ resource: Resource, to content: inout Content) {
    let root = "/\(URLCoding.encodeSegment(resource.name))"
    content.paths[root] = path(
      resource.name, tag: resource.name, "The records of \(resource.name).", listParameters(of: resource),
      answers(with: listResponse(of: resource)),
      writes: writes(
        at: WrittenPath(name: resource.name, names: [resource.name], resource: resource), &content))
    let key = PathKey(of: resource)
    guard !key.columns.isEmpty else { return }
    let record = "\(root)/\(key.template)"
    content.paths[record] = path(
      "\(resource.name).record", tag: resource.name, "A record of \(resource.name).",
      key.parameters + recordParameters, answers(with: recordResponse(of: resource)),
      writes: writes(
        at: WrittenPath(
          name: "\(resource.name).record", names: [resource.name], resource: resource, hasKey: true,
          parameters: key.parameters, keyColumns: key.columns.map(\.name)), &content))
    for association in resource.associations.values {
      guard let destination = model.resources[association.destination] else { continue }
      add(association, to: destination, of: resource, (record, key), &content)
    }
  }

  /// - Parameter record: The path and key of the record that has the association.
  private func add(
    _ association: Association, to destination: Resource, of resource: Resource,
    _ record: (path: String, key: PathKey), _ content: inout Content
  ) {
    let isMany = association.cardinality == .toMany
    let name = "\(resource.name).record.\(association.key)"
    let names = [resource.name, association.key]
    let associated = "\(record.path)/\(URLCoding.encodeSegment(association.key))"
    let parameters = record.key.parameters
    content.paths[associated] = path(
      name, tag: resource.name,
      "The \(association.key) of a record of \(resource.name) (\(association.kind) \(destination.name)).",
      parameters + (isMany ? listParameters(of: destination) : recordParameters),
      answers(with: isMany ? listResponse(of: destination) : recordResponse(of: destination)),
      writes: writes(
        at: WrittenPath(
          name: name, names: names, resource: destination, association: association, parameters: parameters),
        &content))
    let other = PathKey(of: destination, prefix: Self.component(association.key) + "-")
    guard isMany, isWritable, association.linkage(in: model) != nil, !other.columns.isEmpty else { return }
    content.paths["\(associated)/\(other.template)"] = path(
      "\(name).record", tag: resource.name,
      "One of the \(association.key) of a record of \(resource.name).",
      parameters + other.parameters + recordParameters, answers(with: recordResponse(of: destination)),
      writes: writes(
        at: WrittenPath(
          name: "\(name).record", names: names, resource: destination, association: association,
          hasKey: true, parameters: parameters + other.parameters, keyColumns: other.columns.map(\.name)),
        &content))
  }

  /// - Parameter tag: The resource that the path begins with, by which documentation and generated clients group
  ///   operations.
  private func path(
    _ name: String, tag: String, _ summary: String, _ parameters: [JSONValue],
    _ responses: [(String, JSONValue)], writes: [(String, JSONValue)] = []
  ) -> JSONValue {
    var operation: [(String, JSONValue)] = [
      ("operationId", .string(name)), ("tags", [.string(tag)]), ("summary", .string(summary)),
    ]
    if !parameters.isEmpty { operation.append(("parameters", .array(parameters))) }
    let problem: JSONValue = ["$ref": "#/components/responses/Problem"]
    operation.append(("responses", .object(responses + [("default", problem)])))
    return .object([("get", .object(operation))] + writes)
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

/// The key of a record in a path: comma-separated values in key order.
struct PathKey {
  let columns: [Column]
  private let names: [String]
  private let resource: Resource

  /// - Parameter prefix: Distinguishes the parameter names from those of another key in the path.
  init(of resource: Resource, prefix: String = "") {
    self.resource = resource
    columns = resource.table.primaryKey.map { resource.table.columns[$0] }
    names = columns.enumerated().map { number, column in
      // Braces would end the template expression, names must be unique, and hidden names must not show.
      let isPlain =
        !column.name.isEmpty && !resource.hidden.contains(column.name)
        && column.name.unicodeScalars.allSatisfy { $0.isASCII && $0.properties.isXIDContinue }
      return prefix + (isPlain ? column.name : "key-\(number + 1)")
    }
  }

  var template: String { names.map { "{\($0)}" }.joined(separator: ",") }

  var parameters: [JSONValue] {
    zip(names, columns).map { name, column in
      [
        "name": .string(name), "in": "path", "required": true,
        "description": .string(
          resource.hidden.contains(column.name)
            ? "A part of the key of the record." : "The `\(column.name)` of the record."),
        "schema": OpenAPIDocument.keySchema(column),
      ]
    }
  }
}
