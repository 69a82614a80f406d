import KindredModel
import KindredSQLSyntax

/// Compiles the expressions that only programs can write: those with aliases, with SQL, or with other requests.
struct ProgramExpressionCompiler: PlanningPart {
  let context: PlanningContext

  func compile(_ expression: Expression.ProgramExpression, in record: StatementRecord) throws
    -> CompiledExpression
  {
    switch expression {
    case .column(let name):
      let traits = record.table.column(named: name).map { ComparisonTraits(of: $0, in: record.table) }
      return CompiledExpression(
        sql: record.column(name, in: record.statement), traits: traits ?? ComparisonTraits())
    case .of(let alias, let expression):
      return try compile(expression, of: alias, from: record)
    case .raw(let parts):
      // It may contain any operator.
      return CompiledExpression(sql: try raw(parts, in: record), precedence: .or)
    case .aggregate(let function, let node, let argument):
      let aggregate = try AggregateResolver(state: state).resolve(
        function, of: try KeyedAssociation(of: node), filters: [],
        arguments: argument.map { [$0] } ?? [], in: NameContext(scope: record.names, author: .request),
        at: node.origin)
      return try state.isolatingAliases {
        // Records that are joined as well have the same aliases, which mean the aggregate's own within it.
        state.forgetAliases(of: node)
        return try context.aggregates.compile(aggregate, in: record)
      }
    case .count(let key, let most):
      guard let keyed = record.names.association(key) else {
        throw RequestError(.unknownAssociation, "`\(key)` is not an association of \(record.resource.name)")
      }
      return try context.aggregates.compileCount(
        of: context.associations.resolve(
          keyed, in: NameContext(scope: record.names, author: .request)), most: most, in: record)
    case .search(let pattern):
      return CompiledExpression(sql: search(pattern, in: record), precedence: .or, format: .boolean)
    case .exists(let request):
      return CompiledExpression(sql: "EXISTS (\(try subquery(request, in: record)))", format: .boolean)
    case .scalar(let request):
      return CompiledExpression(sql: "(\(try subquery(request, in: record)))")
    case .among(let value, let request):
      let value = try context.expressions.compile(value, in: record, isOfGroup: true).sql(within: .comparison)
      return CompiledExpression(
        sql: "\(value) IN (\(try subquery(request, in: record)))", precedence: .equality, format: .boolean)
    }
  }

  /// Returns whether a record is found by a pattern in the full-text index of its table.
  private func search(_ pattern: SQL.Binding, in record: StatementRecord) -> SQL {
    // The index can't be read for many records at once.
    var sql = SQL().noted(PlanNote.volatile)
    guard let fullText = record.table.fullText, fullText.table != record.table.name else {
      // A full-text table is matched by the hidden column that has its name.
      let column = record.column(record.table.name, in: record.statement)
      sql.append("\(column) MATCH \(pattern)")
      return sql
    }
    let index = SQL(trusted: SQL.quoted(fullText.table))
    let rowID = record.column(record.table.rowIDName ?? "rowid", in: record.statement)
    sql.append("\(rowID) IN (SELECT rowid FROM \(index) WHERE \(index) MATCH \(pattern))")
    return sql
  }

  /// Returns an expression about the record of an alias, for its own statement or one below.
  private func compile(
    _ expression: Expression, of alias: RecordAlias, from record: StatementRecord
  ) throws -> CompiledExpression {
    guard let target = state.aliased[alias] else {
      throw RequestError(
        .unknownNode,
        "the TableAlias\(alias.name.map { " \($0)" } ?? "") isn't attached to a table of this request; attach it with aliased(_:)"
      )
    }
    var compiled = try context.expressions.compile(expression, in: target, isOfGroup: true)
    guard target.statement !== record.statement else { return compiled }
    compiled.bind(to: target.statement.export(compiled.sql, as: compiled.type, to: record.statement))
    return compiled
  }

  /// Returns the SQL of the program with the expressions in it, which may do anything.
  func raw(_ parts: [Expression.RawPart], in record: StatementRecord) throws -> SQL {
    var sql = SQL().noted(PlanNote.volatile)
    for part in parts {
      switch part {
      case .text(let text): sql.append(SQL(trusted: text))
      case .expression(let expression):
        if case .program(.scalar(let request)) = expression.kind {
          // The SQL around a request has its parentheses: `IN (…)`, `FROM (…)`.
          sql.append(try subquery(request, in: record))
          continue
        }
        // Only SQLite knows whether the SQL around it may have an aggregate.
        let compiled = try context.expressions.compile(expression, in: record, isOfGroup: true)
        sql.append(compiled.sql(within: .primary))
      }
    }
    return sql
  }

  /// Returns the rows of another request as a subquery.
  private func subquery(_ request: FetchRequest, in record: StatementRecord) throws -> SQL {
    try state.isolatingAliases {
      try record.statement.subquery { select in
        let builder = RowSelectBuilder(context: context)
        let rows = try builder.select(request, into: select)
        return rows.subquery(try builder.selection(of: rows))
      }
    }
  }
}

extension PlanningState {
  /// Registers the aliases of a record.
  ///
  /// - Throws: `RequestError` if another record has such an alias.
  func register(_ record: StatementRecord, above: StatementRecord?) throws {
    guard let shape = record.node?.rows else { return }
    if let above {
      for alias in shape.originAliases { aliased[alias] = above }
    }
    for alias in shape.aliases {
      guard aliased.updateValue(record, forKey: alias) == nil else {
        throw RequestError(.duplicateName, "A TableAlias most not be used to refer to multiple tables")
      }
    }
  }

  /// Forgets the aliases of a node and of those in the same statement.
  func forgetAliases(of node: RequestNode) {
    for alias in node.rows.aliases { aliased[alias] = nil }
    for other in node.joinedNodes { forgetAliases(of: other) }
  }

  /// Returns the result of `body`, whose aliases are forgotten: the same node may be planned in several subqueries.
  func isolatingAliases<Result>(_ body: () throws -> Result) rethrows -> Result {
    let outer = aliased
    defer { aliased = outer }
    return try body()
  }
}
