import KindredSQLSyntax
import OrderedCollections

/// Makes plans: looks every name up in the model, and turns the tree of the request into a tree of statements.
///
/// A to-one association is a join of the statement of its record. A to-many one is a statement of its own that runs
/// for each record with that record's key. Aggregates, and associations that only must be there, are subqueries, so
/// that none multiplies the rows of another.
public struct Planner {
  let model: Model
  let dialect: Dialect
  let limits: PlanningLimits
  let checkpoint: () throws -> Void

  /// A planner of requests to a model.
  ///
  /// - Parameters:
  ///   - dialect: the SQL that the database takes; the model's where nil.
  ///   - limits: what the planning of a request may take.
  ///   - check: is called now and then while a request is planned; what it throws ends the planning.
  public init(
    model: Model, dialect: Dialect? = nil, limits: PlanningLimits = .none,
    check: @escaping () throws -> Void = {}
  ) {
    self.model = model
    self.dialect = dialect ?? model.dialect
    self.limits = limits
    checkpoint = check
  }

  /// The plan of a request.
  ///
  /// - Throws: `RequestError` for a name that does not exist, an expression without meaning, two equal names, a limit
  ///   that is exceeded.
  public func plan(_ request: FetchRequest) throws -> Plan {
    try planning(request).run()
  }

  /// Notes what is wrong with a request, and what its names mean.
  ///
  /// - Throws: what ends the planning.
  package func check(_ request: FetchRequest, _ diagnostics: Diagnostics) throws {
    do {
      _ = try planning(request, diagnostics).run()
    } catch let error as RequestError {
      diagnostics.note(error)
    } catch is Diagnostics.Full {
    }
  }

  /// The plan of a request for rows: its nodes have layouts, and no programs.
  ///
  /// - Throws: `RequestError` for an alias of two tables or of none.
  public func planRows(_ request: FetchRequest) throws -> Plan {
    try planning(request).runRows()
  }

  /// The columns that a request for rows selects of its own record, for a statement that names the record as the
  /// request does.
  public func selection(of request: FetchRequest) throws -> [SQL] {
    let planning = planning(request)
    let statement = StatementBuilder(planning.dialect, level: 0, runsOften: false, givesMany: true)
    return try planning.selection(of: planning.planSelect(request, select: statement.newSelect()))
  }
}

extension Planner {
  /// The making of the plan of a request.
  func planning(_ request: FetchRequest, _ diagnostics: Diagnostics? = nil) -> Planning {
    Planning(
      model: model, request: request, dialect.writer, PlanningBudget(limits, check: checkpoint),
      diagnostics: diagnostics)
  }
}

/// The making of one plan.
package final class Planning {
  let model: Model
  let request: FetchRequest
  /// Of the database that it is for.
  let dialect: any SQLDialect
  /// Where errors are noted instead of thrown.
  let diagnostics: Diagnostics?
  var plan = Plan()
  var budget: PlanningBudget
  var nodes: [Plan.Node?] = []
  var missingIndexes: OrderedSet<String> = []
  var mismatches: OrderedSet<String> = []
  /// Whether the names at hand are the model file's, which may speak of hidden columns.
  var readsHidden = false
  /// Bytes of SQL that the model has defined, and not the request.
  var definitionsLength = 0
  /// Whether the expression at hand is a rule of access, inside of which no rule applies.
  var isInRule = false
  /// Whether each statement runs for one record: then reading a table once costs less than copying it.
  var isForOneRecord = false
  /// What the expressions that are being compiled expose.
  var exposure = Exposure()
  /// The records on the path, and what an error calls them where they are not there.
  var steps: [(scope: Scope, absence: String)] = []
  var transients: OrderedDictionary<String, TransientTable> = [:]
  /// The statements that might be merge-joined with the root's.
  var mergeCandidates: [MergeJoin.Candidate] = []
  /// The nodes whose conditions are being compiled.
  var filtered = FilteredNodes()
  /// The default names that were made for suggestions, by the association's key and its destination.
  var suggestedNames: [[String]: [String]] = [:]
  /// How often a name has been met within itself.
  var selfReferences = 0
  /// The records that others were joined to, which know of each other.
  private(set) var joining: [Scope] = []
  /// The records that have a name of their own, in a request for rows.
  var aliased: [RecordAlias: Scope] = [:]

  init(
    model: Model, request: FetchRequest, _ dialect: any SQLDialect,
    _ budget: PlanningBudget = PlanningBudget(.none, check: {}), diagnostics: Diagnostics? = nil
  ) {
    self.model = model
    self.request = request
    self.dialect = dialect
    self.budget = budget
    self.diagnostics = diagnostics
  }

  deinit {
    // Else those of each plan that was ever made would stay in memory.
    for scope in joining { scope.joined = [:] }
  }

  /// Notes that a to-one association leads from one record to another.
  func join(_ joined: Scope, to scope: Scope, as place: String) {
    if scope.joined.isEmpty { joining.append(scope) }
    scope.joined[place] = joined
  }

  func run() throws -> Plan {
    let records = try planPath()
    try planRoot(records)
    try checkJoinedNodes()
    plan.nodes = nodes.compactMap { $0 }
    plan.transients = Array(transients.values)
    plan.missingIndexes = Array(missingIndexes)
    plan.mismatches = Array(mismatches)
    try checkLength()
    return plan
  }

  /// A statement as the database takes it.
  func planned(_ sql: SQL) -> Plan.Statement { Plan.Statement(sql, dialect.parameterStyle) }

  /// - Throws: `RequestError` where the plan has more SQL than it may have.
  func checkLength() throws {
    guard plan.sqlLength - definitionsLength <= budget.limits.sqlLength else { throw budget.tooLong() }
  }

  func resource(_ name: String) throws -> Resource {
    // The model's own expressions read what the principal doesn't see, but for the records out of sight.
    guard let resource = (readsHidden ? model.unrestricted : model).resources[name] else {
      throw RequestError.unknown(
        name, .unknownResource, "there is no resource `\(name)`", among: model.resources.keys)
    }
    return resource
  }

  /// The table of a step, and what clients may see of it.
  func table(_ name: String) throws -> (table: Table, resource: Resource) {
    guard let table = model.tables[name] else {
      throw RequestError(.unknownResource, "there is no table `\(name)`")
    }
    return (table, model.resource(of: table))
  }
}
