import OracleValues

/// The members of a record in the result: columns, annotations, associations.
extension Evaluator {
  /// - Parameters:
  ///   - ancestors: In a recursion, the ancestors of the record.
  ///   - levels: The number of levels of recursion that may follow.
  func object(of record: Record, ancestors: [[Value]], repeats levels: Int = 0) throws -> JSON {
    guard let node = record.node else { throw Invalid("nothing is said of the record") }
    var members: [JSON.Member] = []
    func add(_ name: String, _ value: JSON) throws {
      guard !members.contains(where: { $0.name == name }) else { throw Invalid("two members named \(name)") }
      members.append(JSON.Member(name: name, value: value))
    }
    func addColumns(_ names: [String]) throws {
      for name in names { try add(name, try json(.path(Path(leaf: .column(name))), of: record)) }
    }
    let all = record.table.columns.map(\.name)
    if let fields = node.fields {
      for field in fields {
        switch field {
        case .all: try addColumns(all)
        case .named(let named): try add(named.name, try json(named.expression, of: record))
        }
      }
    } else {
      try addColumns(record.table.defaultFields ?? all)
    }
    for annotation in node.annotations {
      try add(annotation.name, try json(annotation.expression, of: record))
    }
    for member in try associations(of: record, node) { try add(member.name, member.value) }
    if node.recursion != nil, levels > 0 {
      let value = try repetition(of: node, below: record, ancestors: ancestors, levels: levels)
      try add(node.key, value)
    }
    return .object(members)
  }

  private func associations(of record: Record, _ node: Node) throws -> [JSON.Member] {
    try node.children.filter(\.isReturned).flatMap { child -> [JSON.Member] in
      guard let association = record.table.association(child.association) else {
        throw Invalid("no association \(child.association)")
      }
      switch (child.isIncluded, association.isToMany) {
      case (true, _):
        return [JSON.Member(name: child.key, value: try included(child, association, of: record))]
      case (false, false): return try associations(of: try toOne(child.key, of: record), child)
      case (false, true): return try belowJoined(child, records(of: child, from: record))
      }
    }
  }

  private func included(_ child: Node, _ association: AssociationSchema, of record: Record) throws -> JSON {
    if child.recursion != nil {
      return try repetition(of: child, below: record, ancestors: [], levels: child.recursion ?? 0)
    }
    let records = try records(of: child, from: record)
    if association.isToMany {
      return .array(try results(of: records, node: child, association: association))
    }
    return try records.first.map(shown) ?? .null
  }

  /// Returns all records of a node that is included below joined to-many nodes, each once.
  private func belowJoined(_ node: Node, _ hops: [Record]) throws -> [JSON.Member] {
    try node.children.filter(\.isReturned).flatMap { child -> [JSON.Member] in
      let found = try hops.flatMap { try records(of: child, from: $0) }
      guard child.isIncluded else { return try belowJoined(child, found) }
      var seen: Set<[Value]> = []
      let distinct = found.filter { seen.insert($0.identity).inserted }
      let association = hops.first?.table.association(child.association)
      let results = try results(of: distinct, node: child, association: association)
      return [JSON.Member(name: child.key, value: .array(results))]
    }
  }

  // MARK: Recursion

  /// Returns a level of a recursion below `record`.
  private func repetition(of node: Node, below record: Record, ancestors: [[Value]], levels: Int) throws
    -> JSON
  {
    guard let association = record.table.association(node.association) else {
      throw Invalid("no association")
    }
    let above = ancestors + [record.identity]
    // A cycle ends before a record that would be its own ancestor.
    let records = try records(of: node, from: record).filter { !above.contains($0.identity) }
    guard association.isToMany else {
      return try records.first.map { try object(of: $0, ancestors: above, repeats: levels - 1) } ?? .null
    }
    return .array(
      try results(of: records, node: node, association: association, ancestors: above, repeats: levels - 1))
  }
}
