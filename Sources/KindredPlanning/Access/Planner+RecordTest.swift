import KindredModel
import KindredSQLSyntax

extension Planner {
  /// Plans a test of whether an access rule holds for a stored record.
  ///
  /// - Parameters:
  ///   - rule: The condition on the record; no other rule applies. With nil, the test is whether the record exists.
  ///   - resource: The resource of the record.
  ///   - columns: The columns of its table by which the record is found. Their values are the parameters, in order.
  /// - Returns: A lookup that finds the record if the rule holds.
  public func test(_ rule: Expression?, of resource: Resource, by columns: [String]) throws -> RecordLookup {
    try test(rule, of: resource) { record, context in
      record.select.begin(with: try context.sources.reference(to: record))
      record.select.add(record.equalities(columns, context))
    }
  }

  /// How one record is tested by a rule of access.
  ///
  /// - Parameter begin: Begins the select that finds the record.
  func test(
    _ rule: Expression?, of resource: Resource,
    _ begin: (_ record: StatementRecord, _ context: PlanningContext) throws -> Void
  ) throws -> RecordLookup {
    var context = Planner(model: model, dialect: dialect).context(isForOneRecord: true)
    context.isInRule = true
    let select = StatementBuilder(context.dialect, givesMany: false).newSelect()
    let record = context.rules.unrestricted(
      StatementRecord(NameScope(model: model, resource: resource), in: select))
    try begin(record, context)
    if let rule { select.add(try context.rules.condition(rule, in: record)) }
    var writer = PlanWriter(context.state)
    return RecordLookup(steps: [writer.step(PathSelect(record, absence: ""))], columns: [])
  }
}

extension StatementRecord {
  /// Returns the conditions that columns of the record have the values of the first parameters.
  func equalities(_ columns: [String], _ context: PlanningContext) -> [SQL] {
    columns.enumerated().map { number, name in
      let type = table.column(named: name).flatMap { context.dialect.type(of: $0) }
      let value = context.dialect.parameter(.parameter(number), as: type)
      return "\(table.keyColumn(name, of: id)) = \(value)"
    }
  }
}
