/// Checks whether a request is valid, regardless of the data.
///
/// The generators only create valid requests, but shrinking them may create invalid ones.
extension Evaluator {
  func check(_ request: Request) throws {
    var (table, association, isSingle) = (schema.table(request.table), nil as AssociationSchema?, false)
    for segment in request.path {
      switch segment {
      case .record: (association, isSingle) = (nil, true)
      case .association(let key):
        guard let found = table?.association(key), isSingle else { throw Invalid("no association \(key)") }
        (table, association, isSingle) = (schema.table(found.destination), found, !found.isToMany)
      }
    }
    guard let table else { throw Invalid("no table") }
    try check(Self.missing(table, association, node: request.root, parent: nil, in: schema))
  }

  /// Evaluates every expression about a missing record.
  private func check(_ record: Record) throws {
    guard let node = record.node else { return }
    if !node.group.isEmpty, node.fields == nil { throw Invalid("a group without fields") }
    if node.isGrouped || node.values != nil, node.children.contains(where: \.isReturned) {
      throw Invalid("nothing to be in")
    }
    let group = node.isGrouped ? [] : nil as [Record]?
    let grouped = Record(
      table: record.table, row: nil, node: node, parent: record.parent, via: record.via, group: group)
    let names = Set((node.annotations + node.namedFields).map(\.name))
    guard names.count == node.annotations.count + node.namedFields.count else {
      throw Invalid("two equal names")
    }
    for expression in node.filters + node.group { _ = try json(expression, of: record) }
    let others = node.expressions.dropFirst(node.filters.count + node.havings.count + node.group.count)
    for expression in node.havings + others { _ = try json(expression, of: grouped) }
    for child in node.children where child.recursion != nil {
      // The record above is another one at each level.
      if child.expressions.contains(where: \.readsAbove) { throw Invalid("a level for another") }
    }
    for child in node.children {
      if child.key != child.association, record.table.association(child.key) != nil {
        throw Invalid("the key of another association")
      }
      let decides = node.children.contains { other in
        other.key == child.key
          ? reads(child, child.key)
          : reads(child, other.key) && reads(other, child.key)
      }
      if decides { throw Invalid("a condition that reads what it decides") }
      guard let association = record.table.association(child.association),
        let table = schema.table(association.destination)
      else { throw Invalid("no association \(child.association)") }
      try check(Self.missing(table, association, node: child, parent: record, in: schema))
    }
  }

  /// Whether a node, or one below it, reads a to-one association of the record so many levels above.
  private func reads(_ node: Node, _ key: String, above levels: Int = 1) -> Bool {
    node.expressions.contains { $0.reads(key, above: levels) }
      || node.children.contains { reads($0, key, above: levels + 1) }
  }
}
