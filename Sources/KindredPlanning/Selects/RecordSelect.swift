import KindredModel
import KindredSQLSyntax
import OrderedCollections

/// The select of a node as a value: each row is a record or a group of records.
///
///     SELECT columns FROM source WHERE restriction
///     GROUP BY group HAVING havings ORDER BY order
///
/// Its text is written last; until then a strategy may replace parts of it.
package struct RecordSelect {
  package let dialect: any SQLDialect
  /// The record that each row shows.
  package let record: SelectedRecord
  /// The shape of a row, which refers to columns by number.
  package let shape: RecordShape
  /// The columns read by the shape and by the statements below.
  package var columns: [SQL]
  /// The columns that count all records of an association.
  package let counts: [Int: GroupedAggregate]
  /// The explicit collations by which columns are compared.
  let collations: [Int: Expression.Collation]
  package var source: SelectSource
  package var order: [OrderTerm]
  /// The grouping expressions; nil if each row is a record.
  package var group: [SQL]?
  package var havings: [SQL]
  /// The order in which the rows of groups are read; nil for any.
  var rowOrder: RowOrder?
  package let isDistinct: Bool
  /// Whether equal rows are made one by `SELECT DISTINCT`, which compares all columns.
  var isOfDistinctRows = false
  /// Whether the number of rows is limited.
  let isLimited: Bool
  /// The common table expressions of the model that it reads.
  let definitionsRead: Set<String>
  /// How its records of distributed tables are linked, each after the one that it is linked to.
  let colocations: [Colocation]
  /// The definitions of the request's own common table expressions.
  var commonTables: [SQL] = []
  /// A further condition, such as the start of a page.
  var restriction: OrderCondition?
  /// Whether a page is read from its end: its last rows are found first, and then put in order.
  var isReversed = false
  /// The order that decides which of equal rows is the first, where the rows are read in the opposite one.
  fileprivate(set) var orderOfEqual: [OrderTerm]?
  /// Whether only the existence of rows matters, and not their order.
  var isUnordered = false
  /// The names of the columns, where another statement reads them by name.
  private(set) var names: [SQL] = []
  /// The start of a page whose condition is written in parts, each of which is a range of an index, in order.
  var ranges: Keyset?
  /// How a condition finds the records if there are few.
  var finding: FindingNote?
  /// Whether the keys of the page's records are found before anything is read of these.
  var findsKeysFirst = false
  /// Whether rows in which the first term of the order is NULL are read apart from the others.
  var readsNullsApart = false
  /// The number of rows before the page, in addition to its offset.
  var passed: SQL?
  /// The maximum number of rows that a page needs, including its offset.
  var reach = Self.all
  /// A better way to find the rows of a page.
  package var ranking: GroupedRanking?

  /// The numbers of the columns.
  package var numbers: [SQL: Int] { columns.numbers }

  /// Returns the number of a column, which is added if necessary.
  package mutating func column(_ sql: SQL) -> Int {
    if let number = columns.firstIndex(of: sql) { return number }
    columns.append(sql)
    return columns.count - 1
  }
}

/// The record that each row of a select shows.
package struct SelectedRecord {
  package let id: RecordID
  package let table: Table
  /// The request's node for these records.
  package let node: RequestNode?
  /// The table of the record above, if another statement reads that; nil for records without one.
  package let tableAbove: Table?
  /// The columns by whose values the request finds the records.
  let searched: SearchedColumns

  init(_ record: StatementRecord) {
    id = record.id
    table = record.table
    node = record.node
    tableAbove = record.parent.flatMap { $0.statement === record.statement ? nil : $0.table }
    searched = SearchedColumns(of: record)
  }
}

extension RecordSelect {
  /// Returns the terms of the order for other expressions in their places.
  func terms(_ expressions: [SQL]) -> [SQL] {
    zip(order, expressions).map { $0.rendered(as: $1, dialect) }
  }

  /// Returns the clauses up to `HAVING`.
  ///
  /// - Parameter condition: A further condition on each row.
  func select(_ columns: [SQL], _ names: [SQL] = [], and condition: SQL? = nil) -> Select {
    guard let group else {
      return Select(
        columns: columns, names: names, isDistinct: isOfDistinctRows, from: source.sql(and: condition))
    }
    var select = Select(
      columns: columns, names: names, isDistinct: isOfDistinctRows, from: source.sql(), group: group,
      havings: havings + (condition.map { [$0] } ?? []))
    select.rowOrder = rowOrder
    return select
  }

