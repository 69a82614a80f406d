import KindredSQLSyntax
import OrderedCollections

/// The rows of a node as a value: what they show, which they are, and in what order.
///
///     SELECT columns FROM source WHERE restriction
///     GROUP BY group HAVING havings ORDER BY order
///
/// The SQL is made when nothing of it can change any more; until then a strategy may give it another form.
struct RowsSelect {
  /// The record that each row is of.
  let scope: Scope
  /// What a row shows, by the numbers of its columns.
  let shape: RecordShape
  /// What the shape and the statements below read.
  var columns: [SQL]
  var source: SelectSource
  var order: [OrderTerm]
  /// Expressions of groups; nil where rows are records.
  let group: [SQL]?
  let havings: [SQL]
  let isDistinct: Bool
  /// Whether there is a limit of rows.
  let isLimited: Bool
  /// Whether a common table expression is read.
  let readsCommonTableExpression: Bool
  /// What must hold for rows beside the conditions, such as where a page starts, by the expressions of the order.
  var restriction: ((_ order: [SQL]) -> SQL)?
  /// The restriction in parts that an index gives in order, one after the other.
  var ranges: ((_ order: [SQL]) -> [SQL])?
  /// How many of the rows come before the page, beside its offset.
  var passed: SQL?
  /// How many rows a page needs at most, its offset included.
  var reach: SQL = "-1"
  /// Another way to find the rows of a page.
  var ranking: GroupedRanking?

  /// The number of a column, which is added where it is not there yet.
  mutating func column(_ sql: SQL) -> Int {
    if let number = columns.firstIndex(of: sql) { return number }
    columns.append(sql)
    return columns.count - 1
  }
}

extension RowsSelect {
  private var dialect: any SQLDialect { scope.statement.dialect }

  func orderBy(_ expressions: [SQL]) -> SQL {
    guard !order.isEmpty else { return SQL() }
    return " ORDER BY \(terms(expressions))"
  }

  private func terms(_ expressions: [SQL]) -> SQL {
    zip(order, expressions).map { $0.rendered(as: $1, dialect) }.joined(separator: ", ")
  }

  private func grouping(and condition: SQL? = nil) -> SQL {
    guard let group else { return SQL() }
    var sql: SQL = group.isEmpty ? "" : " GROUP BY \(group.joined(separator: ", "))"
    let all = havings + (condition.map { [$0] } ?? [])
    if !all.isEmpty { sql.append(" HAVING \(all.joined(separator: " AND "))") }
    return sql
  }

  /// The statement that gives the rows.
  ///
  /// - Parameter shown: what it gives instead of the columns.
  func sql(_ shown: [SQL]? = nil, page: SQL) -> SQL {
    let expressions = order.map(\.sql)
    guard !isDistinct else {
      let named = order.map { numbered($0.sql) }
      let restriction = restriction.map { " WHERE \($0(named))" as SQL } ?? SQL()
      let names = shown.map { $0.map { numbered($0) } } ?? columns.indices.map(numbered)
      return
        "SELECT \(names.isEmpty ? "1" : names.joined(separator: ", ")) FROM \(dialect.derived(distinct))\(restriction)\(orderBy(named))\(page)"
    }
    let shown = shown ?? self.shown
    if let ranked = ranking?.sql(self, shown, page: page, after: restriction?(expressions)) { return ranked }
    let list = shown.joined(separator: ", ")
    let end = orderBy(expressions) + page
    guard let ranges else {
      return group == nil
        ? "SELECT \(list) \(from)\(end)"
        : "SELECT \(list) \(source.sql())\(grouping(and: restriction?(expressions)))\(end)"
    }
    let parts = ranges(expressions).map { range -> SQL in
      "SELECT \(list) \(source.sql(and: range))\(orderBy(expressions))\(dialect.page(limit: reach, offset: nil))"
    }
    let places = zip(order, expressions).compactMap { term, expression in
      shown.firstIndex(of: expression).map { (term, $0) }
    }
    return dialect.union(of: parts, page: page) {
      places.map { $0.rendered(as: "\(SQL.number($1 + 1))", dialect) }.joined(separator: ", ")
    }
  }

  /// Where rows that are records come from, with the restriction.
  var from: SQL { source.sql(and: restriction?(order.map(\.sql))) }

  /// The columns as a `SELECT` lists them.
  var shown: [SQL] { columns.isEmpty ? ["1"] : columns }

  /// The first of the rows that show the same, each with its place.
  private var distinct: SQL {
    let named: [SQL] = columns.enumerated().map { "\($1) AS \(numbered($0))" }
    let window: SQL = order.isEmpty ? "" : "ORDER BY \(terms(order.map(\.sql)))"
    let place: SQL = "row_number() OVER (\(window)) AS place"
    let rows: SQL =
      "SELECT \((named + [place]).joined(separator: ", ")) \(source.sql())\(grouping())"
    let names = columns.indices.map(numbered)
    return dialect.firstOfEqual(rows, names, equalIn: shape.shown(of: names, dialect), place: "place")
  }

  private func numbered(_ column: Int) -> SQL { "\(identifier: "c\(column)")" }

  /// A column of distinct results by what it is; the order's are among them.
  private func numbered(_ column: SQL) -> SQL { numbered(columns.firstIndex(of: column) ?? 0) }

  /// The statement that counts the rows of all pages.
  var count: SQL {
    if isDistinct { return "SELECT COUNT(*) FROM \(dialect.derived(distinct))" }
    guard group != nil else { return "SELECT COUNT(*) \(source.sql())" }
    let aggregated: SQL = "SELECT COUNT(*) \(source.sql())\(grouping())"
    return "SELECT COUNT(*) FROM \(dialect.derived(aggregated))"
  }
}

extension RecordShape {
  /// What tells results apart: the columns that they show, and whether optional records are there.
  func shown(of columns: [SQL], _ dialect: any SQLDialect) -> [SQL] {
    var shown: OrderedSet<SQL> = []
    for column in self.columns {
      switch column {
      case .value(let column, let format): shown.append(dialect.comparable(columns[column], format))
      case .presence(let column): shown.append("\(columns[column]) IS NULL")
      }
    }
    return shown.elements
  }
}
