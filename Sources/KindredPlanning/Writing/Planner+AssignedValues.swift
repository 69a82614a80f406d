import KindredModel
import KindredSQLSyntax

/// A lookup of the values that expressions give to columns of one record.
public struct AssignedValuesLookup: Sendable {
  /// Reads the values.
  public let lookup: RecordLookup
  /// For each expression the number of the column of the result that has its value: equal ones share a column.
  public let places: [Int]
}

extension Planner {
  /// Plans the values that expressions of the model file give to columns of a stored record, or of a new one.
  ///
  ///     SELECT version + 1, title
  ///     FROM doc WHERE rowid = ?1
  ///
  /// As in a rule, `auth` names claims, and no rule applies.
  ///
  /// - Parameter columns: The columns by which the record is found, whose values are the parameters, in order; nil for a
  ///   new record, of which the expressions read nothing.
  /// - Throws: `RequestError` if an expression has no meaning.
  public func values(
    of assignments: [ColumnAssignment], in resource: Resource, by columns: [String]?
  ) throws -> AssignedValuesLookup {
    var context = context(isForOneRecord: true)
    context.isInRule = true
    let select = StatementBuilder(context.dialect, givesMany: false).newSelect()
    let record = context.rules.unrestricted(
      StatementRecord(NameScope(model: model, resource: resource), in: select))
    if let columns {
      select.begin(with: try context.sources.reference(to: record))
      select.add(record.equalities(columns, context))
    }
    let places = try assignments.map { assignment in
      let inside = try context.within(assignment.expression, of: record)
      return try inside.expressions.place(assignment, of: record, by: .rule)
    }
    guard columns != nil else {
      let values = select.statement.columns.joined(separator: ", ")
      let statement = Plan.Statement("SELECT \(values)", context.dialect.parameterStyle)
      return AssignedValuesLookup(
        lookup: RecordLookup(steps: [Plan.Step(statement: statement, absence: "")], columns: []),
        places: places)
    }
    var writer = PlanWriter(context.state)
    let step = writer.step(PathSelect(record, absence: ""))
    return AssignedValuesLookup(lookup: RecordLookup(steps: [step], columns: []), places: places)
  }

  /// Plans the values that expressions of a request give to columns of the record at the end of `path`.
  ///
  /// They read what the client may read.
  ///
  /// - Parameter literals: Those of the path and the expressions.
  /// - Throws: `RequestError` if an expression has no meaning, or a limit is exceeded.
  public func values(
    of assignments: [ColumnAssignment], at path: RequestPath, _ literals: Literals
  ) throws -> AssignedValuesLookup {
    var request = FetchRequest(path: path, root: RequestNode())
    request.root.fields = []
    request.literals = literals
    let context = context(of: request, isForOneRecord: true)
    let resolved = try FetchRequestResolver(state: context.state).resolve(request)
    var path = try RecordPath(resolved.path, context)
    let statement = StatementBuilder(context.dialect, level: path.level, givesMany: false)
    let record = try path.end(resolved.records, in: statement)
    let places = try assignments.map { try context.expressions.place($0, of: record, by: .request) }
    var writer = PlanWriter(context.state)
    let last = PathSelect(record, absence: resolved.records.absence)
    let lookup = RecordLookup(
      steps: (path.selects + [last]).map { writer.step($0) }, columns: [], places: literals.places)
    try writer.checkLength(with: lookup.searches)
    return AssignedValuesLookup(lookup: lookup, places: places)
  }
}

extension ExpressionCompiler {
  /// Selects the value of an assignment, and returns the number of its column in the result.
  fileprivate func place(
    _ assignment: ColumnAssignment, of record: StatementRecord, by author: ExpressionAuthor
  ) throws -> Int {
    let value = try compile(assignment.expression, in: record, by: author)
    let column = record.table.column(named: assignment.column)
    return record.statement.column(column.map { dialect.assigned(value, to: $0) } ?? value.sql)
  }
}