  /// Returns the statement that reads the rows.
  ///
  /// - Parameter shown: The expressions to select instead of the columns.
  package func sql(_ shown: [SQL]? = nil, page: SQL) -> SQL {
    guard !isReversed else { return inOrder(shown ?? self.shown, page: page) }
    let expressions = order.map(\.sql)
    // `HAVING` of a sharded database knows no expression that is grouped by.
    let isNested = isDistinct || group != nil && restriction != nil && dialect.isSharded
    guard !isNested else {
      let numbers = numbers
      // The columns of distinct results, and of those with pages, include the terms of the order.
      func name(of column: SQL) -> SQL { Self.name(ofColumn: numbers[column] ?? 0) }
      let named = order.map { name(of: $0.sql) }
      let selected = shown.map { $0.map { name(of: $0) } } ?? columns.indices.map(Self.name(ofColumn:))
      if isDistinct, let first = distinctPage(selected, page: page) { return first }
      let restriction = restriction.map { " WHERE \($0.sql(on: named, dialect))" as SQL } ?? SQL()
      return Select(
        columns: selected, names: names,
        from: "FROM \(dialect.derived(isDistinct ? distinct : groups))\(restriction)",
        order: isUnordered ? [] : terms(named),
        page: page
      ).sql
    }
    let shown = shown ?? self.shown
    if let ranked = ranking?.sql(self, shown, page: page, after: restriction?.sql(on: expressions, dialect)) {
      return ranked
    }
    if let found = found(shown, page: page) { return found }
    if let keyed = keysFirst(shown, page: page) { return keyed }
    guard let ranges = parts else {
      var select = select(shown, names, and: restriction?.sql(on: expressions, dialect))
      (select.order, select.page) = (isUnordered ? [] : terms(expressions), page)
      return select.sql
    }
    return union(of: ranges.map { part(shown, of: $0) }, shown, page: page)
  }

  /// Returns the page of consecutive parts of the rows.
  func union(of parts: [SQL], _ shown: [SQL], page: SQL) -> SQL {
    dialect.union(of: parts, page: page) {
      let numbers = shown.numbers
      let places = order.compactMap { term in numbers[term.sql].map { (term, $0) } }
      return places.map { $0.rendered(as: .number($1 + 1), dialect) }.joined(separator: ", ")
    }
  }

  /// Returns the rows of a range, as many as the page can need.
  private func part(_ shown: [SQL], of range: Keyset.Range) -> SQL {
    let terms = range.order.map { number, isNullable in
      var term = order[number]
      term.isNullable = isNullable
      return term.rendered(as: term.sql, dialect)
    }
    return Select(
      columns: shown, names: names, from: source.sql(and: range.condition), order: terms,
      page: dialect.page(limit: reach, offset: nil)
    ).sql
  }

  /// The rows in parts, in the order of these; nil if one select reads them.
  private var parts: [Keyset.Range]? {
    if let ranges { return ranges.ranges(on: order.map(\.sql)) }
    guard readsNullsApart, !isUnordered else { return nil }
    return nullsApart(after: restriction?.sql(on: order.map(\.sql), dialect))
  }

  /// Returns the statement that reads the terms of the order from a row on, of which it counts the first one as 0.
  ///
  ///     SELECT order FROM (SELECT columns FROM … ORDER BY order LIMIT end) LIMIT 2 OFFSET start
  ///
  /// The subquery has the columns of the page, but for subqueries: for those of the order alone, SQLite would read an index
  /// that has them all, and sort, instead of the one that gives the order.
  func cursors(from start: SQL, to end: SQL, _ page: (_ limit: SQL?, _ offset: SQL?) -> SQL) -> SQL {
    let terms = order.map(\.sql)
    guard !ordersOfFirstTerm.isEmpty, ranking == nil else { return sql(terms, page: page("2", start)) }
    let read =
      terms
      + columns.filter { column in
        !terms.contains(column) && !column.reads { $0.depth > 0 }
      }
    var rows = self
    rows.names = read.indices.map(Self.name(ofColumn:))
    return Select(
      columns: Array(rows.names.prefix(terms.count)),
      from: "FROM \(dialect.derived(rows.sql(read, page: page(end, nil))))", page: page("2", start)
    ).sql
  }

