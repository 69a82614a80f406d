import struct Kindred.ResolvedBlueprint
import KindredModel
import KindredPlanning
import KindredSQLSyntax

/// Says a program's request as a request of URLs: columns as paths, aliases as paths through the tree, associations by
/// the keys of the server's model.
struct RequestLowering {
  /// A request of URLs, and how its answer becomes the rows of the program's request.
  struct Result {
    var request: FetchRequest
    let layout: RemoteRowLayout
  }

  let schema: RemoteSchema
  /// The records that aliases stand for.
  private(set) var aliases: [RecordAlias: RequestPlace] = [:]
  /// The values that the request refers to by number: keys and limits.
  var literals = Literals()
  /// Whether an aggregate reads the records of an association, which must not be those of a node.
  private let hasAggregates: Bool

  /// Returns the same request in the terms of URLs.
  ///
  /// - Throws: `RemoteError` (`notExpressible`) for what no URL says.
  static func lower(_ resolved: ResolvedBlueprint, in schema: RemoteSchema) throws -> Result {
    var lowering = RequestLowering(
      schema: schema, hasAggregates: resolved.request.root.hasExpression(where: \.isAggregate))
    return try lowering.lower(resolved)
  }

  private mutating func lower(_ resolved: ResolvedBlueprint) throws -> Result {
    let program = resolved.request
    let table = program.root.association?.steps.last?.destination ?? program.path.resource
    let root = RequestPlace(
      program.root, resource: try schema.resource(of: table), above: nil, step: .many, names: MemberNames())
    var path = RequestPath(resource: root.resource.name)
    var conditions: [Expression] = []
    var pivots: [RequestPlace] = []
    if let steps = program.root.association?.steps, let values = program.originValues {
      if let first = steps.first, let found = try self.pivots(steps, to: root) {
        pivots = found
        conditions = try Self.conditions(first, values).map {
          try expression($0, "filter", about: pivots.last ?? root, from: root)
        }
      } else {
        path = try self.path(steps[...], values, to: root)
      }
    }
    try addParts(of: root)
    var node = try node(root)
    node.filters = conditions + node.filters
    for pivot in pivots {
      node.filters += try pivot.node.filters.map { try expression($0, "filter", about: pivot, from: root) }
      let terms = try (pivot.node.sort ?? []).map { try term($0, about: pivot, from: root) }
      if !terms.isEmpty { node.sort = (node.sort ?? []) + terms }
    }
    return Result(
      request: FetchRequest(path: path, root: node, literals: literals),
      layout: RemoteRowLayout(resolved.plan, root: root))
  }

  // MARK: Places

  /// Gives the places of the records below one, and the names of its members.
  private mutating func addParts(of place: RequestPlace) throws {
    let node = place.node
    for alias in node.rows.aliases { aliases[alias] = place }
    guard node.rows.commonTables.isEmpty else { throw RemoteError.notExpressible("with(_:)") }
    guard node.rows.originAliases.isEmpty else { throw RemoteError.notExpressible("association(to:on:)") }
    if node.isIncluded { place.fields = (node.fields ?? [.all]).flatMap { $0.items(of: place.resource) } }
    place.fields = place.fields.map { Self.named($0, in: place, omittingNames: true) }
    place.annotations = node.annotations.map { Self.named($0, in: place, omittingNames: false) }
    if place.wayName != nil { place.wayName = place.names.take(["via"]) }
    place.children = try node.children.map { try self.place(of: $0, below: place) }
  }

  /// Returns an item with a name that no other member of the object has.
  ///
  /// - Parameter omitsNames: Whether a column needs no name if its own will do.
  private static func named(
    _ item: NamedExpression, in place: RequestPlace, omittingNames omitsNames: Bool
  ) -> NamedExpression {
    var item = item
    if case .program(.column(let name)) = item.expression.kind {
      let column = place.resource.table.column(named: name)?.name ?? name
      let given = place.names.take([item.name ?? column])
      item.name = omitsNames && given == column ? nil : given
    } else {
      item.name = place.names.take([item.name ?? "", "c"])
    }
    return item
  }

  private mutating func place(of node: RequestNode, below parent: RequestPlace) throws -> RequestPlace {
    guard let steps = node.association?.steps, let last = steps.last else {
      throw RemoteError.notExpressible("a node without an association")
    }
    let destination = try schema.resource(of: last.destination)
    let names = node.isIncluded ? MemberNames() : parent.names
    if let known = parent.resource.association(of: steps) {
      guard node.rows.isPrefetched || known.cardinality == .toOne else { throw Self.joinsMany(node) }
      let key = self.key(of: node, known, below: parent)
      let isOne = known.cardinality == .toOne
      let place = RequestPlace(
        node, key: key, resource: destination, above: parent, step: isOne ? .one(key: key) : .many,
        association: known, names: names)
      try addVia(steps, to: place)
      try addParts(of: place)
      return place
    }
    let isOnce = try !Self.mayRepeat(steps) || node.isDistinct || Self.isUnique(pivotTable(steps), steps)
    guard steps.count > 1, isOnce else { throw Self.missing(steps) }
    return try placeBelowHops(node, steps, to: destination, below: parent, names)
  }

