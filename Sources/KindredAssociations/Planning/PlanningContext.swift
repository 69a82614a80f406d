/// The parts of the planner that make selects of a request's meaning, and what they share.
///
/// An expression may hold an aggregate, whose records have conditions, which are expressions: so the parts call each
/// other. Each of them has one task, and finds the others here.
struct PlanningContext {
  let state: PlanningState
  /// Whether the expressions are those of a rule of access, inside of which no rule applies.
  var isInRule = false

  var dialect: any SQLDialect { state.dialect }

  /// Who has written the expressions of the model that are met here.
  var modelAuthor: ExpressionAuthor { isInRule ? .rule : .model }

  // MARK: Meaning

  var names: NameLookup { NameLookup(state: state) }
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
