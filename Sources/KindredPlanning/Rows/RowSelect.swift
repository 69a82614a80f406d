import KindredModel
import KindredSQLSyntax
import OrderedCollections

/// The select of a node of rows.
///
///     WITH commonTables
///     SELECT [DISTINCT] columns
///     FROM root joins WHERE conditions
///     GROUP BY group HAVING havings
///     ORDER BY order LIMIT limit OFFSET offset
///
/// The columns are added to its statement.
struct RowSelect {
  let node: RequestNode
  let root: RowJoin
  let commonTables: [SQL]
  let group: [SQL]
  let havings: [SQL]
  let order: [OrderTerm]

  var statement: StatementBuilder { root.record.statement }

  /// Returns the statement with all of its columns.
  func rendered(page: Bool) -> SQL {
    rendered(page: page, columns: statement.columns)
  }

  /// Returns the statement or subquery with these columns.
  func rendered(page: Bool, columns: [SQL]) -> SQL {
    withClause + select(page: page, columns: columns, from: root.record.select.from, group: group)
  }

  /// Returns the statement after the common table expressions.
  func select(page: Bool, columns: [SQL], from: SQL, group: [SQL]) -> SQL {
    var select = Select(
      columns: columns, isDistinct: node.isDistinct, from: from, group: group, havings: havings)
    guard page else { return select.sql }
    select.order = order.map { $0.rendered(as: $0.sql, statement.dialect) }
    let offset = node.rows.offset
    if node.rows.limit != nil || offset != 0 {
      select.page = " LIMIT \(.value(.integer(node.rows.limit ?? -1)))"
      if offset != 0 { select.page.append(" OFFSET \(.value(.integer(offset)))") }
    }
    return select.sql
  }

  /// The statement that counts the rows.
  var count: SQL {
    // An expression may be an aggregate, which reduces all rows to one.
    let isPlain = !node.isDistinct && group.isEmpty && havings.isEmpty && node.selectsNoAggregate
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
      layout: layout, batch: batch, isToMany: true, level: statement.level, recursion: nil, name: name)
  }
}

/// A record in a select of rows, and those joined to it.
struct RowJoin {
  let record: StatementRecord
  /// The step that leads to it; nil for the first record.
  let step: AssociationStep?
  let children: [RowJoin]

  /// The record and those joined to it.
  var records: Set<RecordID> { children.reduce([record.id]) { $0.union($1.records) } }
}

extension RequestNode {
  /// The aliases that the request gives, here and to the records joined to it.
  var aliasNames: [String] { rows.aliases.compactMap(\.name) + joinedNodes.flatMap(\.aliasNames) }

  /// The nodes in the same statement: those joined to it, and the pivots of its association.
  var joinedNodes: [RequestNode] { children.filter { !$0.rows.isPrefetched } + rows.pivots }
}
