import KindredSQLSyntax

/// Writes requests as URLs, from which `FetchRequestParser` parses the same request.
///
/// A cursor is omitted, because only the server can make one.
package struct FetchRequestRenderer {
  private let request: FetchRequest
  private let model: Model
  private let expressions: ExpressionRenderer
  private var parameters: [(name: String, value: String)] = []

  /// Returns the path and query of a request.
  ///
  /// - Throws: `ExpressionRenderer.NotExpressible` for what a URL can't express.
  package static func url(of request: FetchRequest, in model: Model) throws -> String {
    var renderer = FetchRequestRenderer(request, in: model)
    return try renderer.render()
  }

  private init(_ request: FetchRequest, in model: Model) {
    self.request = request
    self.model = model
    expressions = ExpressionRenderer(literals: request.literals.values)
  }

  private mutating func render() throws -> String {
    var items: (includes: [String], joins: [String]) = ([], [])
    addItems(of: request.root, below: [], to: &items)
    if !items.includes.isEmpty { add("include", items.includes.joined(separator: ",")) }
    if !items.joins.isEmpty { add("join", items.joins.joined(separator: ",")) }
    try addParameters(of: request.root, named: "")
    if request.count { add("count", request.estimatesCount ? "estimated" : "true") }
    let query = parameters.map {
      "\(URLCoding.encodeParameter($0.name))=\(URLCoding.encodeQueryValue($0.value))"
    }
    return try path() + (query.isEmpty ? "" : "?\(query.joined(separator: "&"))")
  }

  private mutating func add(_ name: String, _ value: String) { parameters.append((name, value)) }

  // MARK: Path

  private func path() throws -> String {
    var path = "/\(URLCoding.encodeSegment(request.path.resource))"
    var resource = model.resources[request.path.resource]
    var association: Association?
    for segment in request.path.segments {
      switch segment {
      case .record(let key): path += "/\(try text(of: key, resource, below: association))"
      case .association(let next):
        path += "/\(URLCoding.encodeSegment(next.key))"
        resource = model.resources[next.destination]
        association = next
      }
    }
    return path
  }

  private func text(
    of key: [RequestPath.KeyColumn], _ resource: Resource?, below association: Association?
  ) throws -> String {
    let values = try key.map { column in
      // The first candidate of a value is its text in the URL.
      guard let number = column.literals.first, case .text(let text) = request.literals.values[number] else {
        throw ExpressionRenderer.NotExpressible()
      }
      return text
    }
    let names = key.map(\.name)
    let isByPosition = [nil, association].contains {
      names == resource?.openAddressColumns(below: $0).map(\.name)
    }
    if isByPosition, values.joined(separator: ",").canBeSegment {
      return values.map(URLCoding.encodeSegment).joined(separator: ",")
    }
    return zip(key, values).map { "\(URLCoding.encodeSegment($0.name))=\(URLCoding.encodeSegment($1))" }
      .joined(separator: ",")
  }

  // MARK: Tree

  /// Adds an item for each node below another, so that their order is kept.
  private func addItems(
    of node: RequestNode, below path: [String], to items: inout (includes: [String], joins: [String])
  ) {
    for child in node.children {
      guard let association = child.association else { continue }
      var item = child.key == association.key ? "" : "\(child.key.asExpressionName):"
      item += (path + [association.key]).map(\.asExpressionName).joined(separator: ".")
      if child.isRequired { item += "!" }
      if let levels = child.recursion { item += "*\(levels)" }
      if child.isIncluded { items.includes.append(item) } else { items.joins.append(item) }
      addItems(of: child, below: path + [child.key], to: &items)
    }
  }

  // MARK: Parameters

  private mutating func addParameters(of node: RequestNode, named prefix: String) throws {
    let literals = request.literals.values
    try addValues(ofParametersOf: node, named: prefix)
    if let fields = node.fields { add(prefix + "fields", try list(fields) { try expressions.text(of: $0) }) }
    if let values = node.values { add(prefix + "values", try expressions.text(of: values)) }
    if !node.annotations.isEmpty {
      add(prefix + "annotate", try list(node.annotations) { try expressions.text(of: $0) })
    }
    addEqualities(of: node)
    for filter in node.filters { add(prefix + "filter", try expressions.text(of: filter)) }
    for search in node.searches { add(prefix + "search", try text(literals[search.literal])) }
    if !node.group.isEmpty { add(prefix + "group", try list(node.group) { try expressions.text(of: $0) }) }
    for having in node.havings { add(prefix + "having", try expressions.text(of: having)) }
    if let sort = node.sort { add(prefix + "sort", try list(sort) { try expressions.text(of: $0) }) }
    if node.isDistinct { add(prefix + "distinct", "true") }
    if let limit = node.limit { add(prefix + "limit", try text(literals[limit])) }
    if let offset = node.offset { add(prefix + "offset", try text(literals[offset])) }
    for child in node.children {
      try addParameters(of: child, named: "\(prefix)\(child.key).")
    }
  }

  /// Adds the values of the parameters that the resource of a node declares.
  private mutating func addValues(ofParametersOf node: RequestNode, named prefix: String) throws {
    guard !node.parameters.isEmpty else { return }
    let resource =
      node.association.map { model.resources[$0.destination] } ?? request.path.resource(in: model)
    for parameter in resource?.table.parameters ?? [] {
      guard let number = node.parameters[parameter.name],
        let text = parameter.kind.text(of: request.literals.values[number])
      else { continue }
      add(prefix + parameter.name, text)
    }
  }

  private func list<Item>(_ items: [Item], _ text: (Item) throws -> String) rethrows -> String {
    try items.map(text).joined(separator: ",")
  }

  /// Adds the values that columns may have.
  ///
  /// Each was one text, which may stand for several values: the text itself, and then others that aren't texts.
  private mutating func addEqualities(of node: RequestNode) {
    for equality in node.equalities {
      for number in equality.literals {
        if case .text(let text) = request.literals.values[number] { add(equality.name, text) }
      }
    }
  }

  private func text(_ value: SQLValue) throws -> String {
    switch value {
    case .integer(let value): String(value)
    case .text(let value): value
    case .null, .real, .blob: throw ExpressionRenderer.NotExpressible()
    }
  }
}
