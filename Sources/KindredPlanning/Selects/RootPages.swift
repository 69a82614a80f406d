import KindredModel
import KindredSQLSyntax

/// The pages of a request's root, in a total order.
struct RootPages {
  /// The columns that make up a cursor, and whether each is in descending order.
  let cursorColumns: [Int]
  let cursorIsDescending: [Bool]
  /// Whether values of the cursor are hidden from the client.
  let cursorIsHidden: Bool

  private let request: FetchRequest
  private let dialect: any SQLDialect
  /// The access rules of the records that the order reads.
  private let orderRules: [SQL]
  /// The rows after the cursor; nil for the first page.
  private let keyset: Keyset?
  /// Whether records have no key, so that they may be equal; then the page starts at the cursor, and skips those
  /// passed.
  private let isUnkeyed: Bool
  /// Whether a view reads the clock for the values of the order, so that pages begin after a number of rows.
  ///
  /// The time of the request, which its own date functions read, stays that of the first page.
  private let isMoving: Bool
  /// Whether terms of the order may have values that don't fit their affinity.
  private let ignoresAffinity: Bool
  /// Whether there is an index of the first term of the order.
  private let isIndexed: Bool

  /// Returns nil if the rows have no order, and so a single page.
  ///
  /// - Parameters:
  ///   - readsHidden: Whether the order reads a value that the client may not.
  ///   - views: The views among the tables that read the clock.
  ///   - rules: Returns the access rules of the records that the order reads.
  /// - Throws: `RequestError` if the cursor belongs to another request.
  init?(
    of rows: RecordSelect, request: FetchRequest, readsHidden: Bool, views: [RecordID: Table],
    rules: () throws -> [SQL]
  ) throws {
    let order = rows.order
    guard !order.isEmpty else {
      if request.after != nil { throw Self.refusal("this result has only one page; leave out `after`") }
      return nil
    }
    let numbers = rows.numbers
    let columns = order.map { numbers[$0.sql] ?? 0 }
    (cursorColumns, cursorIsDescending) = (columns, order.map(\.isDescending))
    (self.request, dialect) = (request, rows.dialect)
    let table = rows.record.table
    cursorIsHidden = readsHidden
    isMoving =
      !views.isEmpty
      && order.contains { term in
        term.sql.reads(columnWhere: { views[$0]?.isMoving($1, inSubquery: $0.depth > 0) ?? false })
      }
    isUnkeyed = rows.group == nil && !rows.isDistinct && table.identity.isEmpty && !isMoving
    ignoresAffinity = table.isCompound
    isIndexed = order.first?.sql.column(of: rows.record.id).map { table.isIndexed([$0]) } ?? false
    guard let after = request.after else {
      (orderRules, keyset) = ([], nil)
      return
    }
    guard after.values.count == order.count || after.digest != nil && after.values.count < order.count
    else { throw Self.refusal("the cursor belongs to another request; use the one in `Link`") }
    guard !isMoving else {
      (orderRules, keyset) = ([], nil)
      return
    }
    orderRules = try rules()
    keyset = Keyset(
      order: order,
      isNull: order.indices.map { after.values.indices.contains($0) ? after.values[$0] == .null : nil },
      isInclusive: isUnkeyed, rules: orderRules, ignoresAffinity: ignoresAffinity, dialect: dialect)
  }

  private static func refusal(_ message: String) -> RequestError {
    RequestError(.invalidValue, message, at: Origin(parameter: "after"))
  }

  /// Returns the rows from the start of the page on.
  func rows(of rows: RecordSelect) -> RecordSelect {
    var page = rows
    if isMoving, request.after != nil { page.passed = dialect.integer(.cursor(Cursor.Part.passed)) }
    if let keyset {
      page.restriction = .beyond(keyset)
      if rows.group == nil, !rows.isDistinct, keyset.hasRanges, isIndexed { page.ranges = keyset }
      if isUnkeyed {
        page.passed =
          dialect.isSharded ? dialect.integer(.cursor(Cursor.Part.passed)) : passed(by: rows, keyset)
      }
    }
    if let end = end(of: page) { page.reach = "\(end) + 1" }
    return page
  }

