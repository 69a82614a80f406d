import KindredSQLSyntax
import OrderedCollections

/// Rules of access: which records are in sight, and how expressions are kept from the others.
struct AccessRules {
  let context: PlanningContext

  /// What must hold for a record of `scope` to be in sight; nil where all are.
  ///
  /// It reads the model as a whole, for no rule applies inside a rule, and joins nothing, so that it can stand in any
  /// clause.
  func rule(of scope: Scope) throws -> SQL? {
    guard !context.isInRule, let rule = scope.resource.permissions?.rowRule else { return nil }
    return try condition(rule, in: unrestricted(scope))
  }

  /// A rule as a condition on a record that no rule restricts.
  func condition(_ rule: Expression, in scope: Scope) throws -> SQL {
    var inside = context
    inside.isInRule = true
    return try inside.rules.modelCondition(rule, in: scope)
  }

  /// Whether some records of `scope` may be out of sight.
  func restricts(_ scope: Scope) -> Bool { !context.isInRule && scope.resource.permissions?.rowRule != nil }

  /// The same record without the restrictions of the principal.
  func unrestricted(_ scope: Scope) -> Scope {
    let resource = context.state.model.unrestricted.resources[scope.resource.name] ?? scope.resource
    return Scope(
      ResolutionScope(resource: resource, node: nil, parent: nil), table: scope.table, alias: scope.alias,
      select: scope.select, parent: nil, canJoin: false)
  }

  /// A condition of the model file, as a part of `WHERE` or `ON`.
  func modelCondition(_ expression: Expression, in scope: Scope) throws -> SQL {
    try guarded(expression, in: scope, by: context.modelAuthor)
  }

  /// The conditions that a step and its association put on the records that they lead to.
  ///
  /// - Parameter association: the one whose last step it is; nil for a pivot.
  func modelConditions(
    of step: AssociationStep, of association: Association?, in scope: Scope
  ) throws -> [SQL] {
    try [step.filter, association?.filter].compactMap { $0 }.map { try modelCondition($0, in: scope) }
  }

  // MARK: Guards

  /// A condition as a part of `WHERE` or `ON`.
  ///
  /// SQLite tests the conditions of a record in the order that it likes best. An expression that could tell of a record,
  /// by an error or by the time that it takes, therefore stands behind the rules of the records that it reads: `CASE`
  /// evaluates nothing that it doesn't need (<https://www.sqlite.org/lang_expr.html#the_case_expression>).
  func guarded(
    _ expression: Expression, in scope: Scope, by author: ExpressionAuthor = .request, isOfGroup: Bool = false
  ) throws -> SQL {
    if context.restrictsRows, case .all(let operands) = expression.kind {
      return try operands.map { try guarded($0, in: scope, by: author, isOfGroup: isOfGroup) }
        .joined(separator: " AND ")
    }
    return try guarding(in: scope) {
      try context.expressions.condition(expression, in: scope, by: author, isOfGroup: isOfGroup)
    }
  }

  /// The same for an expression whose names have been looked up.
  func guarded(_ expression: ResolvedExpression, in scope: Scope) throws -> SQL {
    if context.restrictsRows, case .all(let operands) = expression.meaning {
      return try operands.map { try guarded($0, in: scope) }.joined(separator: " AND ")
    }
    return try guarding(in: scope) { try context.expressions.condition(expression, in: scope) }
  }

  private func guarding(in scope: Scope, _ body: () throws -> SQL) throws -> SQL {
    guard context.restrictsRows else { return try body() }
    let (condition, exposure) = try context.state.exposing(body)
    guard exposure.tells else { return condition }
    var read = Exposure([scope])
    read.add(exposure)
    return condition.behind(try rules(of: read, in: scope.select))
  }

  /// What must hold for the exposed records to be in sight, as far as `select` can name them.
  func rules(of exposure: Exposure, in select: SelectBuilder) throws -> [SQL] {
    var seen: Set<String> = []
    var rules: [SQL] = []
    for record in exposure.records
    where record.isVisible(in: select) && seen.insert(record.alias).inserted {
      guard let rule = try rule(of: record) else { continue }
      rules.append(record.presence.map { "(\($0) IS NULL OR \(rule))" } ?? rule)
    }
    return rules
  }
}

extension SQL {
  /// The condition where the rules hold, and NULL where one doesn't: then it is not evaluated.
  func behind(_ rules: [SQL]) -> SQL {
    rules.isEmpty ? self : "CASE WHEN \(rules.joined(separator: " AND ")) THEN \(self) END"
  }
}

extension Scope {
  /// Whether the record can be named in a `SELECT`: it is read there, or around it.
  fileprivate func isVisible(in select: SelectBuilder) -> Bool {
    self.select === select || (statement === select.statement && self.select.depth < select.depth)
  }
}
