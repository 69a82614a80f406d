import KindredSQLSyntax
import OrderedCollections

/// Builds the statements of a request for rows: one for its root, and one for each collection.
final class RowTreeBuilder {
  private let context: PlanningContext
  /// The statements by number; nil while they are being built.
  private var nodes: [Node?] = []

  /// A statement of the tree, and the layout of its columns.
  private struct Node {
    let rows: RowSelect
    let layout: RowLayout
    let name: String
  }

  init(_ context: PlanningContext) { self.context = context }

  private var selects: RowSelectBuilder { RowSelectBuilder(context: context) }

  /// Returns the plan of a request.
  func plan(of request: FetchRequest) throws -> Plan {
    let statement = StatementBuilder(context.dialect, level: 0, runsOften: false, givesMany: true)
    statement.leavesJoinsToSQLite = true
    let rows = try selects.select(request, into: statement.newSelect())
    _ = try add(rows, name: "")
    var plan = Plan()
    plan.nodes = nodes.compactMap { $0.map { $0.rows.node($0.layout, name: $0.name) } }
    if request.count { plan.count = Plan.Statement(rows.count, context.dialect.parameterStyle) }
    plan.transients = Array(context.state.findings.transients.values)
    return plan
  }

  /// Adds rows and the collections below them, and returns the number of their node.
  private func add(_ rows: RowSelect, name: String) throws -> Int {
    let number = nodes.count
    nodes.append(nil)
    nodes[number] = Node(rows: rows, layout: try layout(of: rows, name: name), name: name)
    return number
  }

  /// Returns the columns of rows, and adds the collections below them.
  private func layout(of rows: RowSelect, name: String) throws -> RowLayout {
    guard let root = rows.root else { return RowLayout() }
    // The selected columns come first, so that the unadapted row begins with them.
    var layout = try columns(of: root)
    try addCollections(of: root, to: &layout, name: name)
    return layout
  }

  private func columns(of join: RowJoin) throws -> RowLayout {
    var layout = RowLayout()
    guard let node = join.record.node else { return layout }
    for field in node.isIncluded ? node.fields ?? [.all] : [] {
      switch field {
      case .all: layout.columns += join.record.allColumns
      case .expression(let item): layout.columns.append(try column(item, in: join.record))
      }
    }
    for item in node.annotations { layout.columns.append(try column(item, in: join.record)) }
    for child in join.children where child.record.node?.isReturned == true {
      layout.scopes.append(
        RowLayout.Scope(key: child.record.node?.key ?? "", layout: try columns(of: child)))
    }
    return layout
  }

  private func column(_ item: NamedExpression, in record: StatementRecord) throws -> RowLayout.Column {
    RowLayout.Column(
      place: record.statement.column(try context.expressions.compile(item.expression, in: record).sql),
      name: selects.name(of: item, in: record))
  }

  private func addCollections(of join: RowJoin, to layout: inout RowLayout, name: String) throws {
    for child in join.record.node?.children ?? [] where child.rows.isPrefetched {
      let path = name.isEmpty ? child.key : "\(name).\(child.key)"
      layout.prefetched.append(
        RowLayout.Prefetched(key: child.key, node: try addCollection(child, below: join.record, name: path)))
    }
    let returned = join.children.filter { $0.record.node?.isReturned == true }
    for (number, child) in returned.enumerated() {
      try addCollections(of: child, to: &layout.scopes[number].layout, name: name)
    }
  }

  /// Adds the statement of a collection, which runs for each parent record, or for many at once.
  private func addCollection(_ node: RequestNode, below record: StatementRecord, name: String) throws -> Int {
    let statement = StatementBuilder(
      context.dialect, level: record.statement.level + 1, runsOften: true, givesMany: true)
    return try add(try selects.select(node, below: record, in: statement), name: name)
  }
}

extension StatementRecord {
  /// The columns that `*` stands for.
  fileprivate var allColumns: [RowLayout.Column] {
    table.declaredColumns.map { column in
      RowLayout.Column(place: statement.column(self.column(column.name, in: statement)), name: column.name)
    }
  }
}

extension Table {
  /// The columns that `*` stands for, without the rowid of a table that declares no key.
  public var declaredColumns: ArraySlice<Column> {
    columns.first?.name == rowIDName ? columns.dropFirst() : columns[...]
  }
}
