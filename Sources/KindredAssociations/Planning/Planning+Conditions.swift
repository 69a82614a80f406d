import KindredSQLSyntax
import OrderedCollections

/// What must hold for a record: its filters, its searches, and the associations that it must have.
extension Planning {
  /// The conditions that the request puts on the record of `scope`.
  ///
  /// - Parameter joinedSearch: the search that the statement's own `FROM` clause makes, by number.
  func conditions(of scope: Scope, joinedSearch: Int? = nil) throws -> [SQL] {
    guard let node = scope.node else { return [] }
    try filtered.begin(node)
    defer { filtered.end(node) }
    var conditions = node.equalities.map { equality($0, in: scope) }
    conditions += try node.filters.map { try guardedCondition($0, in: scope) }
    // What must hold for a group says nothing of a record.
    if !node.isGrouped { conditions += try node.havings.map { try guardedCondition($0, in: scope) } }
    for (number, search) in node.searches.enumerated() where number != joinedSearch {
      conditions.append(try noting(diagnostics) { try match(search, in: scope) } ?? "TRUE")
    }
    for child in node.children where child.isRequired {
      if scope.canJoin, scope.isSolid, child.association?.cardinality == .toOne, child.recursion == nil {
        // An inner join says it.
        _ = try joinToOne(child.key, of: scope)
      } else {
        conditions.append(try exists(child, of: scope))
      }
    }
    return conditions
  }

  /// That an associated record is there which meets its own conditions.
  private func exists(_ child: RequestNode, of scope: Scope) throws -> SQL {
    guard let association = child.association else { return "TRUE" }
    return try scope.statement.subquery { select in
      let records = try chain(
        association, from: scope, into: select, node: child, isRepeated: scope.statement.repeatsInner)
      select.conditions += try conditions(of: records)
      return "EXISTS (SELECT 1 \(select.from()))"
    }
  }
}
