import KindredSQLSyntax

/// Compiles the conditions of records: filters, searches, and required associations.
struct RecordConditions {
  let context: PlanningContext

  private var state: PlanningState { context.state }

  /// Returns the conditions of the request on the record of `scope`.
  ///
  /// - Parameter joinedSearch: The number of the search that is already in the statement's `FROM` clause.
  func conditions(of scope: Scope, joinedSearch: Int? = nil) throws -> [SQL] {
    guard let node = scope.node else { return [] }
    var inside = context
    inside.filtered = try context.filtered.adding(node)
    return try RecordConditions(context: inside).conditions(of: node, in: scope, joinedSearch: joinedSearch)
  }

  private func conditions(of node: RequestNode, in scope: Scope, joinedSearch: Int?) throws -> [SQL] {
    var conditions = node.equalities.map { equality($0, in: scope) }
    conditions += try node.filters.map { try context.rules.guarded($0, in: scope) }
    // The conditions of groups don't apply to records.
    if !node.isGrouped { conditions += try node.havings.map { try context.rules.guarded($0, in: scope) } }
    for (number, search) in node.searches.enumerated() where number != joinedSearch {
      let match = try noting(state.diagnostics) { try context.searches.match(search, in: scope) }
      conditions.append(match ?? "TRUE")
    }
    for child in node.children where child.isRequired {
      if scope.canJoin, scope.isSolid, child.association?.cardinality == .toOne, child.recursion == nil {
        // An inner join is the condition.
        _ = try context.toOne.join(child, to: scope)
      } else {
        conditions.append(try exists(child, of: scope))
      }
    }
    return conditions
  }

  /// Returns the condition that a column has one of its candidate values.
  func equality(_ column: RequestPath.KeyColumn, in scope: Scope) -> SQL {
    let type = scope.table.column(named: column.name).flatMap { context.dialect.type(of: $0) }
    let values = column.literals.map { context.dialect.parameter(.parameter($0), as: type) }
    let sql = scope.column(column.name, in: scope.statement)
    return values.count == 1 ? "\(sql) = \(values[0])" : "\(sql) IN (\(values.joined(separator: ", ")))"
  }

  /// Returns the condition that an associated record exists that meets its own conditions.
  private func exists(_ child: RequestNode, of scope: Scope) throws -> SQL {
    guard child.association != nil else { return "TRUE" }
    return try scope.statement.subquery { select in
      let records = try context.chains.chain(
        scope.names.destination(of: child, countsWays: true), from: scope, into: select,
        isRepeated: scope.statement.repeatsInner)
      select.add(try conditions(of: records))
      return "EXISTS (SELECT 1 \(select.from))"
    }
  }
}
