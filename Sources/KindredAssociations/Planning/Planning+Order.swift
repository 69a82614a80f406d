import KindredSQLSyntax

/// Total orders, and the pages of a result in such an order.
extension Planning {
  /// The order of a node's rows: as requested or by default, then that of the to-one nodes, then the primary key.
  ///
  /// - Parameter shown: what tells distinct results apart. Where no key does, the order of the columns may not: their
  ///   collations take some texts for equal.
  func orderTerms(
    of node: RequestNode, association: Association?, in scope: Scope, rank: [SQL]?, group: [OrderTerm]?,
    shown: [SQL] = []
  ) throws -> [OrderTerm] {
    var terms: [OrderTerm] = []
    if let sort = node.sort {
      terms = try sort.map { try term($0, in: scope) }
    } else if let rank {
      terms = rank.map { OrderTerm(sql: $0) }
    } else if group == nil {
      terms = try defaultTerms(association?.sort ?? [], in: scope)
    }
    guard group == nil else {
      // Without expressions there is one group.
      return (group ?? []).isEmpty ? [] : unique(terms + (group ?? []))
    }
    terms += try toOneTerms(of: node, in: scope)
    terms += keyTerms(of: scope)
    if node.isDistinct, scope.table.identity.isEmpty {
      terms += shown.compactMap { dialect.orderedByBytes($0).map { OrderTerm(sql: $0) } }
    }
    if let association, node.readsVia, !model.leadsOnce(association) {
      // The same record may be there several times, by several ways.
      var pivot = scope.via
      while let via = pivot {
        terms += keyTerms(of: via)
        pivot = via.via
      }
    }
    return unique(terms)
  }

  /// The order of an association, or else that of the resource.
  func defaultTerms(_ sort: [SortTerm], in scope: Scope) throws -> [OrderTerm] {
    try readingHidden {
      try (sort.isEmpty ? scope.resource.sort : sort).map { try term($0, in: scope) }
    }
  }

  func keyTerms(of scope: Scope) -> [OrderTerm] {
    scope.keyColumns.map { OrderTerm(compile($0, in: scope), exposure: Exposure([scope])) }
  }

  /// The orders of the to-one nodes, where the request says them, in the order of the nodes.
  private func toOneTerms(of node: RequestNode, in scope: Scope) throws -> [OrderTerm] {
    var terms: [OrderTerm] = []
    for child in node.children where child.association?.cardinality == .toOne && child.recursion == nil {
      guard child.ordersAbove else { continue }
      let record = try joinToOne(child.key, of: scope)
      terms += try (child.sort ?? []).map { try term($0, in: record) }
      terms += try toOneTerms(of: child, in: record)
    }
    return terms
  }

  /// Whether an index gives the records by the first term of the order.
  private func isIndexed(_ order: [OrderTerm], in scope: Scope) -> Bool {
    order.first?.sql.column(of: scope.record).map { scope.table.isIndexed([$0]) } ?? false
  }

  func term(_ term: SortTerm, in scope: Scope) throws -> OrderTerm {
    var (compiled, exposure) = try exposing { try compile(term.expression, in: scope) }
    if term.isNoCase { compiled = try dialect.collated(compiled, .nocase) }
    return OrderTerm(compiled, isDescending: term.isDescending, nulls: term.nulls, exposure: exposure)
  }

  /// A term that stands before decides; its repetition only costs.
  private func unique(_ terms: [OrderTerm]) -> [OrderTerm] {
    var seen: Set<SQL> = []
    return terms.filter { seen.insert($0.sql).inserted }
  }

  // MARK: Pages

