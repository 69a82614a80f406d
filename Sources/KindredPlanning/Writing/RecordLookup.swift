import KindredModel
import KindredSQLSyntax

/// The statements that find the records to be changed by a write.
public struct RecordLookup: Sendable {
  /// The statements along the path, each of which must return a row; the last one returns the records.
  public let steps: [Plan.Step]
  /// The names of the columns that the last statement returns.
  public let columns: [String]
  /// The full-text patterns to check first.
  public let searches: [Plan.SearchCheck]
  /// The transient tables to fill before the statements run.
  public let transients: [TransientTable]
  /// The places of the request's literals.
  public let places: [Int: Literals.Place]
}

extension Planner {
  /// Plans the lookup of the one record at the end of `path`; if nothing checks that its key is unique, of two.
  ///
  /// - Parameter columns: The names of the columns to read, which may be hidden ones.
  public func lookup(_ path: RequestPath, columns: [String]) throws -> RecordLookup {
    var keys: [Int: Literals.Place] = [:]
    for case .record(let key) in path.segments {
      for literal in key.flatMap(\.literals) { keys[literal] = .key }
    }
    var request = FetchRequest(path: path, root: RequestNode())
    request.root.fields = []
    let context = context(of: request, isForOneRecord: true)
    let resolved = try FetchRequestResolver(state: context.state).resolve(request)
    var path = try RecordPath(resolved.path, context)
    let statement = StatementBuilder(context.dialect, level: path.level, givesMany: false)
    let record = try path.end(resolved.records, in: statement)
    let names = try record.add(columns, context)
    var writer = PlanWriter(context.state)
    let order = path.endOrder.map { $0.rendered(as: $0.sql, context.dialect) }
    let last = PathSelect(record, orderedBy: order, absence: resolved.records.absence)
    let limit: SQL = record.table.isKeyUnchecked ? "2" : "1"
    return RecordLookup(
      steps: path.selects.map { writer.step($0) } + [writer.step(last, limit: limit)], columns: names,
      places: keys)
  }

  /// Plans the lookup of the records that a request selects, and of one more than its limit, to tell whether it was
  /// exceeded.
  ///
  /// - Parameter columns: The names of the columns to read, which may be hidden ones.
  public func lookup(_ request: FetchRequest, columns: [String]) throws -> RecordLookup {
    var request = request
    (request.root.fields, request.root.values) = ([], nil)
    request.root.children = request.root.children.map(\.joined)
    let context = context(of: request)
    let resolved = try FetchRequestResolver(state: context.state).resolve(request)
    let tree = TreeBuilder(context)
    var path = try RecordPath(resolved.path, context)
    let statement = StatementBuilder(context.dialect, level: path.level)
    let record = try path.end(resolved.records, in: statement)
    let names = try record.add(columns, context)
    let rows = try tree.rows(of: resolved.root, number: 0, in: record).finished
    var writer = PlanWriter(context.state)
    var steps = path.selects.map { writer.step($0) }
    let sql = rows.sql(page: tree.page(of: request.root, looksAhead: true).sql(context.dialect))
    steps.append(Plan.Step(statement: writer.statement(sql, of: rows), absence: resolved.records.absence))
    let lookup = RecordLookup(steps: steps, columns: names, places: request.literals.places)
    try writer.checkLength(with: lookup.searches)
    return lookup
  }
}

extension RequestNode {
  /// The node and those below it, joined without being part of the result.
  fileprivate var joined: RequestNode {
    var node = self
    (node.isIncluded, node.recursion) = (false, nil)
    node.children = children.map(\.joined)
    return node
  }
}

extension RecordLookup {
  /// Creates the lookup of these steps, with the notes of their SQL.
  init(steps: [Plan.Step], columns: [String], places: [Int: Literals.Place] = [:]) {
    var plan = Plan()
    plan.path = steps
    plan.addNotes()
    self.init(
      steps: steps, columns: columns, searches: plan.searches, transients: plan.transients, places: places)
  }
}

extension StatementRecord {
  /// Selects these columns first, and returns their names without repetitions.
  fileprivate func add(_ columns: [String], _ context: PlanningContext) throws -> [String] {
    var names: [String] = []
    for name in columns {
      let value =
        resource.column(withName: name)?.isComputed ?? false
        ? try context.expressions.compile(Expression(names: [name]), in: self).sql
        : column(name, in: statement)
      if statement.column(value) == names.count { names.append(name) }
    }
    return names
  }
}
