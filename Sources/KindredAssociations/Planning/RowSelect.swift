import KindredSQLSyntax
import OrderedCollections

/// A statement that gives rows, in the making.
///
///     WITH commonTables
///     SELECT [DISTINCT] columns
///     FROM root joins WHERE conditions
///     GROUP BY group HAVING havings
///     ORDER BY order LIMIT limit OFFSET offset
final class RowSelect {
  let node: RequestNode
  let statement: StatementBuilder
  var root: RowJoin?
  var commonTables: [SQL] = []
  var group: [SQL] = []
  var havings: [SQL] = []
  var order: [OrderTerm] = []

  init(node: RequestNode, statement: StatementBuilder) {
    self.node = node
    self.statement = statement
  }

  /// Keeps the names that the request guarantees from the tables that have none.
  func reserveAliases() {
    statement.reservedAliases.formUnion(node.aliasNames.map { $0.lowercased() })
  }

  /// The statement, its columns being known.
  func rendered(page: Bool) -> SQL {
    rendered(page: page, columns: statement.columns.isEmpty ? ["1"] : statement.columns)
  }

  /// The statement or subquery with these columns.
  func rendered(page: Bool, columns: [SQL]) -> SQL {
    guard let root else { return SQL() }
    return withClause + select(page: page, columns: columns, from: root.scope.select.from(), group: group)
  }

  /// Everything behind the common table expressions.
  func select(page: Bool, columns: [SQL], from: SQL, group: [SQL]) -> SQL {
    var sql: SQL = "SELECT \(node.isDistinct ? "DISTINCT " : SQL())\(columns.joined(separator: ", ")) \(from)"
    if !group.isEmpty { sql.append(" GROUP BY \(group.joined(separator: ", "))") }
    if !havings.isEmpty { sql.append(" HAVING \(havings.joined(separator: " AND "))") }
    guard page else { return sql }
    if !order.isEmpty {
      sql.append(
        " ORDER BY \(order.map { $0.rendered(as: $0.sql, statement.dialect) }.joined(separator: ", "))")
    }
    let offset = node.rows.offset
    if node.rows.limit != nil || offset != 0 {
      sql.append(" LIMIT \(.value(.integer(node.rows.limit ?? -1)))")
      if offset != 0 { sql.append(" OFFSET \(.value(.integer(offset)))") }
    }
    return sql
  }

  /// The statement that counts the rows.
  var count: SQL {
    guard let root else { return SQL() }
    // An expression may be an aggregate, which makes one row of all.
    let isPlain = !node.isDistinct && group.isEmpty && havings.isEmpty && node.selectsColumns
    if isPlain, node.rows.limit == nil, node.rows.offset == 0 {
      return "\(withClause)SELECT COUNT(*) \(root.scope.select.from())"
    }
    return "SELECT COUNT(*) FROM (\(rendered(page: node.rows.limit != nil || node.rows.offset != 0)))"
  }

  private var withClause: SQL {
    commonTables.isEmpty ? SQL() : "WITH \(commonTables.joined(separator: ", ")) "
  }

  /// The finished node of the plan.
  func node(_ layout: RowLayout, name: String = "") -> Plan.Node {
    Plan.Node(
      statement: Plan.Statement(rendered(page: true)), shape: .object([]), layout: layout, batch: batch,
      isToMany: true, level: statement.level, recursion: nil, name: name)
  }
}

/// A record of such a statement, and those that are joined to it.
final class RowJoin {
  let scope: Scope
  /// How it is joined; nil for the first.
  let step: AssociationStep?
  var children: [RowJoin] = []

  /// Itself and the records joined to it.
  var records: Set<RecordID> { children.reduce([scope.record]) { $0.union($1.records) } }

  init(scope: Scope, step: AssociationStep? = nil) {
    self.scope = scope
    self.step = step
  }
}

extension Planning {
  /// The common table expressions that a statement defines for its node and what is joined to it, each once.
  ///
  /// - Throws: `RequestError` where two of one name are not the same.
  func definitions(of node: RequestNode) throws -> [SQL] {
    var definitions: OrderedDictionary<String, SQL> = [:]
    for table in node.commonTables {
      let columns = (table.columns ?? []).map { "\(identifier: $0)" as SQL }
      let list: SQL = columns.isEmpty ? SQL() : " (\(columns.joined(separator: ", ")))"
      let definition: SQL = "\(list) AS (\(try definition(of: table)))"
      let name = table.name.foldingASCIICase
      guard definitions[name].map({ $0 == "\(identifier: table.name)\(definition)" }) ?? true else {
        throw RequestError(
          .duplicateName, "two different common table expressions are called `\(table.name)`")
      }
      definitions[name] = "\(identifier: table.name)\(definition)"
    }
    return Array(definitions.values)
  }

  private func definition(of table: CommonTable) throws -> SQL {
    switch table.definition {
    case .raw(let parts):
      let statement = StatementBuilder(dialect, level: 0, runsOften: false, givesMany: true)
      let nowhere = Scope(
        table: Table(name: "", kind: .view, columns: [], primaryKey: []),
        resource: Resource(name: "", table: Table(name: "", kind: .view, columns: [], primaryKey: [])),
        alias: "", select: statement.newSelect(), node: nil, parent: nil)
      return try raw(parts, in: nowhere)
    case .request(let request):
      let planning = Planning(model: model, request: request, dialect)
      planning.transients = transients
      defer { transients = planning.transients }
      return try planning.definition()
    }
  }

  /// The request as the definition of a table.
  private func definition() throws -> SQL {
    let statement = StatementBuilder(dialect, level: 0, runsOften: false, givesMany: true)
    let rows = try planSelect(request, select: statement.newSelect())
    return rows.rendered(page: true, columns: try selection(of: rows))
  }
}

extension RequestNode {
  /// What is defined here, for the records joined to it, and for those that aggregates are of.
  fileprivate var commonTables: [CommonTable] {
    let joined = children.filter { !$0.rows.isPrefetched } + rows.pivots
    let fields = (fields ?? []).compactMap { field in
      if case .expression(let item) = field { item.expression } else { nil }
    }
    let expressions =
      fields + annotations.map(\.expression) + filters + group + havings + (sort ?? []).map(\.expression)
    return rows.commonTables + (joined + expressions.flatMap(\.aggregatedNodes)).flatMap(\.commonTables)
  }

  /// The names in SQL that are guaranteed, here and in the records joined to it.
  fileprivate var aliasNames: [String] {
    let joined = children.filter { !$0.rows.isPrefetched } + rows.pivots
    return rows.aliases.compactMap(\.name) + joined.flatMap(\.aliasNames)
  }
}

extension Expression {
  /// The nodes that its aggregates are of.
  fileprivate var aggregatedNodes: [RequestNode] {
    guard case .program(let expression) = kind else { return parts.flatMap(\.aggregatedNodes) }
    switch expression {
    case .aggregate(_, let node, let argument): return [node] + (argument?.aggregatedNodes ?? [])
    case .of(_, let expression), .among(let expression, _): return expression.aggregatedNodes
    case .raw(let parts):
      return parts.flatMap { part -> [RequestNode] in
        if case .expression(let expression) = part { expression.aggregatedNodes } else { [] }
      }
    case .column, .count, .exists: return []
    }
  }
}
