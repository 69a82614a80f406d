import KindredSQLSyntax

/// Makes plans of requests: from a tree of names to a tree of statements.
///
/// | phase | from | to |
/// |---|---|---|
/// | `Resolution` | names | what they mean: columns, associations, aggregates, without SQL |
/// | `Selects`, `Tree` | the nodes of the request | a tree of selects as values, each with the shape of its records |
/// | `SQLite`, `PostgreSQL` | the tree | the same in the form that suits the database |
/// | `PlanWriter` | the tree | text and bindings |
///
/// Requests for rows have a tree of their own (`Rows`), whose names and selects are made by the same parts.
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

  /// The plan of a request: its names are looked up while a tree of selects is made of it, which the strategy of the
  /// database arranges; then the text is written.
  ///
  /// - Throws: `RequestError` for a name that does not exist, an expression without meaning, two equal names, a limit
  ///   that is exceeded.
  public func plan(_ request: FetchRequest) throws -> Plan {
    try plan(request, context(of: request))
  }

  func plan(_ request: FetchRequest, _ context: PlanningContext) throws -> Plan {
    let selects = try TreeBuilder(context).tree(of: request)
    try JoinedNodeCheck.check(request, context)
    var writer = PlanWriter(context.state)
    return try writer.plan(of: model.strategy(for: context.dialect).arranged(selects))
  }

  /// Notes what is wrong with a request, and what its names mean.
  ///
  /// - Throws: what ends the planning.
  package func check(_ request: FetchRequest, _ diagnostics: Diagnostics) throws {
    do {
      _ = try plan(request, context(of: request, diagnostics: diagnostics))
    } catch let error as RequestError {
      diagnostics.note(error)
    } catch is Diagnostics.Full {
    }
  }

  /// The plan of a request for rows: its nodes have layouts instead of shapes.
  ///
  /// - Throws: `RequestError` for an alias of two tables or of none.
  public func planRows(_ request: FetchRequest) throws -> Plan {
    try RowTreeBuilder(context(of: request)).plan(of: request)
  }

  /// The columns that a request for rows selects of its own record, for a statement that names the record as the
  /// request does.
  public func selection(of request: FetchRequest) throws -> [SQL] {
    let context = context(of: request)
    let statement = StatementBuilder(context.dialect, level: 0, runsOften: false, givesMany: true)
    let selects = RowSelectBuilder(context: context)
    return try selects.selection(of: selects.select(request, into: statement.newSelect()))
  }

  /// What a request is planned with.
  ///
  /// - Parameter isForOneRecord: whether each statement runs for one record.
  func context(
    of request: FetchRequest, diagnostics: Diagnostics? = nil, isForOneRecord: Bool = false
  ) -> PlanningContext {
    PlanningContext(
      state: PlanningState(
        model: model, dialect: dialect.writer, literals: request.literals.values,
        budget: PlanningBudget(limits, check: checkpoint), diagnostics: diagnostics,
        isForOneRecord: isForOneRecord))
  }
}
