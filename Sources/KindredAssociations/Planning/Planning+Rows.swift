import KindredSQLSyntax
import OrderedCollections

/// The rows of a node: what they show, which they are, and in what order.
struct Rows {
  let scope: Scope
  let shape: RecordShape
  var order: [OrderTerm]
  /// Expressions of groups; nil where rows are records.
  let group: [SQL]?
  let havings: [SQL]
  let isDistinct: Bool
  /// What must hold for rows beside the conditions, such as where a page starts, by the expressions of the order.
  var restriction: ((_ order: [SQL]) -> SQL)?
  /// What must hold for the records that the order reads to be in sight; empty where rows are results by themselves.
  var orderRules: [SQL] = []
  /// The restriction in parts that an index gives in order, one after the other.
  var ranges: ((_ order: [SQL]) -> [SQL])?
  /// How many of the rows come before the page, beside its offset.
  var passed: SQL?
  /// How many rows a page needs at most, its offset included.
  var reach: SQL = "-1"
  /// Whether there is a limit of rows.
  var isLimited = false
}

/// A term of an order, its names found.
struct OrderTerm {
  var sql: SQL
  var isDescending = false
  var nulls: SortTerm.Nulls?
  /// Whether it may be NULL.
  var isNullable = true
  /// What its values are; nil where that is not known.
  var type: ValueType?
  /// What it reads.
  var exposure = Exposure()

  init(sql: SQL) { self.sql = sql }

  init(
    _ compiled: CompiledExpression, isDescending: Bool = false, nulls: SortTerm.Nulls? = nil,
    exposure: Exposure = Exposure()
  ) {
    sql = compiled.sql(within: .collate)
    self.isDescending = isDescending
    self.nulls = nulls
    isNullable = compiled.isNullable
    type = compiled.type
    self.exposure = exposure
  }

  /// Whether NULLs come first: unless told otherwise, they are the least values.
  var nullsComeFirst: Bool { nulls.map { $0 == .first } ?? !isDescending }

  func rendered(as expression: SQL, _ dialect: any SQLDialect) -> SQL {
    dialect.order(expression, isDescending: isDescending, nulls: nulls, isNullable: isNullable)
  }
}

extension Rows {
  var statement: StatementBuilder { scope.statement }
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

  /// The statement that gives the rows, and those columns that its shape and the statements below read.
  ///
  /// - Parameter columns: the columns instead of those.
  func select(_ columns: [SQL]? = nil, page: SQL) -> SQL {
    let expressions = order.map(\.sql)
    guard !isDistinct else {
      let named = order.map { numbered(statement.column($0.sql)) }
      let restriction = restriction.map { " WHERE \($0(named))" as SQL } ?? SQL()
      let columns =
        columns.map { $0.map { numbered(statement.column($0)) } }
        ?? statement.columns.indices.map(numbered)
      return
        "SELECT \(columns.isEmpty ? "1" : columns.joined(separator: ", ")) FROM \(dialect.derived(distinct))\(restriction)\(orderBy(named))\(page)"
    }
    let shown = columns ?? (statement.columns.isEmpty ? ["1"] : statement.columns)
    if let ranked = rankedFirst(shown, page: page, after: restriction?(expressions)) { return ranked }
    let columns = shown.joined(separator: ", ")
    let end = orderBy(expressions) + page
    guard let ranges else {
      return group == nil
        ? "SELECT \(columns) \(source)\(end)"
        : "SELECT \(columns) \(scope.select.from())\(grouping(and: restriction?(expressions)))\(end)"
    }
    let parts = ranges(expressions).map { range -> SQL in
      "SELECT \(columns) \(scope.select.from(and: range))\(orderBy(expressions))\(dialect.page(limit: reach, offset: nil))"
    }
    let places = zip(order, expressions).compactMap { term, expression in
      shown.firstIndex(of: expression).map { (term, $0) }
    }
    return dialect.union(of: parts, page: page) {
      places.map { $0.rendered(as: "\(SQL.number($1 + 1))", dialect) }.joined(separator: ", ")
    }
  }