  /// Returns the place of a node that several associations of the server's model lead to, one after the other.
  private mutating func placeBelowHops(
    _ node: RequestNode, _ steps: [AssociationStep], to destination: Resource, below parent: RequestPlace,
    _ names: MemberNames
  ) throws -> RequestPlace {
    var hops: [RequestPlace] = []
    var above = parent
    for (step, pivot) in zip(steps.dropLast(), node.rows.pivots) {
      guard let known = above.resource.association(of: [step]) else { throw Self.missing([step]) }
      var hidden = pivot
      (hidden.isIncluded, hidden.fields) = (false, [])
      guard !pivot.children.contains(where: \.isReturned) else { throw Self.missing(steps) }
      let key = parent.names.take(["\(known.key)_"]) {
        above.resource.associations[$0] == nil
      }
      let hop = RequestPlace(
        hidden, key: key, resource: try schema.resource(of: step.destination), above: above,
        step: known.cardinality == .toOne ? .one(key: key) : .many, association: known, names: parent.names)
      try addParts(of: hop)
      hops.append(hop)
      above = hop
    }
    guard let known = above.resource.association(of: steps.suffix(1)) else {
      throw Self.missing(steps.suffix(1))
    }
    let key = parent.names.take([node.key, known.key]) {
      above.resource.associations[$0].map { $0 == known } ?? true
    }
    let place = RequestPlace(
      node, key: key, resource: destination, above: above,
      step: known.cardinality == .toOne ? .one(key: key) : .many, association: known, names: names)
    place.hops = hops
    try addParts(of: place)
    return place
  }

  /// Returns the key of a node: the program's where that is free, else one made of it.
  private func key(of node: RequestNode, _ known: Association, below parent: RequestPlace) -> String {
    // An aggregate of a node's key reads the node's records, that of an association all of them.
    let isPart = hasAggregates && !(node.filters.isEmpty && node.children.isEmpty && node.rows.pivots.isEmpty)
    return parent.names.take([node.key, known.key]) { name in
      guard name.isPlainName, name != "via" else { return false }
      guard let other = parent.resource.associations[name] else { return true }
      return other == known && !isPart
    }
  }

  /// Gives a place that of the join table by whose rows it is reached.
  mutating func addVia(_ steps: [AssociationStep], to place: RequestPlace) throws {
    guard steps.count > 1, let last = steps.last else { return }
    let pivots = place.node.rows.pivots
    guard pivots.allSatisfy({ $0.children.isEmpty }), pivots.dropLast().allSatisfy(\.isPlain) else {
      throw RemoteError.notExpressible("a condition or an order of a table that an association goes through")
    }
    let via = RequestPlace(
      pivots.last ?? RequestNode(), resource: try schema.resource(of: last.origin), above: place, step: .via,
      names: MemberNames())
    for pivot in pivots { for alias in pivot.rows.aliases { aliases[alias] = via } }
    place.via = via
    guard Self.mayRepeat(steps), !Self.isUnique(via.resource.table, steps), !place.node.isDistinct else {
      return
    }
    guard !place.node.isGrouped, !via.resource.table.primaryKey.isEmpty else { throw Self.missing(steps) }
    place.wayName = "via"
  }

  /// Notes the record that an alias stands for.
  mutating func setAlias(_ alias: RecordAlias, _ place: RequestPlace) { aliases[alias] = place }

  // MARK: Nodes

  /// Returns the node of a place with those below it.
  private mutating func node(_ place: RequestPlace) throws -> RequestNode {
    let program = place.node
    var node = RequestNode(key: place.key, association: place.association)
    node.isIncluded = program.isIncluded
    node.isRequired = program.isRequired
    if program.isIncluded {
      node.fields = try place.fields.map { .expression(try item($0, "select", at: place)) }
    }
    node.annotations = try place.annotations.map { try item($0, "annotated", at: place) }
    if let name = place.wayName, let via = place.via, let column = via.resource.table.primaryKey.first {
      let path = Expression(names: ["via", via.resource.table.columns[column].name])
      node.annotations.append(NamedExpression(name: name, expression: path))
    }
    for filter in program.filters {
      if case .program(.search(let binding)) = filter.kind, let pattern = binding.knownValue {
        node.searches.append(RequestNode.Search(literal: literals.number(of: pattern), origin: Origin()))
      } else {
        node.filters.append(try expression(filter, "filter", about: place, from: place))
      }
    }
    node.group = try program.group.map { try expression($0, "group", about: place, from: place) }
    node.havings = try program.havings.map { try expression($0, "having", about: place, from: place) }
    node.isDistinct = program.isDistinct
    var terms = try (program.sort ?? []).map { try term($0, about: place, from: place) }
    if let via = place.via {
      node.filters += try via.node.filters.map { try expression($0, "filter", about: via, from: place) }
      terms += try (via.node.sort ?? []).map { try term($0, about: via, from: place) }
    }
    // The order of a joined collection is part of that of the records below it.
    for hop in place.hops.reversed() where hop.association?.cardinality == .toMany {
      terms += try (hop.node.sort ?? []).map { try term($0, about: hop, from: place) }
    }
    node.sort = terms.isEmpty ? nil : terms
    if let limit = program.rows.limit?.integer, limit >= 0 {
      node.limit = literals.number(of: .integer(limit))
    }
    if let offset = program.rows.offset?.integer, offset > 0 {
      node.offset = literals.number(of: .integer(offset))
    }
    for child in place.children { node.children.append(try self.child(child)) }
    return node
  }

