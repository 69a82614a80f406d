import KindredSQLSyntax
import OrderedCollections

/// How records are found for a change to be made to them.
public struct RecordLookup: Sendable {
  /// The statements along the path, each of which must give a row; the last one gives the records.
  public let steps: [Plan.Step]
  /// The names of the columns that the last statement gives.
  public let columns: [String]
  /// Full-text patterns to check first.
  public let searches: [Plan.SearchCheck]
  /// What must be made before the statements run.
  public let transients: [TransientTable]
}

extension Planner {
  /// How columns of the one record at the end of `path` are read.
  ///
  /// - Parameter columns: any of its table, the hidden ones too.
  public func lookup(_ path: RequestPath, columns: [String]) throws -> RecordLookup {
    let request = FetchRequest(path: path, root: RequestNode())
    return try planning(request).lookup(columns)
  }

  /// How columns of the records are read that a request selects: one more than its limit, where there are so many.
  ///
  /// - Parameter columns: any of their table, the hidden ones too.
  public func lookup(_ request: FetchRequest, columns: [String]) throws -> RecordLookup {
    var request = request
    request.root.fields = []
    request.root.children = request.root.children.map(\.joined)
    return try planning(request).lookupAll(columns)
  }
}

extension RequestNode {
  /// The node where only the records above it are wanted.
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

  /// Has the statement give these columns first; their names, each once.
  private func add(_ columns: [String], of scope: Scope) -> [String] {
    var names: [String] = []
    for name in columns
    where scope.statement.column(scope.column(name, in: scope.statement)) == names.count {
      names.append(name)
    }
    return names
  }

  /// The lookup that the path's statements are.
  func finished(_ columns: [String]) -> RecordLookup {
    RecordLookup(
      steps: plan.path, columns: columns, searches: plan.searches, transients: Array(transients.values))
  }
}
