import KindredSQLSyntax
import OrderedCollections

/// How the record at the end of a path is found, for a change to be made to it.
public struct RecordLookup: Sendable {
  /// The statements along the path, each of which must give a row; the last one is the record's.
  public let steps: [Plan.Step]
  /// The names of the columns that the last statement gives.
  public let columns: [String]
  /// What must be made before the statements run.
  public let transients: [TransientTable]
}

extension Planner {
  /// How columns of the one record at the end of `path` are read.
  ///
  /// - Parameter columns: any of its table, the hidden ones too.
  public func lookup(_ path: RequestPath, columns: [String]) throws -> RecordLookup {
    try Planning(model: model, request: FetchRequest(path: path, root: RequestNode())).lookup(columns)
  }
}

extension Planning {
  fileprivate func lookup(_ columns: [String]) throws -> RecordLookup {
    let records = try planPath()
    let statement = StatementBuilder(level: plan.path.count, runsOften: false, givesMany: false)
    let scope = try open(records, node: nil, statement: statement)
    var names: [String] = []
    for name in columns where statement.column(scope.column(name, in: statement)) == names.count {
      names.append(name)
    }
    steps.append((scope, absence(of: records)))
    finishPath()
    return RecordLookup(steps: plan.path, columns: names, transients: Array(transients.values))
  }
}
