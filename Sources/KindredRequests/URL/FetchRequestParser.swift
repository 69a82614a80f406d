import KindredModel
import KindredSQLSyntax
import OrderedCollections

/// The request that a URL stands for.
package struct ParsedRequest {
  package var fetchRequest: FetchRequest
  /// Whether the response explains the statements instead of returning data.
  package var explains = false
  /// Whether the path leads to the value of a column.
  package var isColumnValue = false
  /// The name of a file with the result, without its extension; nil for that of the resource or the association.
  package var name: String?
  /// The largest number of records of the page; nil for all.
  package var limit: Int64?
  /// The parameters that determine the order: a cursor is valid for requests that agree in these and in the path.
  package var orderTerms: [[String]] = []
  /// The patterns of the root's searches, which determine the order too.
  package var patterns: [String] = []
}

/// Parses URLs: the path and the tree of parameters (docs/requests.md).
package struct FetchRequestParser {
  package let model: Model
  package let limits: RequestLimits
  /// Whether a request without a limit is for the whole collection.
  package var isUnpaged = false
  /// Collects errors instead of throwing them: invalid parts are omitted from the request.
  package let diagnostics: Diagnostics?
  /// Decodes cursors; nil ignores them.
  package var cursors: CursorCoding?
  /// The standing of the principal: cursors of others are refused.
  package var principal: [UInt8] = []
  private var literals = Literals()
  /// How many tokens the remaining expressions may have in total, because the content of QUERY may be long.
  private var tokensLeft = 100_000
  private var single = SingleParameters()

  package init(
    model: Model, limits: RequestLimits, isUnpaged: Bool = false, diagnostics: Diagnostics? = nil
  ) {
    self.model = model
    self.limits = limits
    self.isUnpaged = isUnpaged
    self.diagnostics = diagnostics
  }

  /// - Parameters:
  ///   - path: The encoded segments of the path.
  ///   - query: The parameters.
  /// - Throws: `RequestError`.
  package mutating func parse(path segments: [Substring], query: URLQuery) throws -> ParsedRequest {
    literals = Literals(areDistinct: query.comparesExpressions)
    var pathParser = PathParser(model: model, literals: literals)
    let path = try pathParser.parse(segments, allowsColumn: true)
    if let column = pathParser.column {
      return try parse(
        column, of: path, literals: pathParser.literals, parameters: try QueryParameters(query))
    }
    return try parse(
      path: path, literals: pathParser.literals, segments: segments,
      parameters: try QueryParameters(query))
  }

  /// - Parameters:
  ///   - literals: The literals of the path.
  ///   - segments: The segments of the path as received, which cursors are bound to.
  ///   - included: Associations that are included in addition to those of the parameters.
  /// - Throws: `RequestError`.
  package mutating func parse(
    path: RequestPath, literals: Literals, segments: [Substring] = [], parameters: QueryParameters,
    including included: [IncludeItem] = []
  ) throws -> ParsedRequest {
    self.literals = literals
    let resource = try self.resource(at: path)
    let tree = RequestTree(
      model: model, limits: limits, resource: resource, by: path.lastAssociation, diagnostics: diagnostics)
    let includes = try items(of: parameters.named("include"))
    try tree.add(includes: includes + included, joins: try items(of: parameters.named("join")))

    var parsed = ParsedRequest(
      fetchRequest: FetchRequest(path: path, root: RequestNode()))
    var place: [QueryParameters.Parameter] = []
    let start = start(of: path)
    for parameter in parameters.parameters {
      try noting(diagnostics) {
        if try add(parameter, toStart: start, insteadOf: tree.root.resource) { return }
        try apply(parameter, to: tree, &parsed, &place)
      }
    }
    parsed.fetchRequest.path.parameters = start?.request.parameters ?? [:]
    try noting(diagnostics) {
      try applyLimit(to: &tree.root.request, &parsed, isSingle: path.isSingle)
    }
    parsed.fetchRequest.root = tree.root.frozen
    try noting(diagnostics) { try applyPlace(place, to: &parsed, segments: segments) }
    parsed.fetchRequest.literals = self.literals
    return parsed
  }

  /// Parses a request for the value of a column of the record that the path leads to.
  ///
  /// - Parameter literals: The literals of the path.
  package mutating func parse(
    _ column: Column, of path: RequestPath, literals: Literals, parameters: QueryParameters
  ) throws -> ParsedRequest {
    self.literals = literals
    let record = RequestTree.Node(
      RequestNode(), resource: try resource(at: path), by: path.lastAssociation, depth: 0)
    let start = start(of: path)
    for parameter in parameters.parameters {
      try noting(diagnostics) {
        if try add(parameter, toStart: start, insteadOf: record.resource) { return }
        if try add(parameter, to: record) { return }
        throw RequestError(
          .unknownParameter,
          "a request for the value of a column takes no parameters of requests; leave out `\(parameter.name)`",
          at: parameter.origin)
      }
    }
    var parser = try ExpressionParser("\"\(column.name.replacing("\"", with: "\"\""))\"", parameter: "")
    record.request.values = try parser.parseExpression()
    var parsed = ParsedRequest(
      fetchRequest: FetchRequest(path: path, root: record.request, literals: self.literals))
    parsed.fetchRequest.path.parameters = start?.request.parameters ?? [:]
    parsed.isColumnValue = true
    parsed.name = ([column.name] + path.lastKey(literals)).joined(separator: "-")
    return parsed
  }

  /// Returns the resource where a path starts that leads to another one, as a node with the parameters of its query.
  private func start(of path: RequestPath) -> RequestTree.Node? {
    guard path.lastAssociation != nil else { return nil }
    return model.resources[path.resource].map {
      RequestTree.Node(RequestNode(), resource: $0, by: nil, depth: 0)
    }
  }

  /// Adds the value of a parameter of the resource where the path starts; returns false if the parameter is another one,
  /// or also one of the resource where the path ends.
  private mutating func add(
    _ parameter: QueryParameters.Parameter, toStart start: RequestTree.Node?, insteadOf end: Resource
  ) throws -> Bool {
    guard let start, parameter.node.isEmpty, try add(parameter, to: start) else { return false }
    return end.table.query?.parameter(named: parameter.kind) == nil
  }

  private func resource(at path: RequestPath) throws -> Resource {
    let name = path.lastAssociation?.destination ?? path.resource
    guard let resource = model.resources[name] else {
      throw RequestError(.unknownResource, "there is no resource `\(name)`")
    }
    return resource
  }

  // MARK: Parameters

  /// Returns the root's column that a parameter names, or nil if it is a parameter of the request.
  private func column(named parameter: QueryParameters.Parameter, in tree: RequestTree) -> Column? {
    let isKnown =
      parameter.node.isEmpty
      ? RequestNode.rootParameterNames.contains(parameter.kind)
      : RequestNode.parameterNames.contains(parameter.kind)
        && tree.root.children[parameter.node[0]] != nil
    return isKnown ? nil : tree.root.resource.columns.first(named: parameter.name)
  }

  /// Adds a value that the column may have; repeated, any of the values may match.
  private mutating func add(_ column: Column, _ text: String, to node: inout RequestNode) {
    let candidates = column.candidates(for: text).map { literals.number(of: $0, in: .parameter(column.name)) }
    if let index = node.equalities.firstIndex(where: { $0.name.hasBytes(of: column.name) }) {
      node.equalities[index].literals += candidates
    } else {
      node.equalities.append(RequestPath.KeyColumn(name: column.name, literals: candidates))
    }
  }

  private mutating func apply(
    _ parameter: QueryParameters.Parameter, to tree: RequestTree, _ parsed: inout ParsedRequest,
    _ place: inout [QueryParameters.Parameter]
  ) throws {
    if column(named: parameter, in: tree) == nil { try single.add(parameter) }
    if parameter.node.isEmpty {
      switch parameter.kind {
      case "include", "join": return
      case "format": return try checkFormat(parameter)
      case "after", "before":
        place.append(parameter)
        return
      case "limit":
        parsed.limit = try count(parameter)
        return
      case "count":
        parsed.fetchRequest.estimatesCount = parameter.value == "estimated"
        parsed.fetchRequest.count =
          try parsed.fetchRequest.estimatesCount || boolean(parameter, or: "estimated")
        return
      case "explain":
        parsed.explains = try boolean(parameter)
        return
      default: break
      }
      if parameter.isOfOrder {
        parsed.orderTerms.append([parameter.kind, parameter.value])
      } else if parameter.kind == "search" {
        parsed.patterns.append(parameter.value)
      }
    }
    if let column = column(named: parameter, in: tree) {
      return add(column, parameter.value, to: &tree.root.request)
    }
    guard let node = try node(of: parameter, in: tree), try !add(parameter, to: node) else { return }
    guard try noting(diagnostics, { try apply(parameter, to: &node.request) }) == nil else { return }
    // The parameter is present, although its value is invalid.
    switch parameter.kind {
    case "fields": node.request.fields = [.all]
    case "values": node.request.values = Expression(.null, at: parameter.origin)
    default: break
    }
  }

  /// Adds the value of a parameter of the node's resource; returns false if that has no parameter of this name.
  private mutating func add(
    _ parameter: QueryParameters.Parameter, to node: RequestTree.Node
  ) throws -> Bool {
    guard let declared = node.resource.table.query?.parameter(named: parameter.kind) else { return false }
    func refusal(_ problem: String) -> RequestError {
      RequestError(
        .invalidValue, "`\(declared.name)` (\(declared.kind.rawValue)) \(problem)", at: parameter.origin)
    }
    if let association = node.association, association.parameters[declared.name] != nil {
      throw refusal("is fixed by `\(association.key)`; leave it out")
    }
    guard node.request.parameters[declared.name] == nil else { throw refusal("is repeated; give it once") }
    guard let value = declared.kind.value(of: parameter.value) else {
      // An error of the value isn't also one of a value that is missing.
      node.request.parameters[declared.name] = literals.number(of: .null)
      throw refusal("must be \(declared.kind.form)")
    }
    node.request.parameters[declared.name] = literals.number(of: value, in: .parameter(parameter.name))
    return true
  }

  private mutating func apply(_ parameter: QueryParameters.Parameter, to node: inout RequestNode) throws {
    switch parameter.kind {
    case "annotate": node.annotations += try parse(parameter) { try $0.parseNamedExpressions() }
    case "fields": node.fields = try (node.fields ?? []) + parse(parameter) { try $0.parseFields() }
    case "values": node.values = try parse(parameter) { try $0.parseExpression() }
    case "filter": node.filters.append(try parse(parameter) { try $0.parseExpression() })
    case "having": node.havings.append(try parse(parameter) { try $0.parseExpression() })
    case "sort": node.sort = try (node.sort ?? []) + parse(parameter) { try $0.parseSort() }
    case "group": node.group += try parse(parameter) { try $0.parseExpressions() }
    case "distinct": node.isDistinct = try boolean(parameter)
    case "limit": node.limit = literals.number(of: .integer(try count(parameter)))
    case "offset": node.offset = literals.number(of: .integer(try count(parameter)))
    case "search":
      guard !parameter.value.utf8.contains(0) else {
        throw RequestError(
          .invalidValue, "a pattern can't contain a NUL character; leave it out",
          at: Origin(parameter: parameter.name))
      }
      node.searches.append(
        RequestNode.Search(
          literal: literals.number(of: .text(parameter.value)), origin: parameter.origin))
    default: break
    }
  }

  /// Sets the page size of the root: as requested, or the default.
  ///
  /// It is always the last literal, so that a requested and a default page size share a plan.
  private mutating func applyLimit(
    to root: inout RequestNode, _ parsed: inout ParsedRequest, isSingle: Bool
  ) throws {
    if let limit = parsed.limit, let most = limits.maximumPageSize, limit > most, !isUnpaged {
      throw RequestError(
        .limitExceeded, "`limit` may be \(most) at most; fetch more records in several requests",
        at: Origin(parameter: "limit"))
    }
    parsed.limit = parsed.limit ?? (isUnpaged || isSingle ? nil : limits.pageSize)
    root.limit = parsed.limit.map { literals.number(of: .integer($0)) }
  }

  /// Parses expressions with their values as literals, which aren't part of a plan.
  private mutating func parse<Value>(
    _ parameter: QueryParameters.Parameter, _ body: (inout ExpressionParser) throws -> Value
  ) throws -> Value {
    var parser = try parser(of: parameter, literals: literals)
    // With a second reference to the literals, each expression would copy all of them.
    literals = Literals()
    defer { literals = parser.collectedLiterals }
    return try body(&parser)
  }

  private mutating func parser(
    of parameter: QueryParameters.Parameter, literals: Literals
  ) throws -> ExpressionParser {
    let parser = try ExpressionParser(
      parameter.value, at: parameter.origin, literals: literals, maximumDepth: limits.expressionDepth,
      maximumPathLength: limits.treeDepth, maximumTokenCount: tokensLeft, diagnostics: diagnostics)
    tokensLeft -= parser.tokenCount
    return parser
  }

  /// Returns the items of all `include` or `join` parameters.
  private mutating func items(of parameters: [QueryParameters.Parameter]) throws -> [IncludeItem] {
    var items: [IncludeItem] = []
    for parameter in parameters {
      items += try noting(diagnostics) { try parse(parameter) { try $0.parseIncludes() } } ?? []
    }
    return items
  }

  private func checkFormat(_ parameter: QueryParameters.Parameter) throws {
    let formats = MediaType.formats.map(\.key)
    guard !formats.contains(parameter.value) else { return }
    throw RequestError.unknown(
      parameter.value, .invalidValue,
      "there is no format `\(parameter.value)`; the formats are \(formats.joined(separator: ", "))",
      among: formats,
      at: parameter.origin)
  }

  /// - Parameter other: Another value that the parameter may have.
  private func boolean(_ parameter: QueryParameters.Parameter, or other: String? = nil) throws -> Bool {
    switch parameter.value {
    case "true": return true
    case "false": return false
    default:
      throw RequestError(
        .invalidValue,
        "`\(parameter.kind)` must be \(other == nil ? "" : "true, ")\(other.map { "false or \($0)" } ?? "true or false")",
        at: parameter.origin)
    }
  }

  private func count(_ parameter: QueryParameters.Parameter) throws -> Int64 {
    let largest: Int64 = 1 << 53 - 1
    guard parameter.value.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let value = Int64(parameter.value),
      value <= largest
    else {
      throw RequestError(
        .invalidValue, "`\(parameter.kind)` must be a number of records, from 0 to \(largest)",
        at: parameter.origin)
    }
    return value
  }
}

extension RequestPath {
  /// The key of the last association, else the name of the resource.
  package var name: String { lastAssociation?.key ?? resource }

  /// Returns the texts of the key that the path ends with; none if it ends with an association.
  fileprivate func lastKey(_ literals: Literals) -> [String] {
    guard case .record(let key) = segments.last else { return [] }
    return key.compactMap { column in
      guard let number = column.literals.first, case .text(let text) = literals.values[number] else {
        return nil
      }
      return text
    }
  }

  /// The association with which it ends, before a key; nil if it leads to records of a resource.
  package var lastAssociation: Association? {
    for case .association(let association) in segments.reversed() { return association }
    return nil
  }

  /// Whether the path leads to at most one record.
  package var isSingle: Bool {
    switch segments.last {
    case .record: true
    case .association(let association): association.cardinality == .toOne
    case nil: false
    }
  }
}