  /// Returns the number of rows up to the end of the page; nil if there is no limit.
  private func end(of page: RecordSelect) -> SQL? {
    guard let limit = request.root.limit else { return nil }
    var end = dialect.integer(.parameter(limit))
    if let number = request.root.offset { end.append(" + \(dialect.integer(.parameter(number)))") }
    if let passed = page.passed { end.append(" + \(passed)") }
    return end
  }

  /// Returns the number of bytes of SQL that only find the start of a page.
  func length(ofStartOf page: RecordSelect) -> Int {
    guard page.restriction != nil else { return 0 }
    var first = page
    (first.restriction, first.ranges) = (nil, nil)
    return page.sql(page: SQL()).length - first.sql(page: SQL()).length
  }

  /// Returns a statement that reads the full values of an abridged cursor, by their digest; nil if the cursor is
  /// complete.
  func anchor(of page: RecordSelect) -> SQL? {
    guard let keyset, let cursor = request.after, cursor.digest != nil else { return nil }
    var rows = page
    (rows.ranges, rows.passed) = (nil, nil)
    rows.restriction = .all([
      .equal(keyset, terms: cursor.values.indices.filter { cursor.values[$0].isWhole }),
      .digest(rules: orderRules),
    ])
    return rows.sql(rows.order.map(\.sql), page: dialect.page(limit: "1", offset: nil))
  }

  /// Returns a statement that computes the digest of a cursor's values, as ``anchor(of:)`` does for those of a record.
  func digest(of page: RecordSelect) -> SQL? {
    dialect.digestType.map { _ in
      let values = page.order.enumerated().map { dialect.parameter(.cursor($0), as: $1.type) }
      return "SELECT \(dialect.digest(of: values))"
    }
  }

  /// Returns a statement that reads the cursor of the page's last record, and a second row if another record follows.
  func lookahead(of page: RecordSelect) -> SQL? {
    end(of: page).map { end in
      page.sql(page.order.map(\.sql), page: dialect.page(limit: "2", offset: "\(end) - 1"))
    }
  }

  /// Returns the number of records before a page that equal the one of its cursor: as many as have been passed, except
  /// for those that have been deleted since.
  private func passed(by rows: RecordSelect, _ keyset: Keyset) -> SQL {
    var rows = rows
    rows.restriction = .equal(keyset, terms: Array(keyset.order.indices))
    return dialect.least(dialect.integer(.cursor(Cursor.Part.passed)), "(SELECT COUNT(*) \(rows.from))")
  }

  /// Returns a statement that computes ``passed(by:_:)`` before the page is read, where no subquery may stand in `OFFSET`;
  /// nil elsewhere.
  func passedBefore(_ page: RecordSelect) -> SQL? {
    guard dialect.isSharded, isUnkeyed, let keyset else { return nil }
    return "SELECT \(passed(by: page, keyset))"
  }

  /// Returns a statement that counts the records up to the end of the page that equal its last one: all records read,
  /// minus those before the first of them; nil if no two records can be equal.
  ///
  /// The values of the last record are bound after those of the cursor.
  func passed(of page: RecordSelect) -> SQL? {
    // The next page's URL has no offset.
    if isMoving { return end(of: page).map { "SELECT \($0)" } }
    guard isUnkeyed, let end = end(of: page) else { return nil }
    // The values become known when the statement runs.
    let last = Keyset(
      order: page.order, isNull: page.order.map { _ in nil },
      firstValue: request.after == nil ? 0 : page.order.count, isInclusive: true, rules: orderRules,
      ignoresAffinity: ignoresAffinity, dialect: dialect)
    var rows = page
    rows.restriction = .all((page.restriction.map { [$0] } ?? []) + [.not(.beyond(last))])
    return "SELECT \(end) - COUNT(*) \(rows.from)"
  }
}

extension Table {
  /// Whether the clock may change a column of a view that reads it, or the rows in which a subquery finds the column.
  fileprivate func isMoving(_ column: String, inSubquery: Bool) -> Bool {
    inSubquery || !identity.contains { $0.name == column }
  }
}
