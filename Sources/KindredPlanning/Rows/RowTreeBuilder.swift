import KindredModel

/// Builds the statements of a request for rows: one for its root, and one for each collection.
struct RowTreeBuilder {
  private let context: PlanningContext

  init(_ context: PlanningContext) { self.context = context }

  private var selects: RowSelectBuilder { RowSelectBuilder(context: context) }

  /// Returns the selects of a request.
  func tree(of request: FetchRequest) throws -> SelectTree {
    let statement = StatementBuilder(context.dialect)
    statement.indexesJoins = true
    let rows = try selects.select(request, into: statement.newSelect())
    return SelectTree(
      path: [], nodes: try nodes(of: rows, number: 0, name: ""), isSingle: false, isFoundByPrimaryKey: false,
      absence: "", isCounted: false, isEstimated: false, pages: nil)
  }

  /// Returns the select of rows, followed by those of the collections below them.
  private func nodes(of rows: RowSelectDraft, number: Int, name: String) throws -> [NodeSelect] {
    // The selected columns come first, so that the unadapted row begins with them.
    var layout = try columns(of: rows.root)
    var below: [NodeSelect] = []
    try addCollections(of: rows.root, to: &layout, name: name) { node, record, name in
      let next = number + 1 + below.count
      let statement = StatementBuilder(context.dialect, level: record.statement.level + 1, runsOften: true)
      below += try nodes(
        of: selects.select(node, below: record, in: statement), number: next, name: name)
      return next
    }
    let level = rows.root.record.statement.level
    let finished = rows.finished
    return [
      NodeSelect(
        rows: finished, layout: layout, page: rows.page, isToMany: true, level: level, name: name,
        isNever: rows.root.record.node?.isNever == true, batch: level > 0 ? finished.batchOfRows : nil)
    ] + below
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
      place: record.statement.column(try selects.selected(item, in: record)),
      name: selects.name(of: item, in: record))
  }

  /// Adds the collections below a record and those joined to it.
  ///
  /// - Parameter add: Adds the statement of a collection, which runs for each parent record or for many at once, and
  ///   returns its number.
  private func addCollections(
    of join: RowJoin, to layout: inout RowLayout, name: String,
    _ add: (_ node: RequestNode, _ record: StatementRecord, _ name: String) throws -> Int
  ) throws {
    for child in join.record.node?.children ?? [] where child.rows.isPrefetched {
      let path = name.isEmpty ? child.key : "\(name).\(child.key)"
      layout.prefetched.append(RowLayout.Prefetched(key: child.key, node: try add(child, join.record, path)))
    }
    let returned = join.children.filter { $0.record.node?.isReturned == true }
    for (number, child) in returned.enumerated() {
      try addCollections(of: child, to: &layout.scopes[number].layout, name: name, add)
    }
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

extension RequestNode {
  /// Whether no record satisfies the conditions, whatever the database contains.
  fileprivate var isNever: Bool {
    filters.contains(where: \.isNever) || rows.pivots.contains(where: \.isNever)
      || children.contains { $0.isRequired && !$0.rows.isPrefetched && $0.isNever }
  }
}

extension Expression {
  /// Whether it is false, whatever the database contains.
  fileprivate var isNever: Bool {
    switch kind {
    case .boolean(let value): !value
    case .in(_, let list, let negated): list.isEmpty && !negated
    case .all(let operands): operands.contains(where: \.isNever)
    default: false
    }
  }
}

extension Table {
  /// The columns that `*` stands for, without the rowid of a table that declares no key.
  public var declaredColumns: ArraySlice<Column> {
    columns.first?.name == rowIDName ? columns.dropFirst() : columns[...]
  }
}