  /// Where rows that are records come from, with the restriction.
  var source: SQL { scope.select.from(and: restriction?(order.map(\.sql))) }

  /// The first of the rows that show the same, each with its place.
  private var distinct: SQL {
    let columns: [SQL] = statement.columns.enumerated().map { "\($1) AS \(numbered($0))" }
    let window: SQL = order.isEmpty ? "" : "ORDER BY \(terms(order.map(\.sql)))"
    let place: SQL = "row_number() OVER (\(window)) AS place"
    let rows: SQL =
      "SELECT \((columns + [place]).joined(separator: ", ")) \(scope.select.from())\(grouping())"
    return dialect.firstOfEqual(rows, statement.columns.indices.map(numbered), equalIn: shown, place: "place")
  }

  private func numbered(_ column: Int) -> SQL { "\(identifier: "c\(column)")" }

  /// What tells results apart: the columns that it shows, and whether optional records are there.
  private var shown: [SQL] {
    shape.shown(of: statement.columns.indices.map(numbered), dialect)
  }

  /// The statement that counts the rows of all pages.
  var count: SQL {
    if isDistinct { return "SELECT COUNT(*) FROM \(dialect.derived(distinct))" }
    guard group != nil else { return "SELECT COUNT(*) \(scope.select.from())" }
    let aggregated: SQL = "SELECT COUNT(*) \(scope.select.from())\(grouping())"
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

extension Planning {
  /// - Parameter isCondensed: whether the conditions already hold in the subquery that found the records.
  func planRows(
    of node: RequestNode, association: Association?, in scope: Scope, isCondensed: Bool = false,
    name: String = ""
  ) throws -> Rows {
    scope.isGrouped = node.isGrouped
    var rank: [SQL]?
    if let last = node.searches.indices.last {
      try noting(diagnostics) {
        let best = try joinSearch(node.searches[last], to: scope)
        // The rank of a record depends on all others, and so on those out of sight.
        rank = isRestricted(scope) ? [] : [best]
      }
    }
    if !isCondensed {
      scope.select.conditions += try conditions(of: scope, joinedSearch: node.searches.indices.last)
    }
    scope.allowsGroupAggregates = scope.isGrouped
    let shape = try planContent(of: node, in: scope, name: name)
    let havings = scope.isGrouped ? try node.havings.map { try groupCondition($0, of: node, in: scope) } : []
    let group = scope.isGrouped ? try groupTerms(of: node, in: scope) : nil
    let order = try orderTerms(
      of: node, association: association, in: scope, rank: rank, group: group,
      shown: shape.shown(of: scope.statement.columns, dialect))
    if node.isDistinct { for term in order { _ = scope.statement.column(term.sql) } }
    return Rows(
      scope: scope, shape: shape, order: order, group: group?.map(\.sql), havings: havings,
      isDistinct: node.isDistinct, isLimited: node.limit != nil && node.recursion == nil)
  }

  func groupTerms(of node: RequestNode, in scope: Scope) throws -> [OrderTerm] {
    scope.allowsGroupAggregates = false
    defer { scope.allowsGroupAggregates = true }
    return try node.group.map { expression in
      let (compiled, exposure) = try exposing { try compile(expression, in: scope) }
      return OrderTerm(compiled, exposure: exposure)
    }
  }

  /// A condition of a group.
  ///
  /// SQLite tests one that has no aggregate before the records are grouped, and so beside their rules. A group of
  /// everything may have no record that a rule could hold for; its conditions read aggregates alone.
  private func groupCondition(_ having: Expression, of node: RequestNode, in scope: Scope) throws -> SQL {
    try node.group.isEmpty ? condition(having, in: scope) : guardedCondition(having, in: scope)
  }
}
