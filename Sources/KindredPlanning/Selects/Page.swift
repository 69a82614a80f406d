import KindredSQLSyntax

/// Which of its rows a select returns: `LIMIT limit + ahead OFFSET offset`.
package struct Page {
  /// The largest number of rows; nil for all.
  package var limit: SQL?
  /// The number of rows after those, read to find out whether more follow; nil for none.
  package var ahead: SQL?
  /// The number of rows before those; nil for none.
  package var offset: SQL?

  /// The first row.
  static let first = Page(limit: "1")

  /// The page of these bounds; without any, all rows.
  package init(limit: SQL? = nil, ahead: SQL? = nil, offset: SQL? = nil) {
    (self.limit, self.ahead, self.offset) = (limit, ahead, offset)
  }

  /// Whether it has all rows.
  package var isWhole: Bool { limit == nil && offset == nil }

  /// Returns the clauses, after a space; empty for all rows.
  package func sql(_ dialect: any SQLDialect) -> SQL {
    dialect.page(limit: limit.map { limit in ahead.map { "\(limit) + \($0)" } ?? limit }, offset: offset)
  }
}
