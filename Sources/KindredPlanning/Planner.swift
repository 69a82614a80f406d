import KindredModel
import KindredSQLSyntax

/// Plans requests: turns a tree of names into a tree of statements.
///
/// | phase | from | to |
/// |---|---|---|
/// | `Resolution` | the request | what its names mean, node by node, without SQL: `ResolvedRequest` |
/// | `Selects`, `Tree` | that | a tree of selects as values, each with the shape of its records |
/// | `PlanStrategy` | the tree | the same in the form that suits the database |
/// | `PlanWriter` | the tree | text and bindings |
///
/// Requests for rows are joined in another way, with a row for each combination of records (`Rows`); their selects are
/// values of the same types, and written by the same writer.
public struct Planner {
  let model: Model
  let dialect: Dialect
  let limits: PlanningLimits
  let checkpoint: () throws -> Void

  /// Creates a planner for requests to a model.
  ///
  /// - Parameters:
  ///   - dialect: The SQL of the database.
  ///   - limits: The resources that planning a request may use.
  ///   - check: Called from time to time while a request is planned; an error ends the planning.
  public init(
    model: Model, dialect: Dialect, limits: PlanningLimits = .none,
    check: @escaping () throws -> Void = {}
  ) {
    self.model = model
    self.dialect = dialect
    self.limits = limits
    checkpoint = check
  }

  /// Returns the plan of a request.
  ///
  /// First the names are resolved, then the selects are built; the database's strategy adapts these, and the text is
  /// written last.
  ///
  /// - Parameters:
  ///   - isForManyKeys: Whether the request is for one record, and the plan may also run for the keys of several at once
  ///     (``Plan/Node/batch`` of its root).
  ///   - reading: How it reads the stored values that it shows.
  /// - Throws: `RequestError` if a name does not exist, an expression has no meaning, two names are equal, or a limit
  ///   is exceeded.
  public func plan(
    _ request: FetchRequest, isForManyKeys: Bool = false, reading: ValueReading = .whole
  ) throws -> Plan {
    try plan(
      request, context(of: request, reading: request.root.comparesRecords ? .whole : reading),
      isForManyKeys: isForManyKeys)
  }

  /// Returns the plan of a request for one record that isn't read from its table: nothing finds it there.
  ///
  /// - Parameter columns: The columns of the record, whose values are the first literals, in order.
  /// - Throws: `RequestError`, likewise.
  public func plan(_ request: FetchRequest, ofRowOf columns: [String]) throws -> Plan {
    let context = context(of: request, isForOneRecord: true)
    context.state.rowColumns = columns
    return try plan(request, context)
  }

  func plan(
    _ request: FetchRequest, _ context: PlanningContext, isForManyKeys: Bool = false
  ) throws -> Plan {
    let strategy = context.state.strategy
    let resolved = try FetchRequestResolver(state: context.state).resolve(request)
    var selects = strategy.arranged(try TreeBuilder(context).tree(of: resolved, for: request))
    if isForManyKeys, case .record(let key) = request.path.segments.last {
      selects = strategy.batched(selects, over: Set(key.flatMap(\.literals)))
    }
    var writer = PlanWriter(context.state)
    var plan = try writer.plan(of: selects)
    plan.places = request.literals.places
    plan.storedColumn = context.state.storedColumn
    return plan
  }

  /// Collects the errors of a request and the meanings of its names.
  ///
  /// - Throws: The error that ends the planning.
  package func check(_ request: FetchRequest, _ diagnostics: Diagnostics) throws {
    do {
      let context = context(of: request, diagnostics: diagnostics)
      let resolved = try FetchRequestResolver(state: context.state).resolve(request)
      // Whether the types of operands match is known when their SQL is made.
      _ = try TreeBuilder(context).tree(of: resolved, for: request)
    } catch let error as RequestError {
      diagnostics.note(error)
    } catch is Diagnostics.Full {
    }
  }

  /// Returns the plan of a request for rows, whose nodes have layouts instead of shapes.
  ///
  /// - Throws: `RequestError` if an alias belongs to two tables or to none.
  public func planRows(_ request: FetchRequest) throws -> Plan {
    let context = context(of: request)
    let selects = try RowTreeBuilder(context).tree(of: request)
    var writer = PlanWriter(context.state)
    var plan = try writer.plan(of: selects)
    if request.count, let root = selects.nodes.first {
      plan.count = writer.statement(root.rowCount, of: root.rows)
    }
    return plan
  }

  /// Returns the columns that a request for rows selects from its root, for a statement that gives the table the same
  /// alias.
  public func selection(of request: FetchRequest) throws -> [SQL] {
    let context = context(of: request)
    let select = StatementBuilder(context.dialect).newSelect()
    let selects = RowSelectBuilder(context: context)
    return try selects.selection(of: selects.select(request, into: select))
  }

  /// Returns a context for planning a request.
  ///
  /// - Parameters:
  ///   - request: The request; nil for expressions of the model.
  ///   - isForOneRecord: Whether each statement runs for a single record.
  ///   - reading: How stored values are read that are shown.
  func context(
    of request: FetchRequest? = nil, diagnostics: Diagnostics? = nil, isForOneRecord: Bool = false,
    reading: ValueReading = .whole
  ) -> PlanningContext {
    PlanningContext(
      state: PlanningState(
        model: model, dialect: model.isRestricted ? dialect.writer.roundingAlike : dialect.writer,
        literals: request?.literals.values ?? [],
        literalsAreDistinct: request?.literals.areDistinct ?? false,
        budget: PlanningBudget(limits, check: checkpoint), diagnostics: diagnostics,
        isForOneRecord: isForOneRecord, reading: reading))
  }
}
