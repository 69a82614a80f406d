import KindredSQLSyntax
import OrderedCollections

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
}

extension Planner {
  /// Plans the lookup of the one record at the end of `path`.
  ///
  /// - Parameter columns: the names of the columns to read, which may be hidden ones.
  public func lookup(_ path: RequestPath, columns: [String]) throws -> RecordLookup {
    let request = FetchRequest(path: path, root: RequestNode())
    return try planning(request).lookup(columns)
  }

  /// Plans the lookup of the records that a request selects, and of one more than its limit, to tell whether it was
  /// exceeded.
  ///
  /// - Parameter columns: the names of the columns to read, which may be hidden ones.
  public func lookup(_ request: FetchRequest, columns: [String]) throws -> RecordLookup {
    var request = request
    request.root.fields = []
    request.root.children = request.root.children.map(\.joined)
    return try planning(request).lookupAll(columns)
  }
}

extension RequestNode {
  /// The node and those below it, joined without being part of the result.
  fileprivate var joined: RequestNode {
    var node = self
    node.isIncluded = false
    node.children = children.map(\.joined)
    return node
  }
}

extension Planning {
  fileprivate func lookup(_ columns: [String]) throws -> RecordLookup {
    isForOneRecord = true
    let records = try planPath()
    let statement = StatementBuilder(dialect, level: plan.path.count, runsOften: false, givesMany: false)
    let scope = try open(records, node: nil, statement: statement)
    let names = add(columns, of: scope)
    steps.append((scope, absence(of: records)))
    finishPath()
    return finished(names)
  }

  fileprivate func lookupAll(_ columns: [String]) throws -> RecordLookup {
    let records = try planPath()
    let node = request.root
    let statement = StatementBuilder(dialect, level: plan.path.count, runsOften: false, givesMany: true)
    let scope = try open(records, node: node, statement: statement).asRoot
    nodes.append(nil)
    let names = add(columns, of: scope)
    let rows = try planRows(of: node, association: records.association, in: scope)
    finishPath()
    let sql = withClause(statement, rows.select(page: page(of: node, ahead: 1)))
    plan.path.append(Plan.Step(statement: planned(sql), absence: absence(of: records)))
    try checkLength()
    return finished(names)
  }

  /// Selects these columns first, and returns their names without repetitions.
  private func add(_ columns: [String], of scope: Scope) -> [String] {
    var names: [String] = []
    for name in columns
    where scope.statement.column(scope.column(name, in: scope.statement)) == names.count {
      names.append(name)
    }
    return names
  }

  /// Returns a lookup by the statements planned so far.
  func finished(_ columns: [String]) -> RecordLookup {
    RecordLookup(
      steps: plan.path, columns: columns, searches: plan.searches, transients: Array(transients.values))
  }
}
