import KindredSQLSyntax
import OrderedCollections

extension Planner {
  /// Plans a test of whether an access rule holds for a stored record.
  ///
  /// - Parameters:
  ///   - rule: the condition on the record; no other rule applies. With nil, the test is whether the record exists.
  ///   - resource: the resource of the record.
  ///   - columns: the columns of its table by which the record is found. Their values are the parameters, in order.
  /// - Returns: A lookup that finds the record if the rule holds.
  public func test(_ rule: Expression?, of resource: Resource, by columns: [String]) throws -> RecordLookup {
    try Planning(
      model: model, request: FetchRequest(path: RequestPath(resource: resource.name), root: RequestNode()),
      dialect.writer
    ).test(rule, of: resource, by: columns)
  }
}

extension Planning {
  fileprivate func test(
    _ rule: Expression?, of resource: Resource, by columns: [String]
  ) throws -> RecordLookup {
    isInRule = true
    isForOneRecord = true
    let statement = StatementBuilder(dialect, level: 0, runsOften: false, givesMany: false)
    let select = statement.newSelect()
    let scope = unrestricted(
      Scope(
        table: resource.table, resource: resource, alias: select.alias(for: resource.table), select: select,
        node: nil, parent: nil))
    select.begin(with: try reference(to: scope))
    select.conditions += columns.enumerated().map {
      let type = scope.table.column(named: $1).flatMap { dialect.type(of: $0) }
      return "\(scope.column($1, in: statement)) = \(dialect.parameter(.parameter($0), as: type))" as SQL
    }
    if let rule { select.conditions.append(try modelCondition(rule, in: scope)) }
    steps.append((scope, absence: ""))
    finishPath()
    return finished([])
  }
}