  /// Returns the node of a place, below those of the associations that lead to it.
  private mutating func child(_ place: RequestPlace) throws -> RequestNode {
    var node = try node(place)
    for hop in place.hops.reversed() {
      var above = try self.node(hop)
      if hop.association?.cardinality == .toMany { above.sort = nil }
      above.children.append(node)
      node = above
    }
    return node
  }

  private func item(_ item: NamedExpression, _ clause: String, at place: RequestPlace) throws
    -> NamedExpression
  {
    NamedExpression(
      name: item.name, expression: try expression(item.expression, clause, about: place, from: place))
  }

  private func term(_ term: SortTerm, about place: RequestPlace, from start: RequestPlace) throws -> SortTerm
  {
    var term = term
    term.expression = try expression(term.expression, "order", about: place, from: start)
    return term
  }

  // MARK: Associations

  /// Returns whether one record can be reached in several ways: up from many that are below one.
  static func mayRepeat(_ steps: [AssociationStep]) -> Bool {
    let down = steps.firstIndex { $0.direction == .has && !$0.isToOne } ?? steps.endIndex
    return steps[down...].contains { $0.direction == .belongsTo }
  }

  private func pivotTable(_ steps: [AssociationStep]) throws -> Table {
    try schema.resource(of: steps[steps.count - 1].origin).table
  }

  /// Returns whether no two rows of a join table connect the same records.
  private static func isUnique(_ pivot: Table, _ steps: [AssociationStep]) -> Bool {
    guard steps.count == 2 else { return false }
    return pivot.isUnique(steps[0].destinationColumns + steps[1].originColumns)
  }

  static func missing(_ steps: some Collection<AssociationStep>) -> RemoteError {
    let way = ([steps.first?.origin ?? ""] + steps.map(\.destination)).joined(separator: " → ")
    return .notExpressible("the association \(way), for which the server has no key")
  }

  private static func joinsMany(_ node: RequestNode) -> RemoteError {
    let method = "\(node.isIncluded ? "including" : "joining")(\(node.isRequired ? "required" : "optional"):)"
    return .notExpressible("\(method) of the to-many association `\(node.key)`")
  }
}

extension Resource {
  /// Returns the association that takes the same steps to all records.
  func association(of steps: some Collection<AssociationStep>) -> Association? {
    associations.values.first { known in
      known.filter == nil && known.steps.count == steps.count
        && zip(known.steps, steps).allSatisfy { $0.connects(as: $1) }
    }
  }
}

extension AssociationStep {
  /// Whether both connect the same tables by the same columns.
  fileprivate func connects(as other: AssociationStep) -> Bool {
    func pairs(_ step: AssociationStep) -> Set<[String]> {
      Set(
        zip(step.originColumns, step.destinationColumns).map { [$0.foldingASCIICase, $1.foldingASCIICase] })
    }
    return origin.equalsIgnoringCase(other.origin) && destination.equalsIgnoringCase(other.destination)
      && pairs(self) == pairs(other)
  }
}

extension RequestNode {
  /// Whether it neither filters, orders nor names its records.
  var isPlain: Bool { filters.isEmpty && (sort ?? []).isEmpty && rows.aliases.isEmpty }
}

extension Field {
  /// The items that it selects.
  fileprivate func items(of resource: Resource) -> [NamedExpression] {
    switch self {
    case .all:
      resource.table.declaredColumns.map { column in
        NamedExpression(
          name: nil, expression: Expression(.program(.column(column.name)), at: Origin()))
      }
    case .expression(let item): [item]
    }
  }
}

extension String {
  /// Whether it is a name that URLs need not quote.
  fileprivate var isPlainName: Bool {
    utf8.first.map { !(0x30...0x39).contains($0) } ?? false
      && utf8.allSatisfy {
        (0x30...0x39).contains($0) || (0x61...0x7A).contains($0 | 0x20) || $0 == UInt8(ascii: "_")
      }
  }
}
