import KindredSQLSyntax
import OrderedCollections

/// Statements that give rows: a record and those that are joined to it, one row for each way through them.
extension Planning {
  /// Plans a request for rows.
  func runRows() throws -> Plan {
    nodes.append(nil)
    let statement = StatementBuilder(dialect, level: 0, runsOften: false, givesMany: true)
    statement.leavesJoinsToSQLite = true
    let rows = try planSelect(request, select: statement.newSelect())
    let layout = try plan(rows, name: "")
    nodes[0] = rows.node(layout)
    if request.count { plan.count = planned(rows.count) }
    plan.nodes = nodes.compactMap { $0 }
    plan.transients = Array(transients.values)
    return plan
  }

  /// The rows of a request's root.
  func planSelect(_ request: FetchRequest, select: SelectBuilder) throws -> RowSelect {
    let node = request.root
    let rows = RowSelect(node: node, statement: select.statement)
    rows.reserveAliases()
    let scope: Scope
    if let association = node.association, let values = request.origin, let first = association.steps.first {
      let (table, resource) = try table(first.origin)
      let origin = Scope(
        table: table, resource: resource, alias: "", select: select, node: nil, parent: nil)
      origin.constants = values
      scope = try chain(association, from: origin, into: select, node: node, isRepeated: false)
    } else {
      let resource = try resource(request.path.resource)
      scope = Scope(
        table: resource.table, resource: resource, alias: select.alias(for: resource.table, node: node),
        select: select, node: node, parent: nil)
      try register(scope, above: nil)
      select.begin(with: try reference(to: scope))
    }
    rows.root = RowJoin(scope: scope)
    try finish(rows)
    return rows
  }

  /// Opens what is joined, and then says what the rows are: expressions may speak of any of the records.
  private func finish(_ rows: RowSelect) throws {
    guard let root = rows.root else { return }
    try open(root, in: rows)
    for child in root.children { root.scope.select.append(join: try rendered(child, below: root).sql) }
    let node = rows.node
    root.scope.select.conditions += try node.filters.map { try condition($0, in: root.scope) }
    rows.commonTables = try definitions(of: node)
    rows.group = try node.group.map { try compile($0, in: root.scope).sql }
    rows.havings = try node.havings.map { try condition($0, in: root.scope) }
    rows.order = try terms(of: root)
  }

  // MARK: Joins

  /// Opens the records that are joined to one.
  private func open(_ join: RowJoin, in rows: RowSelect) throws {
    for child in join.scope.node?.children ?? [] where !child.rows.isPrefetched {
      guard let step = child.association?.steps.first else { continue }
      let select = join.scope.select
      let (table, resource) = try table(step.destination)
      let scope = Scope(
        table: table, resource: resource, alias: select.alias(for: table, node: child), select: select,
        node: child, parent: join.scope)
      try register(scope, above: join.scope)
      let opened = RowJoin(scope: scope, step: step)
      join.children.append(opened)
      try open(opened, in: rows)
    }
  }

  /// `JOIN`, or `LEFT JOIN`: then what must be there behind it is in parentheses with it, so that the missing one
  /// takes the other along and not the row.
  ///
  /// - Parameter outside: the records that can't be read within the parentheses around it.
  /// - Returns: The join, and its conditions on records outside: they belong behind the parentheses.
  private func rendered(
    _ join: RowJoin, below root: RowJoin, outside: Set<RecordID> = []
  ) throws -> (sql: SQL, beyond: [SQL]) {
    guard let step = join.step, let node = join.scope.node, let parent = join.scope.parent else {
      return (SQL(), [])
    }
    let statement = join.scope.statement
    let table = try reference(to: join.scope)
    var conditions = links(
      step, from: parent, to: Source(columns: step.destinationColumns, of: join.scope), in: statement)
    if let rule = table.rule { conditions.append(rule) }
    var beyond: [SQL] = []
    for filter in ([step.filter].compactMap { $0 }) + node.filters {
      let condition = try condition(filter, in: join.scope)
      if condition.reads(where: outside.contains) {
        beyond.append(condition)
      } else {
        conditions.append(condition)
      }
    }
    let isInParentheses = !node.isRequired && join.children.contains { $0.scope.node?.isRequired == true }
    let hidden = isInParentheses ? root.records.subtracting(join.records) : outside
    var (inner, outer): ([SQL], [SQL]) = ([], [])
    for child in join.children {
      let isRequired = child.scope.node?.isRequired == true
      let rendered = try rendered(child, below: root, outside: isRequired ? hidden : [])
      if isRequired { inner.append(rendered.sql) } else { outer.append(rendered.sql) }
      if isInParentheses { conditions += rendered.beyond } else { beyond += rendered.beyond }
    }
    let condition: SQL = conditions.isEmpty ? "TRUE" : conditions.joined(separator: " AND ")
    let source: SQL = isInParentheses ? "(\(([table.sql] + inner).joined(separator: " ")))" : table.sql
    var sql: SQL = "\(node.isRequired ? "JOIN" : "LEFT JOIN" as SQL) \(source) ON \(condition)"
    for join in (node.isRequired ? inner : []) + outer { sql.append(" \(join)") }
    return (sql, beyond)
  }

