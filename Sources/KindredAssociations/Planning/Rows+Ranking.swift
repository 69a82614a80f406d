import KindredSQLSyntax

/// Pages in an order that no index gives: the records are ranked first, and only those of the page are shown.
///
///     SELECT columns FROM (
///       SELECT keys, ranks FROM (
///         SELECT keys, ranks, columns in use FROM source WHERE conditions LIMIT -1) AS source
///       WHERE conditions on ranks ORDER BY ranks LIMIT page) AS ranked
///     CROSS JOIN source ON keys ORDER BY ranks
///
/// What is only shown is evaluated for the page's records and not for all. A rank is the value of a subquery, such as an
/// aggregate of an association: evaluated once for each record, though it is filtered by, sorted by and shown. `LIMIT -1`
/// keeps SQLite from merging the two inner queries into one, which would evaluate it each time.
extension Rows {
  /// A subquery of the order, and the name of its value.
  private struct Rank {
    let subquery: SQL
    let name: SQL
  }

  /// The statement; nil where the records are better read in order.
  ///
  /// - Parameters:
  ///   - columns: what is shown.
  ///   - page: its `LIMIT` and `OFFSET`.
  ///   - after: what the records come after.
  func rankedFirst(_ columns: [SQL], page: SQL, after: SQL?) -> SQL? {
    guard group == nil, !isDistinct, isLimited, scope.isPlainTable, let first = order.first else {
      return nil
    }
    var ranks: [Rank] = []
    for term in order where term.sql.isSubquery {
      ranks.append(Rank(subquery: term.sql, name: "\(identifier: name("rank", ranks.count))"))
    }
    if ranks.isEmpty {
      // Sorting all records with all that they show costs more than sorting their keys, if that is much.
      let isOrdered = scope.keyColumns.contains(where: { reference($0.name) == first.sql })
      guard !isOrdered, !scope.isIndexed(first.sql), columns.contains(where: { $0.contains("(SELECT ") })
      else {
        return nil
      }
    }
    return statement(columns, ranks, scope.select.conditions + (after.map { [$0] } ?? []), page)
  }

  private func statement(_ columns: [SQL], _ ranks: [Rank], _ conditions: [SQL], _ page: SQL) -> SQL {
    let alias: SQL = "\(identifier: scope.alias)"
    let ranked: SQL = "\(identifier: name("ranked", 0))"
    let keys = scope.table.pointerColumns.enumerated().map { number, column in
      (column: reference(column), name: "\(identifier: name("key", number))" as SQL)
    }
    /// With the names of ranks in place of the ranks.
    func named(_ sql: SQL, in table: SQL) -> SQL {
      ranks.reduce(sql) { $0.replacing($1.subquery, with: "\(table).\($1.name)") }
    }
    let early = conditions.filter { condition in !ranks.contains { condition.contains($0.subquery) } }
    let late = conditions.filter { condition in ranks.contains { condition.contains($0.subquery) } }
      .map { named($0, in: alias) }
    let lateOrder = order.map { $0.rendered(as: named($0.sql, in: alias)) }.joined(separator: ", ")

    var inner = SQL()
    if ranks.isEmpty {
      inner = "\(scope.select.source)\(Self.filter(early))"
    } else {
      let read = scope.table.columns.map(\.name).filter { column in
        !scope.table.pointerColumns.contains(column)
          && (late + [lateOrder]).contains { $0.contains(reference(column)) }
      }
      let values =
        keys.map(\.column) + read.map(reference) + ranks.map { "\($0.subquery) AS \($0.name)" as SQL }
      inner =
        "(SELECT \(values.joined(separator: ", ")) FROM \(scope.select.source)\(Self.filter(early)) LIMIT -1) AS \(alias)\(Self.filter(late))"
    }
    let foundKeys = keys.map { "\($0.column) AS \($0.name)" as SQL }
    let foundRanks = ranks.map { "\(alias).\($0.name) AS \($0.name)" as SQL }
    let join = keys.map { "\($0.column) = \(ranked).\($0.name)" as SQL }.joined(separator: " AND ")
    let shown = columns.map { named($0, in: ranked) }.joined(separator: ", ")
    let shownOrder = order.map { $0.rendered(as: named($0.sql, in: ranked)) }.joined(separator: ", ")
    return
      "SELECT \(shown) FROM (SELECT \((foundKeys + foundRanks).joined(separator: ", ")) FROM \(inner) ORDER BY \(lateOrder)\(page)) AS \(ranked) CROSS JOIN \(scope.select.source) ON \(join) ORDER BY \(shownOrder)"
  }

  private static func filter(_ conditions: [SQL]) -> SQL {
    conditions.isEmpty ? SQL() : " WHERE \(conditions.joined(separator: " AND "))"
  }

  private func reference(_ column: String) -> SQL { "\(identifier: scope.alias).\(identifier: column)" }

  /// A name that no column or table of the schema is likely to have, and no column of this table has.
  private func name(_ word: String, _ number: Int) -> String {
    var name = "kindred:\(word)\(number)"
    while scope.table.column(named: name) != nil { name += "_" }
    return name
  }
}

extension Scope {
  /// Whether the records are those of a table alone, which its key finds again.
  fileprivate var isPlainTable: Bool {
    guard case .table = table.kind else { return false }
    guard select.joins.isEmpty, !table.pointerColumns.isEmpty else { return false }
    return select.source
      == (alias == table.name
        ? "\(identifier: alias)" : "\(identifier: table.name) AS \(identifier: alias)")
  }

  /// Whether it is a column by which an index gives the records in order.
  fileprivate func isIndexed(_ sql: SQL) -> Bool {
    table.columns.contains { column in
      sql == "\(identifier: alias).\(identifier: column.name)" && table.isIndexed([column.name])
    }
  }
}
