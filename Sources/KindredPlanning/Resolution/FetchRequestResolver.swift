import KindredModel

/// Resolves a request, node by node: all names that it contains get a meaning, or an error.
struct FetchRequestResolver {
  let state: PlanningState

  private var model: Model { state.model }
  private var diagnostics: Diagnostics? { state.diagnostics }
  private var associations: AssociationResolver { AssociationResolver(state: state) }

  /// Returns what a request means.
  ///
  /// - Throws: `RequestError` if a name doesn't exist, an expression has no meaning, two members have the same name,
  ///   parameters exclude each other, or a limit is exceeded.
  func resolve(_ request: FetchRequest) throws -> ResolvedRequest {
    let path = request.path
    var steps: [ResolvedRecords] = []
    var place = Place()
    for segment in path.segments {
      switch segment {
      case .record(let key): place.key = key
      case .association(let association):
        steps.append(
          try records(at: place, of: path, after: steps.last, node: steps.isEmpty ? path.start : nil))
        place = Place(association: association)
      }
    }
    try check(request.root, name: "")
    let records = try records(at: place, of: path, after: steps.last, node: request.root, isEnd: true)
    var members = NameSet()
    let root = try resolve(
      ResolvedNode(
        node: request.root, name: "", names: records.names, association: records.association,
        conditions: records.conditions),
      members: &members)
    return ResolvedRequest(path: steps, records: records, root: root)
  }

  // MARK: The path

  /// Records on the path: all of a resource, or the associated ones of the record before.
  private struct Place {
    var association: Association?
    var key: [RequestPath.KeyColumn]?
  }

  /// - Parameter isEnd: Whether they are those of the root, from which the records of the path can't be named by `../`.
  private func records(
    at place: Place, of path: RequestPath, after previous: ResolvedRecords?, node: RequestNode?,
    isEnd: Bool = false
  ) throws -> ResolvedRecords {
    guard let association = place.association, let previous else {
      let names = NameScope(model: model, resource: try model.resource(named: path.resource), node: node)
      return try records(names, association: nil, key: place.key)
    }
    let keyed = KeyedAssociation(key: association.key, association: association, node: node)
    var names = try previous.names.destination(of: keyed)
    if isEnd {
      names = NameScope(model: model, resource: names.resource, node: node, via: names.via)
    }
    return try records(names, association: association, key: place.key)
  }

  private func records(
    _ names: NameScope, association: Association?, key: [RequestPath.KeyColumn]?
  ) throws -> ResolvedRecords {
    let context = NameContext(scope: names, author: .request)
    let key = try key?.map { try associations.equality($0, in: context) }
    let conditions = try associations.conditions(on: names)
    return ResolvedRecords(
      names: names,
      association: association.map {
        ResolvedAssociation(
          key: $0.key, association: $0, names: names, conditions: conditions, isOfModel: false)
      }, conditions: conditions, key: key)
  }

  // MARK: Nodes

  /// Returns a node with its content, its groups, its order, and the nodes below it.
  ///
  /// - Parameters:
  ///   - members: The names of the members of the record that the node, or what is included below it, belongs to.
  private func resolve(
    _ unresolved: ResolvedNode, isRepetition: Bool = false, members: inout NameSet
  ) throws -> ResolvedNode {
    var resolved = unresolved
    let (node, names) = (resolved.node, resolved.names)
    if node.isIncluded {
      resolved.content = try content(of: resolved, members: &members)
    } else {
      // Its own members are not part of the result.
      var others = NameSet()
      resolved.content = try content(of: resolved, members: &others)
    }
    for child in node.children {
      try noting(diagnostics) {
        resolved.children.append(try self.child(child, of: resolved, members: &members))
      }
    }
    if node.recursion != nil, resolved.isApart {
      resolved.repetition = try repetition(of: resolved, isRepetition: isRepetition, members: &members)
    }
    if node.isGrouped {
      let check = try GroupCheck(state, of: names)
      let havings = try node.havings.map {
        try resolve($0, in: names, isOfGroup: true, prefersNames: true)
      }
      resolved.sort = try sort(of: resolved)
      resolved.group = ResolvedGroup(
        expressions: check.groups, havings: havings, determined: state.memory(of: names).determined)
    } else {
      resolved.sort = try sort(of: resolved)
    }
    return resolved
  }

