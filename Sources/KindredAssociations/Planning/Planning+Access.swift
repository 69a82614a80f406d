import KindredSQLSyntax
import OrderedCollections

/// Rules of access: which records are in sight, and how expressions are kept from the others.
extension Planning {
  /// What must hold for a record of `scope` to be in sight; nil where all are.
  ///
  /// It reads the model as a whole, for no rule applies inside a rule, and joins nothing, so that it can stand in any
  /// clause.
  func rule(of scope: Scope) throws -> SQL? {
    guard !isInRule, let rule = scope.resource.permissions?.rowRule else { return nil }
    isInRule = true
    defer { isInRule = false }
    return try modelCondition(rule, in: unrestricted(scope))
  }

  /// Whether some records of `scope` may be out of sight.
  func isRestricted(_ scope: Scope) -> Bool { !isInRule && scope.resource.permissions?.rowRule != nil }

  /// The same record as nobody's rules restrict it.
  func unrestricted(_ scope: Scope) -> Scope {
    let resource = model.unrestricted.resources[scope.resource.name] ?? scope.resource
    let record = Scope(
      table: scope.table, resource: resource, alias: scope.alias, select: scope.select, node: nil, parent: nil
    )
    record.canJoin = false
    return record
  }

  /// A condition of the request, as a part of `WHERE` or `ON`.
  ///
  /// SQLite tests the conditions of a record in the order that it likes best. An expression that could tell of a record,
  /// by an error or by the time that it takes, therefore stands behind the rules of the records that it reads: `CASE`
  /// evaluates nothing that it doesn't need (<https://www.sqlite.org/lang_expr.html#the_case_expression>).
  func guardedCondition(_ expression: Expression, in scope: Scope) throws -> SQL {
    guard restrictsRows else { return try condition(expression, in: scope) }
    if case .all(let operands) = expression.kind {
      return try operands.map { try guardedCondition($0, in: scope) }.joined(separator: " AND ")
    }
    let (condition, exposure) = try exposing { try self.condition(expression, in: scope) }
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

  /// - Throws: `RequestError` (`forbidden`) where a name is that of an association that is there, and not for the
  ///   principal, or a default name of one.
  func checkPermission(_ name: String, of resource: Resource, at origin: Origin) throws {
    guard model.whole != nil, !readsHidden,
      let associations = model.unrestricted.resources[resource.name]?.associations
    else { return }
    for (key, association) in associations where resource.associations[key] == nil {
      guard name == key || isDefaultName(name, of: association) else { continue }
      throw RequestError.forbidden(name, at: origin)
    }
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
