import KindredModel
import OrderedCollections

import KindredSQLSyntax

/// Checks that expressions have one value in each group: outside an aggregate, they may consist of what is grouped by,
/// of what a grouped primary key determines, and of values.
struct GroupCheck {
  let state: PlanningState
  let scope: NameScope
  let groups: [ResolvedExpression]

  init(_ state: PlanningState, of scope: NameScope) throws {
    (self.state, self.scope) = (state, scope)
    groups = try state.memory(of: scope).groups { expression in
      try ExpressionResolver(state: state).resolve(
        expression, in: NameContext(scope: scope, author: .request))
    }
  }

  /// Returns whether the records are grouped by the expression.
  func isGrouped(_ expression: ResolvedExpression) -> Bool {
    groups.contains { state.isSame($0, expression) }
  }

  /// - Throws: `RequestError` if a part of the expression may have several values in a group.
  func check(_ expression: ResolvedExpression) throws {
    // The expression itself has been charged.
    try state.budget.charge(groups.count / 8, at: expression.source.origin)
    guard !isGrouped(expression), expression.opposite.map({ !isGrouped($0) }) ?? true else { return }
    switch expression.meaning {
    case .function(.aggregate, _, _): return
    case .path(.named(let named)): try check(named.expression)
    case .path(.computed(let computed)) where hasOneValue(computed.expression): return
    case .path(let path): try check(path, at: expression.source)
    default: for part in expression.parts { try check(part) }
    }
  }

  /// - Throws: `RequestError` if a column may have several values in a group.
  func check(_ column: Column, at origin: Origin) throws {
    try check(
      ResolvedExpression(
        meaning: .path(.column(column)), source: Expression(names: [column.name], at: origin)))
  }

  private func check(_ path: ResolvedPath, at source: Expression) throws {
    switch path {
    case .above, .claim, .unknown: return
    case .column, .computed, .via, .joined, .named, .aggregate:
      if let columns = columns(ifDetermined: path, of: scope) {
        state.memory(of: scope).determined += columns
        return
      }
    }
    let text = (try? ExpressionRenderer(literals: state.literals).text(of: source)) ?? "this"
    throw RequestError(
      .invalidExpression,
      groups.isEmpty
        ? "`\(text)` differs between the records, which are one group; write an aggregate such as `max(\(text))`"
        : "`\(text)` differs within a group; add it to `group`, or write an aggregate such as `max(\(text))`",
      at: source.origin)
  }

  /// Returns whether an expression consists of what is grouped by, and of values.
  private func hasOneValue(_ expression: ResolvedExpression) -> Bool {
    if isGrouped(expression) { return true }
    switch expression.meaning {
    case .path(.computed(let computed)): return hasOneValue(computed.expression)
    case .path: return false
    default: return expression.parts.allSatisfy(hasOneValue)
    }
  }

  /// Returns the columns that a path reads; nil unless a primary key among the groups determines the path.
  ///
  /// Those of the grouped table itself are left out, since the database knows what its key determines.
  private func columns(
    ifDetermined path: ResolvedPath, of scope: NameScope, isDetermined: Bool = false, isJoined: Bool = false,
    _ whole: (ResolvedPath) -> ResolvedPath = { $0 }
  ) -> [ResolvedPath]? {
    let table = scope.resource.table
    let key = table.isKeyUnchecked ? [] : table.primaryKey.map { whole(.column(table.columns[$0])) }
    let hasKey =
      !key.isEmpty
      && key.allSatisfy { column in
        groups.contains { group in
          if case .path(let grouped) = group.definition.meaning {
            state.isSame(grouped, column)
          } else {
            false
          }
        }
      }
    if case .joined(let association, let rest) = path {
      let read = columns(
        ifDetermined: rest, of: association.names, isDetermined: isDetermined || hasKey, isJoined: true
      ) { whole(.joined(association, $0)) }
      guard case .computed = rest else { return read }
      // Its value also depends on whether there is a record.
      return read.map { read in
        read + association.presence.map { whole(.joined(association, .column($0))) }
      }
    }
    // Each way to a record counts, so its key doesn't determine the record of the join table.
    if !isDetermined, case .via = path { return nil }
    guard isDetermined || hasKey else { return nil }
    if case .computed(let computed) = path {
      return computed.expression.paths.reduce(into: [ResolvedPath]?([])) { all, path in
        let read = columns(ifDetermined: path, of: scope, isDetermined: true, isJoined: isJoined, whole)
        all = all.flatMap { all in read.map { all + $0 } }
      }
    }
    // PostgreSQL knows what a primary key determines, but not what another one does.
    if !isJoined, case .table = table.kind, !table.isKeyChosen { return [] }
    guard case .aggregate(let aggregate) = path else { return [whole(path)] }
    let origins = aggregate.association.association.steps.first?.originColumns ?? []
    return origins.compactMap { table.column(named: $0).map { whole(.column($0)) } }
  }
}

