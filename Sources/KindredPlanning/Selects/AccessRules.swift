import KindredModel
import KindredSQLSyntax

/// Compiles access rules, which determine the visible records, and keeps expressions from disclosing others.
struct AccessRules {
  let context: PlanningContext

  /// Returns the condition that a record is visible; nil if all records of its resource are.
  ///
  /// It reads the unrestricted model, since no rule applies inside a rule, and adds no joins, so that it can be used in
  /// any clause.
  func rule(of record: StatementRecord) throws -> SQL? {
    guard restricts(record) else { return nil }
    context.state.readsRestricted = true
    let (plain, mayFail) = try context.state.noticingFailures {
      try context.model.rowRules(of: record.resource).map { rule, resource in
        try condition(rule, in: unrestricted(record, of: resource))
      }.joined(separator: " AND ")
    }
    return mayFail && context.model.testsRulesCautiously ? try cautious(plain, of: record) : plain
  }

  /// Returns a rule that doesn't hold where it can't be computed, as far as the database can tell.
  private func cautious(_ rule: SQL, of record: StatementRecord) throws -> SQL {
    let table = record.table
    // All records with the key of a view must hold.
    let columns = table.locatorColumns
    let pointers = columns.map { table.keyColumn($0, of: record.id) }
    let failures = rule.notes.compactMap { ($0 as? FailureNote)?.condition }
      .filter { !$0.reads { $0.depth > record.select.depth } }
    let rule: SQL =
      failures.isEmpty
      ? rule : "CASE WHEN coalesce(\(failures.joined(separator: " OR ")), FALSE) THEN FALSE ELSE \(rule) END"
    guard table.query == nil, !columns.isEmpty else { return rule }
    var definitions = SQL()
    if case .commonTableExpression = table.kind {
      definitions = context.model.commonTableExpressions([table.name])
    }
    let places = pointers.enumerated().map { "\($1) = \(.batch($0))" as SQL }
    let test: SQL = """
      \(definitions)SELECT \(rule) FROM \(table.reference) AS \(identifier: record.alias) \
      WHERE \(places.joined(separator: " AND "))
      """
    return context.state.dialect.tested(rule, alone: test, pointers)
  }

  /// Returns a rule as a condition on an unrestricted record.
  func condition(_ rule: Expression, in record: StatementRecord) throws -> SQL {
    var inside = context
    inside.isInRule = true
    return try inside.rules.modelCondition(rule, in: record)
  }

  /// Returns whether some records of the same resource may be invisible.
  func restricts(_ record: StatementRecord) -> Bool {
    !context.isInRule && !context.model.rowRules(of: record.resource).isEmpty
  }

  /// Returns the record without the restrictions of the principal.
  ///
  /// - Parameter resource: Another resource of its table.
  func unrestricted(_ record: StatementRecord, of resource: Resource? = nil) -> StatementRecord {
    let name = resource?.name ?? record.resource.name
    let resource = context.state.model.unrestricted.resources[name] ?? record.resource
    return StatementRecord(
      NameScope(model: context.model, resource: resource), table: record.table, alias: record.alias,
      select: record.select, parent: nil, canJoin: false)
  }

  /// Returns a condition of the model file, as a part of `WHERE` or `ON`.
  func modelCondition(_ expression: Expression, in record: StatementRecord) throws -> SQL {
    let inside = try context.within(expression, of: record)
    let resolved = try inside.expressions.resolve(expression, in: record, by: context.modelAuthor)
    let condition = try inside.rules.guarded(resolved, in: record)
    return context.isInRule && !context.model.testsRulesCautiously
      ? try inside.finder.noting(condition, for: resolved, in: record) : condition
  }

  /// Returns the conditions of a step and its association on the records that they lead to.
  ///
  /// - Parameter association: The association whose last step it is; nil for a pivot.
  func modelConditions(
    of step: AssociationStep, of association: Association?, in record: StatementRecord
  ) throws -> [SQL] {
    try [step.filter, association?.filter].compactMap { $0 }.map { try modelCondition($0, in: record) }
  }

  // MARK: Guards

  /// Returns a condition as a part of `WHERE` or `ON`.
  ///
  /// SQLite evaluates conditions in any order. An expression that could disclose a record, by an error or by its
  /// duration, is therefore evaluated only after the rules of the records that it reads: `CASE` evaluates nothing that
  /// it doesn't need (<https://www.sqlite.org/lang_expr.html#the_case_expression>).
  func guarded(_ expression: ResolvedExpression, in record: StatementRecord) throws -> SQL {
    if context.restrictsRows, case .all(let operands) = expression.meaning {
      return try operands.map { try guarded($0, in: record) }.joined(separator: " AND ")
    }
    return try guarding(in: record) { try context.expressions.search(expression, in: record) }
  }

  /// Returns a condition as a part of `WHERE` or `ON`.
  func guarding(in record: StatementRecord, _ body: () throws -> SQL) throws -> SQL {
    guard context.restrictsRows else { return try body() }
    let (condition, exposure) = try context.state.exposing(body)
    guard exposure.mayDisclose else { return condition }
    var read = Exposure([record])
    read.add(exposure)
    return condition.behind(try rules(of: read, in: record.select))
  }

  /// Returns the rules of the exposed records, as far as `select` can refer to them.
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
  /// Returns the condition, which is evaluated only if the rules hold, and is NULL otherwise.
  func behind(_ rules: [SQL]) -> SQL {
    rules.isEmpty ? self : "CASE WHEN \(rules.joined(separator: " AND ")) THEN \(self) END"
  }
}

extension StatementRecord {
  /// Returns whether a `SELECT` can refer to the record, because it or an enclosing one reads it.
  fileprivate func isVisible(in select: SelectBuilder) -> Bool {
    self.select === select || (statement === select.statement && self.select.depth < select.depth)
  }
}
