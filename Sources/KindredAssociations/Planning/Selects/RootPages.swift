import KindredSQLSyntax

/// The pages of a request's root, in a total order: where a page starts, what continues it, and what follows it.
struct RootPages {
  /// The columns that make up a cursor, and the directions in which they are sorted.
  let cursorColumns: [Int]
  let cursorIsDescending: [Bool]

  private let request: FetchRequest
  private let dialect: any SQLDialect
  /// What must hold for the records that the order reads to be in sight; empty where rows are results by themselves.
  private let orderRules: [SQL]
  /// The rows after the cursor; nil on the first page.
  private let keyset: Keyset?
  /// Records without a key may be equal: those that have been passed come first among those from the cursor on.
  private let isUnkeyed: Bool
  /// Whether the values of the order may be of other types than its affinities make.
  private let ignoresAffinity: Bool
  /// Whether an index gives the records by the first term of the order.
  private let isIndexed: Bool

  /// The pages of rows that have an order; nil where there is one page.
  ///
  /// - Throws: `RequestError` where the cursor belongs to another request.
  init?(of rows: RowsSelect, request: FetchRequest, rules: () throws -> [SQL], _ dialect: any SQLDialect)
    throws
  {
    let order = rows.order
    guard !order.isEmpty else {
      if request.after != nil { throw Self.refusal("this result has one page: leave out `after`") }
      return nil
    }
    let columns = order.map { rows.columns.firstIndex(of: $0.sql) ?? 0 }
    (cursorColumns, cursorIsDescending) = (columns, order.map(\.isDescending))
    (self.request, self.dialect) = (request, dialect)
    let table = rows.scope.table
    isUnkeyed = rows.group == nil && !rows.isDistinct && table.identity.isEmpty
    ignoresAffinity = table.isCompound
    isIndexed = order.first?.sql.column(of: rows.scope.record).map { table.isIndexed([$0]) } ?? false
    guard let after = request.after else {
      (orderRules, keyset) = ([], nil)
      return
    }
    guard after.values.count == order.count || after.digest != nil && after.values.count < order.count
    else { throw Self.refusal("the cursor belongs to another request: take it from `Link`") }
    orderRules = try rules()
    var keyset = Keyset(order: order, after: after, ignoringAffinity: ignoresAffinity, dialect)
    keyset.isInclusive = isUnkeyed
    keyset.rules = orderRules
    self.keyset = keyset
  }

  private static func refusal(_ message: String) -> RequestError {
    RequestError(.invalidValue, message, at: Origin(parameter: "after"))
  }

  /// The rows from the start of the page on.
  func rows(of rows: RowsSelect) -> RowsSelect {
    var page = rows
    if let keyset {
      page.restriction = keyset.condition
      if rows.group == nil, !rows.isDistinct, keyset.hasRanges, isIndexed { page.ranges = keyset.ranges }
      if isUnkeyed { page.passed = passed(by: rows, keyset) }
    }
    if let end = end(of: page) { page.reach = "\(end) + 1" }
    return page
  }

  /// The number of the page's last row, with the rows before the page; nil where there is no limit.
  private func end(of page: RowsSelect) -> SQL? {
    guard let limit = request.root.limit else { return nil }
    var end = dialect.integer(.parameter(limit))
    if let number = request.root.offset { end.append(" + \(dialect.integer(.parameter(number)))") }
    if let passed = page.passed { end.append(" + \(passed)") }
    return end
  }

  /// The whole values of an abridged cursor: those of the record with the same digest; nil where it has them.
  func anchor(of page: RowsSelect) -> SQL? {
    guard let keyset, let cursor = request.after, cursor.digest != nil else { return nil }
    var rows = page
    (rows.ranges, rows.passed) = (nil, nil)
    rows.restriction = { [dialect, orderRules] expressions in
      let same = keyset.equality(
        on: expressions, in: cursor.values.indices.filter { cursor.values[$0].isWhole })
      let digest = dialect.parameter(.cursor(Cursor.Part.digest), as: dialect.digestType)
      let isSame: SQL = "\(dialect.digest(of: expressions)) = \(digest)"
      // How long the digest takes tells how long a value is.
      return (same + [isSame.behind(orderRules)]).joined(separator: " AND ")
    }
    return rows.sql(rows.order.map(\.sql), page: dialect.page(limit: "1", offset: nil))
  }

  /// The cursor of the page's last record, and whether a record follows.
  func lookahead(of page: RowsSelect) -> SQL? {
    end(of: page).map { end in
      page.sql(page.order.map(\.sql), page: dialect.page(limit: "2", offset: "\(end) - 1"))
    }
  }

  /// How many records before a page are equal to the one that its cursor was made of: as many as have been passed, but
  /// for those that are there no more.
  private func passed(by rows: RowsSelect, _ keyset: Keyset) -> SQL {
    var rows = rows
    rows.restriction = { expressions in
      keyset.equality(on: expressions, in: expressions.indices).joined(separator: " AND ")
    }
    return dialect.least(dialect.integer(.cursor(Cursor.Part.passed)), "(SELECT COUNT(*) \(rows.from))")
  }

  /// How many records that are equal to the last one of a page have been passed at its end: all that were read, less
  /// those before the first of them; nil where none can be equal.
  ///
  /// The values of the last record follow those of the cursor that the page starts after.
  func passed(of page: RowsSelect) -> SQL? {
    guard isUnkeyed, let end = end(of: page) else { return nil }
    var last = Keyset(
      order: page.order, from: request.after == nil ? 0 : page.order.count,
      ignoringAffinity: ignoresAffinity, dialect)
    last.rules = orderRules
    let start = page.restriction
    var rows = page
    rows.restriction = { [last] expressions in
      let isBefore: SQL = "NOT \(last.condition(on: expressions))"
      return start.map { "\($0(expressions)) AND \(isBefore)" } ?? isBefore
    }
    return "SELECT \(end) - COUNT(*) \(rows.from)"
  }
}