  private func sort(of node: ResolvedNode) throws -> [ResolvedSortTerm]? {
    try node.node.sort?.map { term in
      ResolvedSortTerm(
        expression: try resolve(
          term.expression, in: node.names, isOfGroup: node.node.isGrouped, prefersNames: true), term: term)
    }
  }

  /// Returns a node below another one.
  private func child(
    _ child: RequestNode, of parent: ResolvedNode, members: inout NameSet
  ) throws -> ResolvedNode {
    let hops = parent.node.isIncluded ? [] : parent.ways
    let name = parent.name.isEmpty ? child.key : "\(parent.name).\(child.key)"
    let isJoined = hops.isEmpty && child.association?.cardinality == .toOne
    if child.isIncluded, child.recursion != nil || !isJoined {
      let node = try apart(child, below: parent.names, joining: hops, name: name)
      try members.reserve(child, of: parent)
      return node
    }
    if child.isIncluded { try members.reserve(child, of: parent) }
    try check(child, name: name, isToMany: child.association?.cardinality == .toMany)
    let association =
      try isJoined
      ? associations.toOne(child, of: parent.names)
      : associations.resolve(child, of: parent.names, countsWays: true)
    var node = ResolvedNode(
      node: child, name: name, names: association.names, association: association,
      conditions: association.conditions)
    if child.isIncluded {
      var own = NameSet()
      return try resolve(node, members: &own)
    }
    // What is included below it belongs to the record that it is joined to.
    if !isJoined { node.ways = hops + [association] }
    return try resolve(node, members: &members)
  }

  /// Returns a node with separate rows.
  private func apart(
    _ node: RequestNode, below record: NameScope, joining hops: [ResolvedAssociation], name: String,
    isRepetition: Bool = false
  ) throws -> ResolvedNode {
    // The cost of a select, in addition to its columns and expressions.
    try state.budget.charge(16, at: node.origin)
    try check(
      node, name: name, isToMany: node.association?.cardinality == .toMany || !hops.isEmpty)
    if node.recursion != nil, !hops.isEmpty {
      throw RequestError(
        .invalidExpression,
        "`\(node.key)` can't be recursive below a joined association; include the joined one",
        at: node.origin)
    }
    let association = try associations.resolve(node, of: record, countsWays: !hops.isEmpty)
    var resolved: ResolvedNode
    if hops.isEmpty {
      resolved = ResolvedNode(
        node: node, name: name, names: association.names, association: association,
        conditions: association.conditions)
    } else {
      let names = NameScope(
        model: model, resource: association.names.resource, node: node,
        parentRefusal: "the parent records are joined, not returned")
      resolved = ResolvedNode(node: node, name: name, names: names, association: association, conditions: nil)
      resolved.ways = hops + [association]
    }
    resolved.isApart = true
    var members = NameSet()
    return try resolve(resolved, isRepetition: isRepetition, members: &members)
  }

  private func repetition(
    of node: ResolvedNode, isRepetition: Bool, members: inout NameSet
  ) throws -> ResolvedRepetition {
    var repetition = ResolvedRepetition.itself
    if !isRepetition, let levels = node.node.recursion, levels > 1 {
      var next = node.node
      next.isRequired = false
      repetition = .level(
        try apart(next, below: node.names, joining: [], name: node.name, isRepetition: true))
    }
    try members.reserve(node.node, of: node)
    return repetition
  }

  /// Checks the combination of a node's parameters.
  private func check(_ node: RequestNode, name: String, isToMany: Bool = false) throws {
    try noting(diagnostics) { try ParameterCheck(node: node, name: name, isToMany: isToMany).check() }
  }

  // MARK: Content

