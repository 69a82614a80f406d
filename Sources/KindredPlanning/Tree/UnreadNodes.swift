import KindredModel
import KindredSQLSyntax

/// Compiles what a request says of its nodes where no statement reads it, such as the conditions of a joined to-many
/// association: every parameter is checked, also where it has no effect.
///
/// Their names have been resolved; this finds operands of wrong types and malformed searches. The statement for which
/// they are compiled never runs.
struct UnreadNodes {
  private let context: PlanningContext
  private let select: SelectBuilder
  /// The patterns to validate before the first byte is sent.
  private(set) var searches: [Plan.SearchCheck] = []

  /// Compiles what the selects of a request, which have been built, don't contain.
  ///
  /// - Throws: `RequestError`
  init(of request: ResolvedRequest, _ context: PlanningContext) throws {
    self.context = context
    select = StatementBuilder(context.dialect).newSelect()
    // Rules of records that no statement reads don't restrict the result.
    let readsRestricted = context.state.readsRestricted
    defer { context.state.readsRestricted = readsRestricted }
    try check(request.root, in: record(of: request.root, below: nil))
  }

  private mutating func check(_ node: ResolvedNode, in record: StatementRecord) throws {
    let memory = context.state.memory(of: node.names)
    if record.conditions != nil, !memory.compiled.contains(.conditions) {
      try add(context.conditions.conditions(of: record))
    }
    if memory.compiled.insert(.content).inserted {
      for expression in node.content.expressions {
        _ = try context.expressions.compile(expression, in: record)
      }
    }
    if let group = node.group, memory.compiled.insert(.group).inserted {
      _ = try context.groups.havings(of: group, in: record)
      _ = try context.groups.terms(of: group, in: record)
    }
    if let sort = node.sort, memory.compiled.insert(.order).inserted {
      for term in sort { _ = try context.orders.term(term, in: record) }
    }
    for child in node.children { try check(child, in: self.record(of: child, below: record)) }
  }

  private mutating func add(_ conditions: [SQL]) {
    for case .search(let check)? in conditions.flatMap(\.notes).map({ $0 as? PlanNote })
    where !searches.contains(check) { searches.append(check) }
  }

  /// Returns a record for expressions about a node: its columns, and the records that these can name.
  private func record(of node: ResolvedNode, below parent: StatementRecord?) -> StatementRecord {
    func record(
      of names: NameScope, via: StatementRecord? = nil, _ conditions: ResolvedConditions? = nil
    ) -> StatementRecord {
      let table = names.resource.table
      return StatementRecord(
        names, table: table, alias: select.alias(for: table), select: select, parent: parent, via: via,
        conditions: conditions)
    }
    let via = context.state.memory(of: node.names).via.map { record(of: $0) }
    return record(of: node.names, via: via, node.conditions)
  }
}

extension ResolvedContent {
  /// The expressions in it.
  fileprivate var expressions: [ResolvedExpression] {
    switch self {
    case .value(let value): [value]
    case .members(let members):
      members.compactMap { if case .expression(let value) = $0.value { value } else { nil } }
    }
  }
}