  /// Returns the statement that reads the rows from the end of the order, and returns them in the order.
  ///
  ///     SELECT columns FROM (SELECT … ORDER BY opposite order LIMIT …) ORDER BY order
  private func inOrder(_ shown: [SQL], page: SQL) -> SQL {
    var columns = shown
    var numbers = columns.numbers
    let places = order.map { term in
      if let number = numbers[term.sql] { return number }
      columns.append(term.sql)
      numbers[term.sql] = columns.count - 1
      return columns.count - 1
    }
    var rows = inOppositeOrder
    rows.names = columns.indices.map(Self.name(ofColumn:))
    return Select(
      columns: Array(rows.names.prefix(shown.count)),
      from: "FROM \(dialect.derived(rows.sql(columns, page: page)))",
      order: zip(order, places).map { $0.rendered(as: Self.name(ofColumn: $1), dialect) },
      // Without it, SQLite would sort the parts and not the page (https://www.sqlite.org/optoverview.html#flattening).
      page: parts == nil && finding == nil ? SQL() : dialect.page(limit: nil, offset: "0")
    ).sql
  }

  /// The same rows in the opposite order.
  var inOppositeOrder: RecordSelect {
    var rows = self
    (rows.isReversed, rows.order, rows.orderOfEqual) = (false, order.map(\.reversed), order)
    return rows
  }

  /// The clauses from `FROM` to `WHERE`, with the restriction.
  ///
  /// They have no joins that change nothing in the number of rows.
  var from: SQL {
    let condition = restriction?.sql(on: order.map(\.sql), dialect)
    return source.counting(readBy: condition.map { [$0] } ?? []).sql(and: condition)
  }

  /// The selected columns, at least one.
  package var shown: [SQL] { columns.isEmpty ? ["1"] : columns }

  /// The groups of all pages, with names for their columns.
  private var groups: SQL {
    select(zip(columns, columns.indices.map(Self.name(ofColumn:))).map { "\($0) AS \($1)" }).sql
  }

  /// Returns the expressions that distinguish results, for other expressions in the places of the columns.
  package func distinguishing(_ columns: [SQL]) -> [SQL] { shape.shown(of: columns, by: collations, dialect) }

  /// No maximum.
  static let all: SQL = "-1"

  static func name(ofColumn number: Int) -> SQL { "\(identifier: "c\(number)")" }

  /// The number of rows of a group.
  private static var groupCount: SQL { .term(("COUNT(*)" as SQL).noted(GroupAggregateNote())) }

  /// The statement that counts the rows of all pages.
  var count: SQL {
    if isDistinct { return "SELECT COUNT(*) FROM \(dialect.derived(ofAllPages.distinct))" }
    let rows = withoutAdditions.select([Self.groupCount]).sql
    return group == nil ? rows : "SELECT COUNT(*) FROM \(dialect.derived(rows))"
  }

  /// The rows of all pages, without their columns.
  var counted: SQL {
    if isDistinct { return "SELECT 1 FROM \(dialect.derived(ofAllPages.distinct))" }
    // Without an aggregate, the single group of all rows would be the rows themselves.
    return withoutAdditions.select([group == nil ? "1" : Self.groupCount]).sql
  }

  private var ofAllPages: RecordSelect {
    var rows = self
    rows.restriction = nil
    return rows
  }

  /// The same select without the optional records that only its columns or its order read.
  private var withoutAdditions: RecordSelect {
    var rows = self
    rows.source.conditions += findingConditions
    rows.source = rows.source.counting(readBy: (group ?? []) + havings + (rowOrder?.terms ?? []))
    return rows
  }

  /// Returns the statement that counts the rows of all pages up to a number.
  func count(upTo most: Int) -> SQL {
    let rows: SQL = "\(counted) LIMIT \(SQL(trusted: String(most)))"
    return "SELECT COUNT(*) FROM \(dialect.derived(rows))"
  }
}

extension [SQL] {
  /// The numbers of the elements, the first one of each.
  package var numbers: [SQL: Int] {
    Dictionary(zip(self, indices), uniquingKeysWith: { first, _ in first })
  }
}

extension RecordShape {
  /// Returns the expressions that distinguish results: the columns shown, and whether optional records exist.
  func shown(
    of columns: [SQL], by collations: [Int: Expression.Collation], _ dialect: any SQLDialect
  ) -> [SQL] {
    var shown: OrderedSet<SQL> = []
    for column in self.columns {
      switch column {
      case .value(let column, let format):
        shown.append(dialect.comparable(columns[column], format, by: collations[column]))
      case .presence(let column): shown.append("\(columns[column]) IS NULL")
      }
    }
    return shown.elements
  }
}
