import KindredModel
import KindredSQLSyntax

/// Builds the selects of requests for rows: a record and those joined to it, with a row for each combination.
struct RowSelectBuilder {
  let context: PlanningContext

  /// Returns the rows of a request's root.
  func select(_ request: FetchRequest, into select: SelectBuilder) throws -> RowSelectDraft {
    let node = request.root
    select.statement.reserve(node.aliasNames)
    let record: StatementRecord
    if let association = node.association, let values = request.origin, let first = association.steps.first {
      let (table, resource) = try context.model.table(named: first.origin)
      let origin = StatementRecord(
        NameScope(model: context.model, resource: resource), table: table, alias: "", select: select,
        parent: nil, constants: values)
      record = try records(of: node, from: origin, into: select, isRepeated: false)
    } else {
      let resource = try context.model.resource(named: request.path.resource)
      record = StatementRecord(
        NameScope(model: context.model, resource: resource, node: node), table: resource.table,
        alias: select.alias(for: resource.table, node: node), select: select, parent: nil)
      try context.state.register(record, above: nil)
      select.begin(with: try context.sources.reference(to: record))
    }
    return try rows(of: node, from: record)
  }

  /// Returns the rows of a collection of each parent record.
  func select(_ node: RequestNode, below record: StatementRecord, in statement: StatementBuilder) throws
    -> RowSelectDraft
  {
    statement.reserve(node.aliasNames)
    let first = try records(of: node, from: record, into: statement.newSelect(), isRepeated: true)
    return try rows(of: node, from: first)
  }

  private func records(
    of node: RequestNode, from record: StatementRecord, into select: SelectBuilder, isRepeated: Bool
  ) throws -> StatementRecord {
    // Without conditions, which the rows have themselves.
    let keyed = try KeyedAssociation(of: node)
    let names = try record.names.destination(of: keyed, for: .request, countsWays: true)
    let association = ResolvedAssociation(
      key: keyed.key, association: keyed.association, names: names, conditions: nil, isOfModel: false)
    return try context.chains.chain(association, from: record, into: select, isRepeated: isRepeated)
  }

  /// Opens the joined records before it compiles expressions, which may read any of them.
  private func rows(of node: RequestNode, from record: StatementRecord) throws -> RowSelectDraft {
    let root = RowJoin(record: record, step: nil, children: try joins(to: record))
    for child in root.children { record.select.append(join: try rendered(child, below: root).sql) }
    let expressions = context.expressions
    record.select.add(try node.filters.map { try expressions.condition($0, in: record) })
    return RowSelectDraft(
      node: node, root: root,
      commonTables: try CommonTableDefinitions(context: context).definitions(of: node),
      group: try node.group.map { try expressions.compile($0, in: record).sql },
      havings: try node.havings.map { try expressions.condition($0, in: record, isOfGroup: true) },
      order: try terms(of: root))
  }

  // MARK: Joins

  /// Opens the records joined to one.
  private func joins(to record: StatementRecord) throws -> [RowJoin] {
    try (record.node?.children ?? []).compactMap { child in
      guard !child.rows.isPrefetched, let step = child.association?.steps.first else { return nil }
      let (table, resource) = try context.model.table(named: step.destination)
      let joined = StatementRecord(
        NameScope(model: context.model, resource: resource, node: child, parent: record.names), table: table,
        alias: record.select.alias(for: table, node: child), select: record.select, parent: record)
      try context.state.register(joined, above: record)
      return RowJoin(record: joined, step: step, children: try joins(to: joined))
    }
  }

