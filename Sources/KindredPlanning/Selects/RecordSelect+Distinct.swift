import KindredSQLSyntax

/// The first row of each set of equal rows.
extension RecordSelect {
  /// The first row of each set of equal rows, with its place in the order.
  var distinct: SQL {
    let names = columns.indices.map(Self.name(ofColumn:))
    let named: [SQL] = zip(columns, names).map { "\($0) AS \($1)" }
    let keys = distinguishing(columns)
    // Terms that are equal in equal rows don't tell which of them is the first.
    let deciding = (orderOfEqual ?? order).filter { !keys.contains($0.sql) }
    let place: SQL
    if let only = deciding.first, deciding.count == 1, !only.isDescending, !only.isNullable {
      place = only.sql
    } else {
      let terms = (orderOfEqual ?? order).map { $0.rendered(as: $0.sql, dialect) }
      let window: SQL = terms.isEmpty ? "" : "ORDER BY \(terms.joined(separator: ", "))"
      place = "row_number() OVER (\(window))"
    }
    return dialect.firstOfEqual(
      select(named + ["\(place) AS place"], and: startOfDistinct(keys)).sql, names,
      equalIn: distinguishing(names), place: "place", order: orderOfDistinct(keys, distinguishing(names)))
  }

  /// The first terms of the order that are equal in equal rows.
  private func shared(_ keys: [SQL]) -> ArraySlice<OrderTerm> { order.prefix { keys.contains($0.sql) } }

  /// The terms of an order of the sets that begins like that of the rows.
  private func orderOfDistinct(_ keys: [SQL], _ names: [SQL]) -> [SQL] {
    let shared = shared(keys)
    let first = shared.compactMap { term in
      keys.firstIndex(of: term.sql).map { term.rendered(as: names[$0], dialect) }
    }
    return first + zip(keys, names).filter { key, _ in !shared.contains { $0.sql == key } }.map(\.1)
  }

  /// The condition that rows begin like those after the start of the page, so that those before it aren't read; nil if the
  /// page has no start, or the order begins otherwise.
  ///
  /// It stands beside the rules, so it has no term that may disclose a record.
  private func startOfDistinct(_ keys: [SQL]) -> SQL? {
    guard case .beyond(var start) = restriction, group == nil else { return nil }
    let shared = shared(keys)
    guard !shared.isEmpty, !shared.contains(where: \.mayDisclose) else { return nil }
    start.order = Array(start.order.prefix(shared.count))
    start.isInclusive = start.isInclusive || shared.count < keys.count
    return start.condition(on: shared.map(\.sql))
  }
}