extension PlanningState {
  /// Returns whether two expressions about the same records mean the same.
  ///
  /// Equal literals become one, so that the database sees that the expressions are the same.
  func isSame(_ first: ResolvedExpression, _ second: ResolvedExpression) -> Bool {
    let (first, second) = (first.definition, second.definition)
    switch (first.meaning, second.meaning) {
    case (.literal(let one), .literal(let other)) where one == other: return true
    case (.literal(let one), .literal(let other)):
      return unify(other, second, with: literals[one], first, as: .parameter(one))
    case (.value(let value), .literal(let number)):
      return unify(number, second, with: value, first, as: .value(value))
    case (.literal(let number), .value(let value)):
      return unify(number, first, with: value, second, as: .value(value))
    case (.path(let one), .path(let other)): return isSame(one, other)
    default:
      return first.meaning.operation == second.meaning.operation
        && zip(first.parts, second.parts).allSatisfy { isSame($0, $1) }
    }
  }

  fileprivate func isSame(_ first: ResolvedPath, _ second: ResolvedPath) -> Bool {
    switch (first, second) {
    case (.column(let one), .column(let other)): one.name == other.name
    case (.computed(let one), .computed(let other)): one.name == other.name
    case (.via(let one), .via(let other)): isSame(one, other)
    case (.above(let levels, let one), .above(let others, let other)): levels == others && isSame(one, other)
    case (.joined(let one, let rest), .joined(let other, let others)):
      one.place == other.place && isSame(rest, others)
    case (.named(let one), .named(let other)): one.name == other.name
    case (.claim(let one), .claim(let other)): one == other
    case (.aggregate(let one), .aggregate(let other)): isSame(one, other)
    default: false
    }
  }

  private func isSame(_ first: ResolvedAggregate, _ second: ResolvedAggregate) -> Bool {
    let (parts, others) = (first.filters + first.arguments, second.filters + second.arguments)
    return first.function == second.function && first.association.place == second.association.place
      && first.filters.count == second.filters.count && parts.count == others.count
      && zip(parts, others).allSatisfy { isSame($0, $1) }
  }
}

extension ResolvedAssociation {
  /// The columns that tell whether there is a record.
  fileprivate var presence: [Column] {
    let table = names.resource.table
    let names =
      table.primaryKey.map { table.columns[$0].name } + (association.steps.last?.destinationColumns ?? [])
    return OrderedSet(names).compactMap { table.column(named: $0) }
  }
}

extension ResolvedExpression {
  /// The paths that it consists of.
  fileprivate var paths: [ResolvedPath] {
    if case .path(let path) = meaning { [path] } else { parts.flatMap(\.paths) }
  }

  /// The expression, or what it is the name of.
  var definition: ResolvedExpression {
    if case .path(.named(let named)) = meaning { named.expression.definition } else { self }
  }
}

extension ResolvedExpression {
  /// The condition that holds exactly where this one, written with a negated operator, doesn't; nil for others.
  var opposite: ResolvedExpression? {
    meaning.opposite.map { ResolvedExpression(meaning: $0, source: source) }
  }
}

extension ExpressionTree<ResolvedExpression, ResolvedPath, ResolvedFunction> {
  fileprivate var opposite: Self? {
    switch self {
    case .isNull(let value, let negated): .isNull(value, negated: !negated)
    case .in(let value, let list, let negated): .in(value, list, negated: !negated)
    case .between(let value, let low, let high, let negated): .between(value, low, high, negated: !negated)
    case .match(let op, let value, let pattern, let escape, let negated):
      .match(op, value, pattern, escape: escape, negated: !negated)
    case .binary(let op, let left, let right): op.opposite.map { .binary($0, left, right) }
    case .literal, .value, .null, .boolean, .path, .function, .all, .any, .unary, .collate, .cast, .cases,
      .program:
      nil
    }
  }
}