  private func content(of resolved: ResolvedNode, members: inout NameSet) throws -> ResolvedContent {
    let (node, names) = (resolved.node, resolved.names)
    if let values = node.values {
      return .value(try resolve(values, in: names, isOfGroup: node.isGrouped))
    }
    var items: [ResolvedMember] = []
    if let fields = node.fields {
      let origin = Origin(parameter: resolved.name.isEmpty ? "fields" : "\(resolved.name).fields")
      for field in fields {
        try noting(diagnostics) { try add(field, at: origin, of: names, to: &items, &members) }
      }
    } else if node.isIncluded {
      for column in names.resource.defaultColumns {
        try add(column, at: node.origin, of: names, to: &items, &members)
      }
    }
    for annotation in node.annotations {
      try noting(diagnostics) { try add(annotation, of: names, to: &items, &members) }
    }
    return .members(items)
  }

  private func add(
    _ field: Field, at origin: Origin, of names: NameScope, to items: inout [ResolvedMember],
    _ members: inout NameSet
  ) throws {
    switch field {
    case .all:
      for column in names.resource.allColumns {
        if names.isGrouped, !column.isComputed { try GroupCheck(state, of: names).check(column, at: origin) }
        try add(column, at: origin, of: names, to: &items, &members)
      }
    case .expression(let item):
      let name: String
      if let written = item.name {
        name = written
      } else if case .path(let path) = item.expression.kind, path.parents == 0, path.components.count == 1,
        path.components[0].arguments == nil
      {
        name = names.resource.column(named: path.components[0].name)?.name ?? path.components[0].name
      } else {
        throw missingName(item)
      }
      try add(item.expression, as: name, of: names, to: &items, &members)
    }
  }

  private func add(
    _ item: NamedExpression, of names: NameScope, to items: inout [ResolvedMember], _ members: inout NameSet
  ) throws {
    guard let name = try item.name ?? names.defaultName(of: item.expression) else {
      // An unknown name in the expression is reported rather than the missing name of the item.
      let errors = diagnostics?.encounters
      _ = try resolve(item.expression, in: names, isOfGroup: names.isGrouped)
      guard errors == diagnostics?.encounters else { return }
      throw missingName(item)
    }
    try add(item.expression, as: name, of: names, to: &items, &members)
  }

  private func missingName(_ item: NamedExpression) -> RequestError {
    RequestError(
      .missingName, "this item needs a name; write `name:` before it", at: item.expression.origin)
  }

  private func add(
    _ expression: Expression, as name: String, of names: NameScope, to items: inout [ResolvedMember],
    _ members: inout NameSet
  ) throws {
    let value = try resolve(expression, in: names, isOfGroup: names.isGrouped)
    try members.reserve(name, at: expression.origin)
    items.append(ResolvedMember(name: name, value: .expression(value)))
  }

  private func add(
    _ column: Column, at origin: Origin, of names: NameScope, to items: inout [ResolvedMember],
    _ members: inout NameSet
  ) throws {
    if column.isComputed {
      return try add(
        Expression(names: [column.name], at: origin), as: column.name, of: names, to: &items, &members)
    }
    try state.budget.charge(1, at: origin)
    try members.reserve(column.name, at: origin)
    items.append(ResolvedMember(name: column.name, value: .column(column)))
  }

  private func resolve(
    _ expression: Expression, in names: NameScope, isOfGroup: Bool, prefersNames: Bool = false
  ) throws -> ResolvedExpression {
    try ExpressionResolver(state: state).resolve(
      expression, of: names, by: .request, isOfGroup: isOfGroup, prefersNames: prefersNames)
  }
}

extension NameSet {
  /// Reserves the key of a node, unless its record takes the place of a column.
  fileprivate mutating func reserve(_ child: RequestNode, of parent: ResolvedNode) throws {
    if parent.place(of: child) == nil { try reserve(child.key, at: child.origin) }
  }

  /// Reserves the name of a member.
  ///
  /// - Throws: `RequestError` if the record already has a member of this name.
  fileprivate mutating func reserve(_ name: String, at origin: Origin) throws {
    guard insert(name) else {
      throw RequestError(
        .duplicateName,
        "two members of one record would be named `\(name)`; rename one of them, as in `other:\(name)`",
        at: origin, suggestions: ["\(name)2:\(name)"])
    }
  }
}

extension RequestPath {
  /// The parameters of the resource where the path starts, as a node; nil if it has none.
  fileprivate var start: RequestNode? {
    guard !parameters.isEmpty else { return nil }
    var node = RequestNode()
    node.parameters = parameters
    return node
  }
}
