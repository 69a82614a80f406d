import KindredModel

/// The state that the parts of the planner share.
struct PlanningContext {
  let state: PlanningState
  /// Whether an access rule is being compiled, within which no rules apply.
  var isInRule = false

  var model: Model { state.model }
  var dialect: any SQLDialect {
    isInRule && model.testsRulesCautiously ? state.dialect.noticingFailures : state.dialect
  }

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
}

/// A part of the planner that makes selects.
protocol PlanningPart {
  var context: PlanningContext { get }
}

extension PlanningPart {
  var state: PlanningState { context.state }
  var model: Model { context.model }
  var dialect: any SQLDialect { context.dialect }
}
