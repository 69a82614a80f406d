import KindredModel
import KindredSQLSyntax

/// Which indexes give the rows of a select in their order.
extension RecordSelect {
  /// The names of the record's columns that equal one value in all rows.
  var fixedColumns: [String] {
    let conditions = source.links + source.conditions
    return record.table.columns.map(\.name).filter { name in
      conditions.contains { $0.isEquality(of: record.id, name, ofOne: true) }
    }
  }

  /// The orders in which indexes give the column that is the first term of the order; empty if it is another expression.
  var ordersOfFirstTerm: [Index.Order] {
    guard group == nil, !isDistinct, let name = order.first?.sql.column(of: record.id) else { return [] }
    return record.table.orders(of: name, besides: fixedColumns)
  }

  /// Reads the rows in which the first term of the order is NULL apart from the others, where an index gives each part in
  /// its order, but not both in one.
  ///
  ///     (SELECT … WHERE paidAt IS NOT NULL ORDER BY paidAt DESC, id LIMIT n)
  ///     UNION ALL
  ///     (SELECT … WHERE paidAt IS NULL ORDER BY id LIMIT n)
  ///     LIMIT n
  ///
  /// An index has NULLs where the database puts them by default, which is after all values where the greatest come last; by
  /// default, a request has them at the other end. The second part isn't read while the first one fills the page.
  package mutating func readNullsApart(in page: Page) {
    guard ranking == nil, !isOfDistinctRows, let limit = page.limit, let term = order.first, term.isNullable,
      !term.mayDisclose
    else { return }
    let wanted = Index.Order(isDescending: term.isDescending, nullsComeFirst: term.nullsComeFirst)
    let orders = ordersOfFirstTerm
    guard !orders.contains(where: { $0 == wanted || $0.reversed == wanted }),
      orders.contains(where: { $0.nullsComeFirst == $0.isDescending })
    else { return }
    readsNullsApart = true
    // That of a root depends on where its page starts.
    if reach == Self.all {
      reach = [limit, page.ahead, page.offset].compactMap(\.self).joined(separator: " + ")
    }
  }

  /// Returns the two parts of the rows, in the order of these.
  func nullsApart(after condition: SQL?) -> [Keyset.Range]? {
    guard let first = order.first else { return nil }
    let rest = order.indices.dropFirst().map { (term: $0, isNullable: order[$0].isNullable) }
    func part(_ isNull: SQL, _ terms: [(term: Int, isNullable: Bool)]) -> Keyset.Range {
      let conditions = [condition, "\(first.sql) \(isNull)"].compactMap(\.self)
      return Keyset.Range(condition: conditions.joined(separator: " AND "), order: terms)
    }
    let parts = [part("IS NULL", rest), part("IS NOT NULL", [(0, false)] + rest)]
    return first.nullsComeFirst ? parts : parts.reversed()
  }
}
