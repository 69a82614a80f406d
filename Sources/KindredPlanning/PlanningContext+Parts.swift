/// The parts of the planner.
///
/// They call each other, since an expression may contain an aggregate, whose records have conditions, which are
/// expressions. Each part has one task, and finds the others here.
extension PlanningContext {
  // MARK: Resolution

  var resolver: ExpressionResolver { ExpressionResolver(state: state) }
  var associations: AssociationResolver { AssociationResolver(state: state) }

  // MARK: Selects

  var expressions: ExpressionCompiler { ExpressionCompiler(context: self) }
  var aggregates: AggregateCompiler { AggregateCompiler(context: self) }
  var conditions: RecordConditions { RecordConditions(context: self) }
  var rules: AccessRules { AccessRules(context: self) }
  var finder: RecordFinder { RecordFinder(context: self) }
  var sources: TableSources { TableSources(context: self) }
  var chains: AssociationChains { AssociationChains(context: self) }
  var toOne: ToOneJoins { ToOneJoins(context: self) }
  var searches: SearchCompiler { SearchCompiler(context: self) }
  var groups: GroupCompiler { GroupCompiler(context: self) }
  var orders: OrderCompiler { OrderCompiler(context: self) }
}
