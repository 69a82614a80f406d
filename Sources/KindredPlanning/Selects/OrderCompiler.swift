import KindredModel
import KindredSQLSyntax

/// Compiles sort orders, and makes them total.
struct OrderCompiler: PlanningPart {
  let context: PlanningContext

  /// Returns the order of a node's rows: the requested or the default one, then that of the to-one nodes, then the
  /// primary key.
  ///
  /// - Parameter shown: The columns that distinguish results. If no key does, their order alone may not be total, since
  ///   collations treat some texts as equal.
  func terms(
    of node: ResolvedNode, in record: StatementRecord, rank: [SQL]?, group: [ExposedTerm]?, shown: [SQL] = []
  ) throws -> [ExposedTerm] {
    let association = node.association?.association
    context.state.memory(of: node.names).compiled.insert(.order)
    var terms: [ExposedTerm] = []
    if let sort = node.sort {
      terms = try sort.compactMap { try term($0, in: record) }
    } else if let rank {
      terms = rank.map { ExposedTerm(OrderTerm(sql: $0)) }
    } else if group == nil {
      terms = try visibleTerms(association?.sort ?? [], in: record)
    }
    guard group == nil else {
      // Without expressions, there is a single group.
      return (group ?? []).isEmpty ? [] : unique(terms + (group ?? []))
    }
    terms += try toOneTerms(of: node, in: record)
    terms += keyTerms(of: record)
    if node.node.isDistinct, record.table.identity.isEmpty {
      terms += shown.compactMap { dialect.orderedByBytes($0).map { ExposedTerm(OrderTerm(sql: $0)) } }
    }
    if let association, node.node.readsVia, !context.state.model.leadsOnce(association) {
      // The same record may appear several times, by different ways.
      var pivot = record.via
      while let via = pivot {
        terms += keyTerms(of: via)
        pivot = via.via
      }
    }
    return unique(terms)
  }

  /// Returns the order of an association, or else that of the resource.
  func defaultTerms(_ sort: [SortTerm], in record: StatementRecord) throws -> [ExposedTerm] {
    try (sort.isEmpty ? record.resource.sort : sort).compactMap { term in
      let inside = try context.within(term.expression, of: record)
      let expression = try inside.expressions.resolve(term.expression, in: record, by: context.modelAuthor)
      return try inside.orders.term(ResolvedSortTerm(expression: expression, term: term), in: record)
    }
  }

  /// Returns the same order without the terms that read what the client may not, because the order would reveal it.
  func visibleTerms(_ sort: [SortTerm], in record: StatementRecord) throws -> [ExposedTerm] {
    guard context.restrictsRows else { return try defaultTerms(sort, in: record) }
    let visible = try (sort.isEmpty ? record.resource.sort : sort).filter {
      try !context.expressions.readsWithheld($0.expression, in: record)
    }
    // Without a visible term, the resource's order must not take their place.
    return visible.isEmpty ? [] : try defaultTerms(visible, in: record)
  }

  /// Returns the terms that make an order total.
  ///
  /// Without a key, equal values of different texts are in the order of these, since they are different results; and
  /// hidden columns only order records that look the same, since the order would reveal them.
  func keyTerms(of record: StatementRecord) -> [ExposedTerm] {
    func sortable(_ columns: [Column]) -> [(value: CompiledExpression, exposure: Exposure)] {
      columns.map { column in
        let (compiled, exposure) = context.state.exposing { context.expressions.compile(column, in: record) }
        var value = compiled
        if column.keyCollation != nil {
          (value.sql, value.precedence) = (column.comparedAsKey(value.sql), .collate)
        }
        return (dialect.sortable(value), exposure)
      }
    }
    func terms(_ values: [(value: CompiledExpression, exposure: Exposure)]) -> [ExposedTerm] {
      values.map { ExposedTerm(OrderTerm($0.value), $0.exposure) }
    }
    guard record.table.identity.isEmpty else { return terms(sortable(record.table.orderingColumns)) }
    let hidden = record.resource.hidden
    let all = record.table.orderingColumns
    let shown = sortable(all.filter { !hidden.contains($0.name) })
    let rest = sortable(all.filter { hidden.contains($0.name) })
    func texts(_ values: [(value: CompiledExpression, exposure: Exposure)]) -> [ExposedTerm] {
      terms(values.compactMap { one in dialect.textOfEqual(one.value).map { ($0, one.exposure) } })
    }
    // The bytes tell apart what a collation doesn't.
    let bytes =
      rest.isEmpty
      ? []
      : shown.filter { dialect.differingCollation($0.value) != nil }.compactMap { one in
        dialect.orderedByBytes(one.value.sql(within: .collate)).map {
          ExposedTerm(OrderTerm(sql: $0), one.exposure)
        }
      }
    return terms(shown) + texts(shown) + bytes + terms(rest) + texts(rest)
  }

  /// Returns the total order in which the records of a group are read: that of the resource.
  func order(within record: StatementRecord) throws -> [SQL] {
    (try visibleTerms([], in: record) + keyTerms(of: record)).map {
      $0.term.rendered(as: $0.term.sql, dialect)
    }
  }

  /// Returns the requested orders of the to-one nodes, in the order of the nodes.
  private func toOneTerms(of node: ResolvedNode, in record: StatementRecord) throws -> [ExposedTerm] {
    var terms: [ExposedTerm] = []
    for child in node.children where child.ordersAbove {
      guard let association = child.association else { continue }
      let joined = try context.toOne.join(association, to: record)
      context.state.memory(of: child.names).compiled.insert(.order)
      terms += try (child.sort ?? []).compactMap { try term($0, in: joined) }
      terms += try toOneTerms(of: child, in: joined)
    }
    return terms
  }

  /// Returns a term of an order; nil for a constant, which orders nothing and databases don't take there: some read it
  /// as the number of a column.
  func term(_ resolved: ResolvedSortTerm, in record: StatementRecord) throws -> ExposedTerm? {
    let term = resolved.term
    var (compiled, exposure) = try context.state.exposing {
      try context.expressions.compile(resolved.expression, in: record)
    }
    guard !compiled.isConstant else { return nil }
    if term.isNoCase { compiled = try dialect.collated(compiled, .nocase) }
    var order = OrderTerm(dialect.sortable(compiled), isDescending: term.isDescending, nulls: term.nulls)
    if case .path(.column(let column)) = resolved.expression.meaning,
      record.isAlwaysPresent, record.conditions?.excludesNull(of: column.name) ?? false
    {
      order.isNullable = false
    }
    return ExposedTerm(order, exposure)
  }

  /// Returns the terms without repetitions, which have no effect.
  private func unique(_ terms: [ExposedTerm]) -> [ExposedTerm] {
    var seen: Set<SQL> = []
    return terms.filter { seen.insert($0.term.sql).inserted }
  }
}

extension ResolvedNode {
  /// Whether it is joined to the record above, and the request sorts it, or a to-one node below it.
  fileprivate var ordersAbove: Bool {
    node.isOneRecord && (sort != nil || children.contains(where: \.ordersAbove))
  }
}
