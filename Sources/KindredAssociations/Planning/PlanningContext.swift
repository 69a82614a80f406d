/// The parts of the planner, and the state that they share.
///
/// The parts call each other, since an expression may contain an aggregate, whose records have conditions, which are
/// expressions. Each part has one task, and finds the others here.
struct PlanningContext {
  let state: PlanningState
  /// Whether an access rule is being compiled, within which no rules apply.
  var isInRule = false
  /// The nodes whose conditions are being compiled.
  var filtered = FilteredNodes()

  var model: Model { state.model }
  var dialect: any SQLDialect { state.dialect }

  /// The model's expressions that are being compiled.
  var modelExpressions = ModelExpressions()

  /// The author of the model's expressions.
  var modelAuthor: ExpressionAuthor { isInRule ? .rule : .model }

  /// Returns the context of the parts of an expression of the model.
  ///
  /// - Throws: `RequestError` if the expression leads to itself.
  func within(_ expression: Expression, of record: StatementRecord) throws -> PlanningContext {
    var inside = self
    inside.modelExpressions = try modelExpressions.adding(
      expression, of: record.resource, isInRule: isInRule)
    return inside
  }

  // MARK: Resolution

  var resolver: ExpressionResolver { ExpressionResolver(state: state) }

  // MARK: Selects

  var expressions: ExpressionCompiler { ExpressionCompiler(context: self) }
  var aggregates: AggregateCompiler { AggregateCompiler(context: self) }
  var conditions: RecordConditions { RecordConditions(context: self) }
  var rules: AccessRules { AccessRules(context: self) }
  var sources: TableSources { TableSources(context: self) }
  var chains: AssociationChains { AssociationChains(context: self) }
  var toOne: ToOneJoins { ToOneJoins(context: self) }
  var searches: SearchCompiler { SearchCompiler(context: self) }
  var groups: GroupCompiler { GroupCompiler(context: self) }
  var orders: OrderCompiler { OrderCompiler(context: self) }
}
