import KindredModel
import KindredSQLSyntax

/// The pages of a request's root, in a total order.
///
/// A page before a cursor, or at the end of the list, is read in the opposite order. Without a limit it has all records
/// before the cursor, which are read in their own order.
struct Pagination {
  /// The columns that make up a cursor, and whether each is in descending order in the direction of reading.
  let cursorColumns: [Int]
  let cursorIsDescending: [Bool]
  /// Whether values of the cursor are hidden from the client.
  let cursorIsHidden: Bool
  /// Whether the page is found from its end.
  let isBackward: Bool

  private let cursor: Cursor?
  private let dialect: any SQLDialect
  /// The largest number of rows of the page, and the number of rows that are skipped before it.
  private let limit: SQL?
  private let offset: SQL?
  /// The access rules of the records that the order reads.
  private let orderRules: [SQL]
  /// The rows beyond the cursor in the direction of reading; nil without a cursor.
  private let keyset: Keyset?
  /// Whether records have no key, so that they may be equal; then the page starts at the cursor, and skips those
  /// passed.
  private let isUnkeyed: Bool
  /// Whether a view reads the clock for the values of the order, so that a cursor is a number of rows.
  ///
  /// The time of the request, which its own date functions read, stays that of the first page.
  private let isMoving: Bool
  /// Whether terms of the order may have values that don't fit their affinity.
  private let ignoresAffinity: Bool
  /// Whether an index of the first term of the order finds rows, among those with values in the columns before it.
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
    let (order, place) = (rows.order, request.page)
    func refusal(_ message: String) -> RequestError {
      RequestError(.invalidValue, message, at: Origin(parameter: place.parameter))
    }
    guard !order.isEmpty else {
      guard place.cursor == nil else {
        throw refusal("this result has only one page; leave out `\(place.parameter)`")
      }
      return nil
    }
    (isBackward, cursor, dialect) = (place.isBackward, place.cursor, rows.dialect)
    let reading = isBackward ? order.map(\.reversed) : order
    let numbers = rows.numbers
    let columns = order.map { numbers[$0.sql] ?? 0 }
    (cursorColumns, cursorIsDescending) = (columns, reading.map(\.isDescending))
    limit = request.root.limit.map { rows.dialect.integer(.parameter($0)) }
    offset = request.root.offset.map { rows.dialect.integer(.parameter($0)) }
    let table = rows.record.table
    cursorIsHidden = readsHidden
    isMoving =
      !views.isEmpty
      && order.contains { term in
        term.sql.reads(columnWhere: { views[$0]?.isMoving($1, inSubquery: $0.depth > 0) ?? false })
      }
    isUnkeyed = rows.group == nil && !rows.isDistinct && table.identity.isEmpty && !isMoving
    ignoresAffinity = table.isCompound
    isIndexed =
      rows.group == nil && !rows.isDistinct
      && order.first?.sql.column(of: rows.record.id).map { table.isIndexed([$0]) } ?? false
      || !rows.ordersOfFirstTerm.isEmpty
    guard let cursor else {
      (orderRules, keyset) = ([], nil)
      return
    }
    guard cursor.values.count == order.count || cursor.digest != nil && cursor.values.count < order.count
    else { throw refusal("the cursor belongs to another request; use the one in `Link`") }
    guard !isMoving else {
      (orderRules, keyset) = ([], nil)
      return
    }
    orderRules = try rules()
    keyset = Keyset(
      order: reading,
      isNull: order.indices.map { cursor.values.indices.contains($0) ? cursor.values[$0] == .null : nil },
      isInclusive: isUnkeyed, rules: orderRules, ignoresAffinity: ignoresAffinity, dialect: dialect)
  }

  private static let passed = SQL.Binding.cursor(Cursor.Part.passed)

  /// Whether the cursor of the page is a number of rows.
  private var isNumbered: Bool { isMoving && cursor != nil }

  // MARK: The page

  /// Returns the rows from the start of the page on, in the direction of reading.
  func rows(of rows: RecordSelect) -> RecordSelect {
    var page = rows
    page.isReversed = isBackward && limit != nil && !isNumbered
    if isNumbered {
      let passed = dialect.integer(Self.passed)
      page.passed = isBackward ? limit.map { "\(passed) - \(dialect.least($0, passed))" } : passed
    }
    if let keyset {
      page.restriction = .beyond(keyset)
      if !isUnkeyed, keyset.hasRanges, isIndexed, page.isReversed == isBackward { page.ranges = keyset }
      if isUnkeyed {
        page.passed = dialect.isSharded ? dialect.integer(Self.passed) : passed(by: rows, keyset)
      }
    }
    if let end = end(of: page) { page.reach = "\(end) + 1" }
    return page
  }

  /// Returns which of these rows the page has.
  func page(of rows: RecordSelect) -> Page {
    guard isBackward else {
      let offsets = [offset, rows.passed].compactMap(\.self)
      return Page(
        limit: limit, ahead: dialect.integer(.value(.integer(1))),
        offset: offsets.isEmpty ? nil : offsets.joined(separator: " + "))
    }
    let passed = dialect.integer(Self.passed)
    if isNumbered {
      return Page(limit: limit.map { dialect.least($0, passed) } ?? passed, offset: rows.passed)
    }
    guard limit == nil, let skipped = rows.passed else { return Page(limit: limit, offset: rows.passed) }
    // The rows that would be skipped are the last ones.
    return Page(limit: "(SELECT COUNT(*) \(rows.from)) - \(skipped)")
  }

  /// Returns the number of rows up to the end of the page; nil if there is no limit.
  private func end(of page: RecordSelect) -> SQL? {
    limit.map { limit in ([limit] + [offset, page.passed].compactMap(\.self)).joined(separator: " + ") }
  }

  /// Returns the number of rows before the page.
  private func start(of page: RecordSelect) -> SQL {
    let passed = [offset, page.passed].compactMap(\.self)
    return passed.isEmpty ? "0" : passed.joined(separator: " + ")
  }

  /// Returns the number of bytes of SQL that only find the start of a page.
  func length(ofStartOf page: RecordSelect) -> Int {
    guard page.restriction != nil || page.isReversed else { return 0 }
    var first = page
    (first.restriction, first.ranges, first.isReversed) = (nil, nil, false)
    return page.sql(page: SQL()).length - first.sql(page: SQL()).length
  }

  // MARK: Cursors

  /// Returns a statement that reads the full values of an abridged cursor, by their digest; nil if the cursor is
  /// complete.
  func anchor(of page: RecordSelect) -> SQL? {
    guard let keyset, let cursor, cursor.digest != nil else { return nil }
    var rows = page
    (rows.ranges, rows.readsNullsApart, rows.passed, rows.isReversed) = (nil, false, nil, false)
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

  /// Returns a statement that reads the cursor of the page's last record, and a second row if another record follows;
  /// nil if the page is read backward.
  func lookahead(of page: RecordSelect) -> SQL? {
    guard !isBackward else { return nil }
    return end(of: page).map { page.cursors(from: "\($0) - 1", to: "\($0) + 1", dialect.page) }
  }

  /// Returns a statement that reads the cursor of the last record of a page that is read backward, which comes first in
  /// the direction of reading; nil for others.
  func last(of page: RecordSelect) -> SQL? {
    guard isBackward else { return nil }
    let passed = dialect.integer(Self.passed)
    let place: SQL? = isNumbered ? "\(passed) - \(dialect.least(passed, "1"))" : page.passed
    let rows = isNumbered ? page : inDirection(page)
    return rows.sql(page.order.map(\.sql), page: dialect.page(limit: "1", offset: place))
  }

  /// Returns a page that is read backward as its rows are found, in the opposite order.
  private func inDirection(_ page: RecordSelect) -> RecordSelect {
    isBackward ? page.inOppositeOrder : page
  }

  // MARK: Neighbours

  /// Returns a statement that returns a row if records precede the page in the direction of reading; nil if none do.
  func behind(_ page: RecordSelect) -> SQL? {
    var rows = page
    (rows.ranking, rows.ranges, rows.isReversed) = (nil, nil, false)
    rows.isUnordered = true
    let one = dialect.page(limit: "1", offset: nil)
    guard let keyset else {
      guard isNumbered || offset != nil else { return nil }
      if isNumbered, isBackward {
        return rows.sql(["1"], page: dialect.page(limit: "1", offset: dialect.integer(Self.passed)))
      }
      return "SELECT 1 WHERE \(start(of: page)) > 0 AND EXISTS (\(rows.sql(["1"], page: one)))"
    }
    var opposite = keyset
    opposite.order = keyset.order.map(\.reversed)
    opposite.isInclusive = !isUnkeyed
    rows.restriction = .beyond(opposite)
    if opposite.hasRanges, isIndexed {
      (rows.order, rows.ranges, rows.reach) = (opposite.order, opposite, "1")
    }
    let others = rows.sql(["1"], page: one)
    guard isUnkeyed, let passed = page.passed else { return others }
    return "SELECT 1 WHERE \(passed) > 0 OR EXISTS (\(others))"
  }

  /// Returns a statement that returns a row if records follow a page that is read backward, in that direction; nil for
  /// other pages.
  func beyond(_ page: RecordSelect) -> SQL? {
    guard isBackward, let limit else { return nil }
    if isNumbered { return "SELECT 1 WHERE \(dialect.integer(Self.passed)) > \(limit)" }
    return inDirection(page).sql(["1"], page: dialect.page(limit: "1", offset: end(of: page)))
  }

  // MARK: Equal records

  /// Returns the number of records before a page that equal the one of its cursor, in the direction of reading: as many
  /// as have been passed, except for deleted ones.
  private func passed(by rows: RecordSelect, _ keyset: Keyset) -> SQL {
    let equal = number(equalTo: keyset, in: rows)
    let passed = dialect.least(dialect.integer(Self.passed), equal)
    return isBackward ? "\(equal) - \(passed)" : passed
  }

  private func number(equalTo keyset: Keyset, in rows: RecordSelect) -> SQL {
    var rows = rows
    rows.restriction = .equal(keyset, terms: Array(keyset.order.indices))
    return "(SELECT COUNT(*) \(rows.from))"
  }

  /// Returns a statement that computes ``passed(by:_:)`` before the page is read, where no subquery may stand in `OFFSET`;
  /// nil elsewhere.
  func passedBefore(_ page: RecordSelect) -> SQL? {
    guard dialect.isSharded, isUnkeyed, let keyset else { return nil }
    return "SELECT \(passed(by: page, keyset))"
  }

  /// Returns a statement that counts the records that equal the first one of a page and precede it; nil if no two records
  /// can be equal.
  ///
  /// The values of that record are bound after those of the cursor.
  func passedOfFirst(of page: RecordSelect) -> SQL? {
    guard !isMoving else {
      if isNumbered { return "SELECT \(start(of: page))" }
      guard isBackward else { return "SELECT \(start(of: page))" }
      return limit.map { "SELECT (\(page.count)) - \($0)" }
    }
    // The first record is the last one to be read backward.
    return isBackward
      ? end(of: page).flatMap { passed(of: page, at: $0) } : passed(of: page, at: start(of: page))
  }

  /// Returns a statement that counts the records up to the last one of a page that equal it; nil if no two records can be
  /// equal.
  ///
  /// The values of that record are bound after those of the cursor.
  func passedOfLast(of page: RecordSelect) -> SQL? {
    if isMoving {
      if isBackward { return isNumbered ? "SELECT \(dialect.integer(Self.passed))" : nil }
      // The next page's URL has no offset.
      return end(of: page).map { "SELECT \($0)" }
    }
    return isBackward
      ? passed(of: page, at: start(of: page)) : end(of: page).flatMap { passed(of: page, at: $0) }
  }

  /// Returns a statement that counts the records before a place that equal the one whose values are bound: all records
  /// read, minus those before the first of them; nil if no two records can be equal.
  ///
  /// - Parameter position: The number of records read before the place.
  private func passed(of page: RecordSelect, at position: SQL) -> SQL? {
    guard isUnkeyed else { return nil }
    // The values become known when the statement runs.
    let record = Keyset(
      order: isBackward ? page.order.map(\.reversed) : page.order, isNull: page.order.map { _ in nil },
      firstValue: cursor == nil ? 0 : page.order.count, isInclusive: true, rules: orderRules,
      ignoresAffinity: ignoresAffinity, dialect: dialect)
    var rows = page
    rows.restriction = .all((page.restriction.map { [$0] } ?? []) + [.not(.beyond(record))])
    let read: SQL = "\(position) - COUNT(*)"
    guard isBackward else { return "SELECT \(read) \(rows.from)" }
    // Those that are read backward follow the place.
    return "SELECT \(number(equalTo: record, in: page)) - (\(read)) \(rows.from)"
  }
}

extension Table {
  /// Whether the clock may change a column of a view that reads it, or the rows in which a subquery finds the column.
  fileprivate func isMoving(_ column: String, inSubquery: Bool) -> Bool {
    inSubquery || !identity.contains { $0.name == column }
  }
}