  /// Adds what pages of the root need: the cursor's columns, the condition that starts a page after a cursor, and
  /// the statement that looks ahead.
  func planPages(of rows: inout Rows) throws {
    let node = request.root
    func refuse(_ message: String) -> RequestError {
      RequestError(.invalidValue, message, at: Origin(parameter: "after"))
    }
    guard !rows.order.isEmpty else {
      if request.after != nil { throw refuse("this result has one page: leave out `after`") }
      return
    }
    let statement = rows.scope.statement
    plan.cursorColumns = rows.order.map { statement.column($0.sql) }
    plan.cursorIsDescending = rows.order.map(\.isDescending)
    let order = rows.order
    let isUnkeyed = rows.group == nil && !rows.isDistinct && rows.scope.table.identity.isEmpty
    let ignoresAffinity = rows.scope.table.isCompound
    if let after = request.after {
      guard after.values.count == order.count || after.digest != nil && after.values.count < order.count
      else {
        throw refuse("the cursor belongs to another request: take it from `Link`")
      }
      rows.orderRules = try rules(ofOrderOf: rows)
      var keyset = Keyset(order: order, after: after, ignoringAffinity: ignoresAffinity, dialect)
      // Records without a key may be equal: those that have been passed come first among those from the cursor on.
      keyset.isInclusive = isUnkeyed
      keyset.rules = rows.orderRules
      plan.anchor = after.digest == nil ? nil : anchor(of: after, keyset, rows)
      rows.restriction = keyset.condition
      if rows.group == nil, !rows.isDistinct, keyset.hasRanges, isIndexed(order, in: rows.scope) {
        rows.ranges = keyset.ranges
      }
      if isUnkeyed { rows.passed = passed(by: rows, keyset) }
    }
    guard let limit = node.limit else { return }
    var offset = dialect.integer(.parameter(limit))
    if let number = node.offset { offset.append(" + \(dialect.integer(.parameter(number)))") }
    if let passed = rows.passed { offset.append(" + \(passed)") }
    rows.reach = "\(offset) + 1"
    plan.lookahead = planned(
      withClause(
        statement, rows.select(order.map(\.sql), page: dialect.page(limit: "2", offset: "\(offset) - 1"))))
    if isUnkeyed { plan.passed = passed(by: rows, reach: offset) }
  }

  /// What must hold for the records that the order reads to be in sight.
  ///
  /// The condition that starts a page reads what the order reads. Of distinct results it reads nothing else, and these
  /// are made of records in sight.
  private func rules(ofOrderOf rows: Rows) throws -> [SQL] {
    guard restrictsRows, !rows.isDistinct else { return [] }
    var exposure = Exposure()
    for term in rows.order { exposure.add(term.exposure) }
    return try rules(of: exposure, in: rows.scope.select)
  }

  /// The whole values of an abridged cursor: those of the record with the same digest.
  private func anchor(of cursor: Cursor, _ keyset: Keyset, _ rows: Rows) -> Plan.Statement {
    var rows = rows
    let rules = rows.orderRules
    rows.restriction = { [dialect] expressions in
      let same = keyset.equality(
        on: expressions, in: cursor.values.indices.filter { cursor.values[$0].isWhole })
      let digest = dialect.parameter(.cursor(Cursor.Part.digest), as: dialect.digestType)
      let isSame: SQL = "\(dialect.digest(of: expressions)) = \(digest)"
      // How long the digest takes tells how long a value is.
      return (same + [isSame.behind(rules)]).joined(separator: " AND ")
    }
    return planned(
      withClause(
        rows.scope.statement, rows.select(rows.order.map(\.sql), page: dialect.page(limit: "1", offset: nil)))
    )
  }

  /// How many records before a page are equal to the one that its cursor was made of: as many as have been passed, but
  /// for those that are there no more.
  private func passed(by rows: Rows, _ keyset: Keyset) -> SQL {
    var rows = rows
    rows.restriction = { expressions in
      keyset.equality(on: expressions, in: expressions.indices).joined(separator: " AND ")
    }
    return dialect.least(dialect.integer(.cursor(Cursor.Part.passed)), "(SELECT COUNT(*) \(rows.source))")
  }

  /// How many records that are equal to the last one of a page have been passed at its end: all that were read, less
  /// those before the first of them.
  ///
  /// The values of the last record follow those of the cursor that the page starts after.
  private func passed(by rows: Rows, reach: SQL) -> Plan.Statement {
    var last = Keyset(
      order: rows.order, from: request.after == nil ? 0 : rows.order.count,
      ignoringAffinity: rows.scope.table.isCompound, dialect)
    last.rules = rows.orderRules
    let start = rows.restriction
    var rows = rows
    rows.restriction = { expressions in
      let isBefore: SQL = "NOT \(last.condition(on: expressions))"
      return start.map { "\($0(expressions)) AND \(isBefore)" } ?? isBefore
    }
    return planned(
      withClause(rows.scope.statement, "SELECT \(reach) - COUNT(*) \(rows.source)"))
  }
}

extension RequestNode {
  /// Whether it, or a to-one node below, is sorted by the request.
  var ordersAbove: Bool {
    sort != nil
      || children.contains { $0.association?.cardinality == .toOne && $0.recursion == nil && $0.ordersAbove }
  }
}
