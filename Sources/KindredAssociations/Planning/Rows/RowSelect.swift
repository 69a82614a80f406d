import KindredSQLSyntax
import OrderedCollections

/// Builds the select of a node of rows.
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

  /// Reserves the aliases that the request gives.
  func reserveAliases() {
    statement.reservedAliases.formUnion(node.aliasNames.map { $0.lowercased() })
  }

  /// Returns the statement with all of its columns.
  func rendered(page: Bool) -> SQL {
    rendered(page: page, columns: statement.columns.isEmpty ? ["1"] : statement.columns)
  }

  /// Returns the statement or subquery with these columns.
  func rendered(page: Bool, columns: [SQL]) -> SQL {
    guard let root else { return SQL() }
    return withClause + select(page: page, columns: columns, from: root.record.select.from, group: group)
  }

  /// Returns the statement after the common table expressions.
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
    // An expression may be an aggregate, which reduces all rows to one.
    let isPlain = !node.isDistinct && group.isEmpty && havings.isEmpty && node.selectsColumns
    if isPlain, node.rows.limit == nil, node.rows.offset == 0 {
      return "\(withClause)SELECT COUNT(*) \(root.record.select.from)"
    }
    return "SELECT COUNT(*) FROM (\(rendered(page: node.rows.limit != nil || node.rows.offset != 0)))"
  }

  private var withClause: SQL {
    commonTables.isEmpty ? SQL() : "WITH \(commonTables.joined(separator: ", ")) "
  }

  /// Returns the node of the plan.
  func node(_ layout: RowLayout, name: String = "") -> Plan.Node {
    Plan.Node(
      statement: Plan.Statement(rendered(page: true), statement.dialect.parameterStyle), shape: .object([]),
      layout: layout, batch: batch,
      isToMany: true, level: statement.level, recursion: nil, name: name)
  }
}

/// A record in a select of rows, and those joined to it.
final class RowJoin {
  let record: StatementRecord
  /// The step that leads to it; nil for the first record.
  let step: AssociationStep?
  var children: [RowJoin] = []

  /// The record and those joined to it.
  var records: Set<RecordID> { children.reduce([record.id]) { $0.union($1.records) } }

  init(record: StatementRecord, step: AssociationStep? = nil) {
    self.record = record
    self.step = step
  }
}

extension RequestNode {
  /// The aliases that the request gives, here and to the records joined to it.
  fileprivate var aliasNames: [String] {
    let joined = children.filter { !$0.rows.isPrefetched } + rows.pivots
    return rows.aliases.compactMap(\.name) + joined.flatMap(\.aliasNames)
  }
}
