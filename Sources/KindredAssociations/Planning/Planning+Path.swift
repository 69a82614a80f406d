import KindredSQLSyntax

/// The records at the end of a request's path.
extension Planning {
  /// Where records come from: all of a resource, or the associated ones of a record.
  struct Records {
    var resource: Resource
    var association: Association?
    var origin: Scope?
    /// The record among them that the path names.
    var key: [RequestPath.KeyColumn]?

    /// Whether there is one at most.
    var isSingle: Bool { key != nil || association?.cardinality == .toOne }
  }

  /// Plans a statement for each record on the way; what remains is the root's.
  func planPath() throws -> Records {
    var records = Records(resource: try resource(request.path.resource))
    for segment in request.path.segments {
      switch segment {
      case .record(let key):
        records.key = key
      case .association(let association):
        let statement = StatementBuilder(dialect, level: plan.path.count, runsOften: false, givesMany: false)
        let scope = try open(records, node: nil, statement: statement)
        // The step is finished later: what follows may still read columns of it.
        steps.append((scope, absence(of: records)))
        plan.path.append(Plan.Step(statement: planned(SQL()), absence: ""))
        records = Records(
          resource: try resource(association.destination), association: association, origin: scope)
      }
    }
    return records
  }

  /// Renders the statements of the path, all their columns being known.
  func finishPath() {
    plan.path = steps.map { scope, absence in
      let columns = scope.statement.columns.isEmpty ? ["1"] : scope.statement.columns
      let sql = withClause(
        scope.statement, "SELECT \(columns.joined(separator: ", ")) \(scope.select.from()) LIMIT 1")
      return Plan.Step(statement: planned(sql), absence: absence)
    }
  }

  /// What an error calls a record that is not there.
  func absence(of records: Records) -> String {
    if let association = records.association {
      return records.key == nil
        ? "there is no `\(association.key)` of this record"
        : "there is no such record in `\(association.key)` of this record"
    }
    return "there is no such record in \(records.resource.name)"
  }

  /// Begins the statement of the records: their table, how they are found, what the node says of them.
  func open(_ records: Records, node: RequestNode?, statement: StatementBuilder) throws -> Scope {
    let select = statement.newSelect()
    let scope: Scope
    if let association = records.association, let origin = records.origin {
      scope = try destination(
        of: association, from: origin, into: select, node: node, isRepeated: statement.runsOften)
    } else {
      let table = records.resource.table
      scope = Scope(
        table: table, resource: records.resource, alias: select.alias(for: table), select: select,
        node: node, parent: nil)
      select.begin(with: try reference(to: scope))
    }
    for column in records.key ?? [] { select.conditions.append(equality(column, in: scope)) }
    return scope
  }

  /// The condition that a column has one of its candidate values.
  func equality(_ column: RequestPath.KeyColumn, in scope: Scope) -> SQL {
    let type = scope.table.column(named: column.name).flatMap { dialect.type(of: $0) }
    let values = column.literals.map { dialect.parameter(.parameter($0), as: type) }
    let sql = scope.column(column.name, in: scope.statement)
    return values.count == 1 ? "\(sql) = \(values[0])" : "\(sql) IN (\(values.joined(separator: ", ")))"
  }

  /// A statement with the definitions of what it reads.
  func withClause(_ statement: StatementBuilder, _ sql: SQL) -> SQL {
    guard statement.readsCommonTableExpression else { return sql }
    let definitions = commonTableExpressions
    definitionsLength += definitions.length
    return definitions + sql
  }
}
