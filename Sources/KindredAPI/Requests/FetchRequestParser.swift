import KindredAssociations
import KindredSQLSyntax
import OrderedCollections

/// What a URL asks for.
struct ParsedRequest {
  var fetchRequest: FetchRequest
  /// Whether the statements are wanted instead of the data.
  var explains = false
  /// Whether the path leads to the value of a column of its record.
  var isColumnValue = false
  /// Records of the page at most; nil for all.
  var limit: Int64?
  /// What decides the order beside the path: a cursor belongs to requests that agree in it.
  var orderTerms = ""
}

/// Reads URLs: the path, and the tree of parameters (§2 and §3 of the contract).
struct FetchRequestParser {
  let model: Model
  let limits: RequestLimits
  /// Whether the whole collection is meant unless a limit is given.
  var isUnpaged = false
  private var literals = Literals()

  init(model: Model, limits: RequestLimits, isUnpaged: Bool = false) {
    self.model = model
    self.limits = limits
    self.isUnpaged = isUnpaged
  }

  /// - Parameters:
  ///   - path: the segments of the path, still encoded.
  ///   - query: what follows `?`, still encoded.
  /// - Throws: `RequestError`.
  mutating func parse(path segments: [Substring], query: String?) throws -> ParsedRequest {
    var pathParser = PathParser(model: model, literals: literals)
    let path = try pathParser.parse(segments, allowsColumn: true)
    if let column = pathParser.column {
      literals = pathParser.literals
      return try parse(column, of: path, try QueryParameters(query))
    }
    return try parse(
      path: path, literals: pathParser.literals, segments: segments,
      parameters: try QueryParameters(query))
  }

  /// - Parameters:
  ///   - literals: those of the path.
  ///   - segments: of the path as received: cursors belong to it.
  ///   - included: associations that are included whatever the parameters say.
  /// - Throws: `RequestError`.
  mutating func parse(
    path: RequestPath, literals: Literals, segments: [Substring] = [], parameters: QueryParameters,
    including included: [IncludeItem] = []
  ) throws -> ParsedRequest {
    self.literals = literals
    let resource = try self.resource(at: path)
    let tree = RequestTree(model: model, limits: limits, resource: resource)
    try tree.add(
      includes: try parameters.values("include").flatMap { try includes($0, "include") } + included,
      joins: try parameters.values("join").flatMap { try includes($0, "join") })

    var parsed = ParsedRequest(
      fetchRequest: FetchRequest(path: path, root: RequestNode()))
    var after: String?
    for parameter in parameters.parameters {
      if parameter.node.isEmpty {
        switch parameter.kind {
        case "include", "join": continue
        case "format":
          try checkFormat(parameter)
          continue
        case "after":
          after = parameter.value
          continue
        case "count":
          parsed.fetchRequest.count = try boolean(parameter)
          continue
        case "explain":
          parsed.explains = try boolean(parameter)
          continue
        default: break
        }
        if ["sort", "group", "distinct", "fields", "search"].contains(parameter.kind) {
          parsed.orderTerms += "&\(parameter.kind)=\(parameter.value)"
        }
      }
      if let column = column(named: parameter, in: tree) {
        add(column, parameter.value, to: &tree.root.request)
        continue
      }
      let node = try node(of: parameter, in: tree)
      try apply(parameter, to: &node.request)
    }
    try applyLimit(to: &tree.root.request, &parsed, isSingle: path.isSingle)
    parsed.fetchRequest.root = tree.root.frozen
    if let after {
      guard !path.isSingle else {
        throw RequestError(
          .invalidValue, "one record has no pages: leave out `after`", at: Origin(parameter: "after"))
      }
      parsed.fetchRequest.after = try CursorCoding.decode(
        after, order: RequestOrder(segments: segments, terms: parsed.orderTerms).text)
    }
    parsed.fetchRequest.literals = self.literals
    return parsed
  }

