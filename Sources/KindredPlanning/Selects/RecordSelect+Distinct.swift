import KindredSQLSyntax

/// The first row of each set of equal rows.
extension RecordSelect {
  /// The first row of each set of equal rows, with its place in the order.
  var distinct: SQL {
    let keys = distinguishing(columns)
    return firstOfEqual(
      columns.indices.map(Self.name(ofColumn:)), keys, and: startOfDistinct(keys), page: nil)
  }

  /// Returns a page of the first rows of the sets, if the order begins with all that distinguishes these, so that no two
  /// of them are equal in it; nil otherwise.
  ///
  /// The rows before the page aren't read, and what follows in the order only tells which row is the first of its set.
  func distinctPage(_ shown: [SQL], page: SQL) -> SQL? {
    let keys = distinguishing(columns)
    guard group == nil, !isUnordered, !keys.isEmpty, shared(keys).count == keys.count else {
      return nil
    }
    let start = startOfDistinct(keys)
    guard restriction == nil || start != nil else { return nil }
    let named = names.isEmpty ? shown : zip(shown, names).map { "\($0) AS \($1)" }
    return firstOfEqual(named, keys, and: start, page: page)
  }

  private func firstOfEqual(_ shown: [SQL], _ keys: [SQL], and start: SQL?, page: SQL?) -> SQL {
    let names = columns.indices.map(Self.name(ofColumn:))
    let named: [SQL] = zip(columns, names).map { "\($0) AS \($1)" }
    // Terms that are equal in equal rows don't tell which of them is the first.
    let deciding = (orderOfEqual ?? order).filter { !keys.contains($0.sql) }
    let place: SQL
    if let only = deciding.first, deciding.count == 1, !only.isDescending, !only.isNullable {
      if page == nil || shown == names, let groups = DistinctGroups(of: self, by: keys, first: only) {
        let order = page == nil ? [] : orderOfDistinct(keys, keys)
        return groups.sql(names, and: start, order: order, page: page ?? SQL())
      }
      place = only.sql
    } else {
      let terms = (orderOfEqual ?? order).map { $0.rendered(as: $0.sql, dialect) }
      let window: SQL = terms.isEmpty ? "" : "ORDER BY \(terms.joined(separator: ", "))"
      place = "row_number() OVER (\(window))"
    }
    return dialect.firstOfEqual(
      select(named + ["\(place) AS place"], and: start).sql, shown,
      equalIn: distinguishing(names), place: "place", order: orderOfDistinct(keys, distinguishing(names)),
      page: page)
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