  // MARK: Order

  /// The order: that of the record, of the pivots that led to it, and of the records joined to it.
  private func terms(of join: RowJoin) throws -> [OrderTerm] {
    var terms = try (join.scope.node?.sort ?? []).map { try rowTerm($0, in: join.scope) }
    var pivot = join.scope.via
    while let scope = pivot {
      terms += try (scope.node?.sort ?? []).map { try rowTerm($0, in: scope) }
      pivot = scope.via
    }
    return try join.children.reduce(terms) { try $0 + self.terms(of: $1) }
  }

  private func rowTerm(_ term: SortTerm, in scope: Scope) throws -> OrderTerm {
    OrderTerm(
      try compile(term.expression, in: scope), isDescending: term.isDescending, nulls: term.nulls)
  }

  // MARK: Layout

  /// Plans the columns of a statement, and the statements below it.
  private func plan(_ rows: RowSelect, name: String) throws -> RowLayout {
    guard let root = rows.root else { return RowLayout() }
    // First the columns that are shown, so that the row as SQLite gives it begins with them.
    var layout = try columns(of: root, in: rows)
    try planCollections(of: root, layout: &layout, name: name)
    return layout
  }

  private func columns(of join: RowJoin, in rows: RowSelect) throws -> RowLayout {
    var layout = RowLayout()
    guard let node = join.scope.node else { return layout }
    for field in node.isIncluded ? node.fields ?? [.all] : [] {
      switch field {
      case .all: layout.columns += join.scope.allColumns
      case .expression(let item): layout.columns.append(try column(item, in: join.scope))
      }
    }
    for item in node.annotations { layout.columns.append(try column(item, in: join.scope)) }
    for child in join.children where child.scope.node?.isReturned == true {
      layout.scopes.append(
        RowLayout.Scope(key: child.scope.node?.key ?? "", layout: try columns(of: child, in: rows)))
    }
    return layout
  }

  private func column(_ item: NamedExpression, in scope: Scope) throws -> RowLayout.Column {
    RowLayout.Column(
      place: scope.statement.column(try compile(item.expression, in: scope).sql),
      name: name(of: item, in: scope))
  }

  private func name(of item: NamedExpression, in scope: Scope) -> String? {
    guard item.name == nil, case .program(.column(let column)) = item.expression.kind else {
      return item.name
    }
    return scope.table.column(named: column)?.name ?? column
  }

  /// The columns of a subquery: those of its first record, named.
  func selection(of rows: RowSelect) throws -> [SQL] {
    guard let root = rows.root, let node = root.scope.node else { return ["1"] }
    let scope = root.scope
    func named(_ item: NamedExpression) throws -> SQL {
      let sql = try compile(item.expression, in: scope).sql
      return name(of: item, in: scope).map { "\(sql) AS \(identifier: $0)" } ?? sql
    }
    let fields: [SQL] = try (node.fields ?? [.all]).flatMap { field -> [SQL] in
      switch field {
      case .all: scope.table.declaredColumns.map { scope.column($0.name, in: scope.statement) }
      case .expression(let item): [try named(item)]
      }
    }
    return try fields + node.annotations.map(named)
  }

  private func planCollections(of join: RowJoin, layout: inout RowLayout, name: String) throws {
    for child in join.scope.node?.children ?? [] where child.rows.isPrefetched {
      let path = name.isEmpty ? child.key : "\(name).\(child.key)"
      layout.prefetched.append(
        RowLayout.Prefetched(key: child.key, node: try planCollection(child, below: join.scope, name: path)))
    }
    let returned = join.children.filter { $0.scope.node?.isReturned == true }
    for (number, child) in returned.enumerated() {
      try planCollections(of: child, layout: &layout.scopes[number].layout, name: name)
    }
  }

  /// Plans the statement of a collection, which runs for each record above, or for many of them at once.
  private func planCollection(_ node: RequestNode, below scope: Scope, name: String) throws -> Int {
    guard let association = node.association else {
      throw RequestError(.unknownAssociation, "`\(node.key)` is no association")
    }
    let statement = StatementBuilder(
      dialect, level: scope.statement.level + 1, runsOften: true, givesMany: true)
    let rows = RowSelect(node: node, statement: statement)
    rows.reserveAliases()
    let record = try chain(
      association, from: scope, into: statement.newSelect(), node: node, isRepeated: true)
    rows.root = RowJoin(scope: record)
    try finish(rows)
    let number = nodes.count
    nodes.append(nil)
    let layout = try plan(rows, name: name)
    nodes[number] = rows.node(layout, name: name)
    return number
  }
}

extension Scope {
  /// The columns that the table declares, by `*`.
  fileprivate var allColumns: [RowLayout.Column] {
    table.declaredColumns.map { column in
      RowLayout.Column(place: statement.column(self.column(column.name, in: statement)), name: column.name)
    }
  }
}

extension Table {
  /// The columns that `*` stands for: not the rowid of a table that declares no key.
  public var declaredColumns: ArraySlice<Column> {
    columns.first?.name == rowIDName ? columns.dropFirst() : columns[...]
  }
}