  /// The value of a column of the record that the path leads to.
  private func parse(
    _ column: Column, of path: RequestPath, _ parameters: QueryParameters
  ) throws -> ParsedRequest {
    if let parameter = parameters.parameters.first {
      throw RequestError(
        .unknownParameter, "the value of a column has no parameters: leave out `\(parameter.name)`",
        at: Origin(parameter: parameter.name))
    }
    var root = RequestNode()
    var parser = try ExpressionParser("\"\(column.name.replacing("\"", with: "\"\""))\"", parameter: "")
    root.values = try parser.parseExpression()
    var parsed = ParsedRequest(fetchRequest: FetchRequest(path: path, root: root, literals: literals))
    parsed.isColumnValue = true
    return parsed
  }

  private func resource(at path: RequestPath) throws -> Resource {
    var name = path.resource
    for case .association(let association) in path.segments { name = association.destination }
    guard let resource = model.resources[name] else {
      throw RequestError(.unknownResource, "there is no resource `\(name)`")
    }
    return resource
  }

  /// The node that a parameter speaks of.
  private func node(of parameter: QueryParameters.Parameter, in tree: RequestTree) throws -> RequestTree.Node
  {
    let names = parameter.node.isEmpty ? RequestNode.rootParameterNames : RequestNode.parameterNames
    guard names.contains(parameter.kind) else {
      let what = parameter.node.isEmpty ? "parameter" : "parameter of a node"
      let columns = parameter.node.isEmpty ? tree.root.resource.columns.map(\.name) : []
      throw RequestError.unknown(
        parameter.kind, .unknownParameter, "there is no \(what) `\(parameter.kind)`", among: names + columns,
        at: Origin(parameter: parameter.name)
      ) { (parameter.node + [$0]).joined(separator: ".") }
    }
    var node = tree.root
    for (number, key) in parameter.node.enumerated() {
      guard let child = node.children[key] else {
        let path = parameter.node.prefix(number + 1).joined(separator: ".")
        throw RequestError.unknown(
          key, .unknownNode, "`\(path)` is not part of the request: add `include=\(path)` or `join=\(path)`",
          among: node.children.keys, at: Origin(parameter: parameter.name))
      }
      node = child
    }
    return node
  }

  // MARK: Parameters

  /// The column of the root that a parameter names; nil where it is a parameter of the request.
  private func column(named parameter: QueryParameters.Parameter, in tree: RequestTree) -> Column? {
    let isKnown =
      parameter.node.isEmpty
      ? RequestNode.rootParameterNames.contains(parameter.kind)
      : RequestNode.parameterNames.contains(parameter.kind)
        && tree.root.children[parameter.node[0]] != nil
    return isKnown ? nil : tree.root.resource.columns.first { $0.name == parameter.name }
  }

  /// Adds a value that the column may have: where it is given several times, any of them.
  private mutating func add(_ column: Column, _ text: String, to node: inout RequestNode) {
    let candidates = column.candidates(for: text).map { literals.number(of: $0) }
    if let index = node.equalities.firstIndex(where: { $0.name == column.name }) {
      node.equalities[index].literals += candidates
    } else {
      node.equalities.append(RequestPath.KeyColumn(name: column.name, literals: candidates))
    }
  }

  private mutating func apply(_ parameter: QueryParameters.Parameter, to node: inout RequestNode) throws {
    switch parameter.kind {
    case "annotate": node.annotations += try parse(parameter) { try $0.parseNamedExpressions() }
    case "fields": node.fields = try parse(parameter) { try $0.parseFields() }
    case "values": node.values = try parse(parameter) { try $0.parseExpression() }
    case "filter": node.filters.append(try parse(parameter) { try $0.parseExpression() })
    case "having": node.havings.append(try parse(parameter) { try $0.parseExpression() })
    case "sort": node.sort = try parse(parameter) { try $0.parseSort() }
    case "group": node.group = try parse(parameter) { try $0.parseExpressions() }
    case "distinct": node.isDistinct = try boolean(parameter)
    case "limit": node.limit = literals.number(of: .integer(try count(parameter)))
    case "offset": node.offset = literals.number(of: .integer(try count(parameter)))
    case "search":
      node.searches.append(
        RequestNode.Search(
          literal: literals.number(of: .text(parameter.value)), origin: Origin(parameter: parameter.name)))
    default: break
    }
  }

  /// The page size of the root: as requested, or the default one.
  private mutating func applyLimit(
    to root: inout RequestNode, _ parsed: inout ParsedRequest, isSingle: Bool
  ) throws {
    if let number = root.limit, case .integer(let limit) = literals.values[number] {
      if let most = limits.maximumPageSize, limit > most, !isUnpaged {
        throw RequestError(
          .limitExceeded, "a page has \(most) records at most: follow `Link` for more",
          at: Origin(parameter: "limit"))
      }
      parsed.limit = limit
    } else if let size = limits.pageSize, !isUnpaged, !isSingle {
      parsed.limit = size
      root.limit = literals.number(of: .integer(size))
    }
  }

  private mutating func parse<Value>(
    _ parameter: QueryParameters.Parameter, _ body: (inout ExpressionParser) throws -> Value
  ) throws -> Value {
    var parser = try ExpressionParser(
      parameter.value, parameter: parameter.name, literals: literals, maximumDepth: limits.expressionDepth)
    let value = try body(&parser)
    literals = parser.collectedLiterals
    return value
  }

  private func includes(_ value: String, _ name: String) throws -> [IncludeItem] {
    var parser = try ExpressionParser(value, parameter: name)
    return try parser.parseIncludes()
  }

  private func checkFormat(_ parameter: QueryParameters.Parameter) throws {
    let formats = MediaType.formats.map(\.key)
    guard !formats.contains(parameter.value) else { return }
    throw RequestError.unknown(
      parameter.value, .invalidValue,
      "there is no format `\(parameter.value)`: there are \(formats.joined(separator: ", "))", among: formats,
      at: Origin(parameter: parameter.name))
  }

  private func boolean(_ parameter: QueryParameters.Parameter) throws -> Bool {
    switch parameter.value {
    case "true": return true
    case "false": return false
    default:
      throw RequestError(
        .invalidValue, "`\(parameter.kind)` is true or false", at: Origin(parameter: parameter.name))
    }
  }

  private func count(_ parameter: QueryParameters.Parameter) throws -> Int64 {
    guard let value = Int64(parameter.value), value >= 0, value < 1 << 53 else {
      throw RequestError(
        .invalidValue, "`\(parameter.kind)` is a number of records, 0 or more",
        at: Origin(parameter: parameter.name))
    }
    return value
  }
}

extension RequestPath {
  /// The name of the last association, or of the resource.
  var name: String {
    for case .association(let association) in segments.reversed() { return association.key }
    return resource
  }

  /// Whether it leads to one record at most.
  var isSingle: Bool {
    switch segments.last {
    case .record: true
    case .association(let association): association.cardinality == .toOne
    case nil: false
    }
  }
}