  /// Returns a `JOIN` or `LEFT JOIN`.
  ///
  /// Required records behind a `LEFT JOIN` are in parentheses with it, so that if one is missing, the other is omitted
  /// rather than the row.
  ///
  /// - Parameter outside: The records that can't be read within the enclosing parentheses.
  /// - Returns: The join, and its conditions on records outside, which belong after the parentheses.
  private func rendered(
    _ join: RowJoin, below root: RowJoin, outside: Set<RecordID> = []
  ) throws -> (sql: SQL, beyond: [SQL]) {
    guard let step = join.step, let node = join.record.node, let parent = join.record.parent else {
      return (SQL(), [])
    }
    let statement = join.record.statement
    let table = try context.sources.reference(to: join.record)
    var conditions = try context.sources.links(
      step, from: parent, to: TableSource(columns: step.destinationColumns, of: join.record), in: statement)
    if let rule = table.rule { conditions.append(rule) }
    var beyond: [SQL] = []
    for filter in ([step.filter].compactMap { $0 }) + node.filters {
      let condition = try context.expressions.condition(filter, in: join.record)
      if condition.reads(where: outside.contains) {
        beyond.append(condition)
      } else {
        conditions.append(condition)
      }
    }
    let isInParentheses = !node.isRequired && join.children.contains { $0.record.node?.isRequired == true }
    let hidden = isInParentheses ? root.records.subtracting(join.records) : outside
    var (inner, outer): ([SQL], [SQL]) = ([], [])
    for child in join.children {
      let isRequired = child.record.node?.isRequired == true
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

  /// Returns the order: that of the record, of its pivots, and of the records joined to it.
  private func terms(of join: RowJoin) throws -> [OrderTerm] {
    var terms = try (join.record.node?.sort ?? []).map { try rowTerm($0, in: join.record) }
    var pivot = join.record.via
    while let record = pivot {
      terms += try (record.node?.sort ?? []).map { try rowTerm($0, in: record) }
      pivot = record.via
    }
    return try join.children.reduce(terms) { try $0 + self.terms(of: $1) }
  }

  private func rowTerm(_ term: SortTerm, in record: StatementRecord) throws -> OrderTerm {
    OrderTerm(
      try context.expressions.compile(term.expression, in: record, isOfGroup: true),
      isDescending: term.isDescending,
      nulls: term.nulls)
  }

  // MARK: Columns

  /// Returns the named columns of a subquery: those of its first record.
  func selection(of rows: RowSelectDraft) throws -> [SQL] {
    let record = rows.root.record
    guard let node = record.node else { return [] }
    func named(_ item: NamedExpression) throws -> SQL {
      let sql = try context.expressions.compile(item.expression, in: record, isOfGroup: true).sql
      return name(of: item, in: record).map { "\(sql) AS \(identifier: $0)" } ?? sql
    }
    let fields: [SQL] = try (node.fields ?? [.all]).flatMap { field -> [SQL] in
      switch field {
      case .all: record.table.declaredColumns.map { record.column($0.name, in: record.statement) }
      case .expression(let item): [try named(item)]
      }
    }
    return try fields + node.annotations.map(named)
  }

  /// Returns a selected column, with the name that the request gives it if SQL of the program may use the name.
  func selected(_ item: NamedExpression, in record: StatementRecord) throws -> SQL {
    let sql = try context.expressions.compile(item.expression, in: record, isOfGroup: true).sql
    guard let name = item.name, !item.expression.isProgramColumn, record.node?.hasProgramSQL == true
    else { return sql }
    return "\(sql) AS \(identifier: name)"
  }

  /// Returns the name of a selected column; nil stands for the name that SQLite gives it.
  func name(of item: NamedExpression, in record: StatementRecord) -> String? {
    guard item.name == nil, case .program(.column(let column)) = item.expression.kind else {
      return item.name
    }
    return record.table.column(named: column)?.name ?? column
  }
}

extension RequestNode {
  /// Whether conditions or the order contain SQL of the program, which can name what is selected.
  fileprivate var hasProgramSQL: Bool {
    (filters + group + havings + (sort ?? []).map(\.expression)).contains { expression in
      expression.contains { if case .program(.raw) = $0.kind { true } else { false } }
    }
  }
}

extension Expression {
  /// Whether it is a column, which SQLite names by itself.
  fileprivate var isProgramColumn: Bool {
    switch kind {
    case .program(.column): true
    case .program(.of(_, let expression)): expression.isProgramColumn
    default: false
    }
  }
}
